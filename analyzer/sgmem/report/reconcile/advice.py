"""What one start of a server comes to, in a sentence: what is the matter, and what to do or to paste next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.queries.results.reconcile import BootReport

OPTION = "--mem-fraction-static"
SMALL_ROOM = 0.01
"""A range of fractions narrower than this is hit by luck only."""


def advice(boot: BootReport) -> str:
    """The conclusion for a reader who has no time for the figures below it."""
    if boot.verdict == "too-short":
        return _failure(boot) or _absence(boot)
    if boot.verdict == "inconsistent":
        return _contradiction(boot)
    if boot.oom is not None:
        return _failure(boot)
    return _limit(boot) if boot.verdict == "capped" else _room(boot)


def _failure(boot: BootReport) -> str:
    """A start that ran out of memory, with the number that ends it where the log tells one."""
    if boot.oom is None:
        return ""
    chosen, fraction = boot.fraction_range, boot.quantities.fraction
    if chosen.none:
        return f"No fraction works on this card as it is set up: {boot.oom.text}."
    if boot.oom.case == "pool":
        if chosen.low is None:
            return f"No memory was left for the pools: raise {OPTION}. By how much, the missing lines would tell."
        least = f"raise {OPTION} above {chosen.low:.4f}"
        return f"No memory was left for the pools: {least}{_from(fraction)}."
    if boot.oom.case == "weights":
        return "The weights alone do not fit on the card: no fraction changes that."
    if chosen.high is not None:
        return f"Memory ran out beside the pools: lower {OPTION} below {chosen.high:.4f}{_from(fraction)}."
    return f"{boot.oom.text[0].upper()}{boot.oom.text[1:]}."


def _from(fraction: float | None) -> str:
    return f" (it was {fraction:g})" if fraction is not None else ""


def _absence(boot: BootReport) -> str:
    several = len(boot.missing) > 1
    what = "these figures are" if several else "one figure is"
    return f"Cannot be judged yet: {what} not in the log. Paste the {'lines' if several else 'line'} named below with it."


def _contradiction(boot: BootReport) -> str:
    """Which way the figures disagree, and the first thing that would explain it."""
    likely = next(
        (one for one in boot.explanations if one.path or one.term in ("communicator buffers", "bytes per token", "scale")), None
    )
    because = f" Look first at: {likely.term}." if likely is not None else ""
    if boot.difference is None:
        return (
            f"The figures contradict each other: by what is stated there was memory for the pools, but the server found none.{because}"
        )
    more = "more" if boot.difference > 0 else "less"
    return f"The figures contradict each other: the pools got {abs(boot.difference):.2f} GiB {more} than the formula gives.{because}"


def _limit(boot: BootReport) -> str:
    found = boot.quantities
    unused = f", so that {boot.expected_kv - found.kv:.2f} GiB of the budget stay unused" if boot.expected_kv and found.kv else ""
    return f"A limit on tokens binds, not memory{unused}: the fraction decides nothing until the limit is lifted."


def _room(boot: BootReport) -> str:
    """Whether a start that adds up could use more."""
    chosen, fraction = boot.fraction_range, boot.quantities.fraction
    if boot.expected_kv is not None and boot.expected_kv <= 0:
        return f"The figures add up: the budget is negative. Raise {OPTION} above {chosen.low:.4f}." if chosen.low else ""
    text = "The figures add up: the pools fill the budget."
    if chosen.high is None or fraction is None:
        return text
    if chosen.high - fraction < SMALL_ROOM:
        return f"{text} There is no room for a higher fraction than {fraction:g}."
    return f"{text} Up to {chosen.high:.2f} would fit beside what the log shows, if activations allow."
