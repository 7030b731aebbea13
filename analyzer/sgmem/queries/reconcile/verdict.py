"""The verdict on one start: the budget by the formula against what was allocated, and what may explain a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.reconcile.explanations import late_buffers, of_absence, of_agreement, of_contradiction, of_sign
from sgmem.queries.reconcile.fraction import in_effect
from sgmem.queries.results.reconcile import Explanation, Verdict
from sgmem.serverlog.learned import known

if TYPE_CHECKING:
    from sgmem.queries.reconcile.quantities import Figures
    from sgmem.serverlog.boots import Boot
    from sgmem.serverlog.formula import BudgetFormula

SMALL_TERMS = 0.3
"""GiB that what no log prints may take: alignment, index tables, allocator blocks, communicators. Real logs that add up are up to 0.25
off, real contradictions begin near 0.9."""
UNTABLED = 0.45
"""GiB more for pools known by free memory only, where the log does not tell the size of the request table that stands beside them."""
ROUND_TOKENS = 1024
"""A token count that is a multiple of this, and few of them or a round number of them, was most likely chosen: 16384, 100000."""
FEW = 32
MIN_FRACTION_STEP = 0.0015
HEAD_BYTES = (512, 1152)
"""What one token takes is a multiple of these: keys and values of a head (128 elements of two bytes each), the latent vector of
multi-head latent attention (576 elements of two bytes)."""
LARGE_BUFFERS = 1.2
"""GiB at most that a communicator of one host takes for its buffers. Real logs show 0.8 on eight cards."""
BESIDE_POOLS = 1.5
"""GiB at most that stand beside pools which are known by free memory only: tables, workspaces, adapters."""


class Judged(msgspec.Struct, frozen=True):
    """What was found. `reported` is what is compared with the budget."""

    verdict: Verdict
    expected: float | None
    difference: float | None
    tolerance: float | None
    arithmetic: str
    explanations: tuple[Explanation, ...]
    missing: tuple[str, ...]
    fraction: float | None


def judge(boot: Boot, figures: Figures, formula: BudgetFormula) -> Judged:
    """Compare a start with the formula."""
    figures, notes = in_effect(figures, formula, tolerance(figures))
    found = figures.quantities
    fraction = found.fraction
    expected = None
    if found.pre_load is not None and found.post_load is not None and fraction is not None:
        expected = formula.value(found.post_load, found.pre_load, fraction)
    allowed = tolerance(figures)
    if expected is not None:
        figures = _with_draft_pools(figures, expected, allowed)
        found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    difference = None if expected is None or reported is None else reported - expected
    verdict, told = _verdict(boot, figures, formula, expected, difference, allowed)
    explanations = [*notes, *told]
    if verdict == "inconsistent" and difference is not None and expected is not None:
        explanations += of_contradiction(figures, formula, difference)
    elif verdict == "inconsistent":
        explanations += of_sign(figures, formula)
    elif verdict == "too-short":
        explanations += of_absence(figures, formula)
    arithmetic = ""
    if expected is not None:
        arithmetic = f"{_spelled(formula, figures)} = {expected:.3f} GiB"
        if reported is not None:
            what = "budget printed" if found.budget is not None else "by free memory" if figures.by_difference else "allocated"
            arithmetic += f"; {what} {reported:.3f} GiB"
    return Judged(
        verdict,
        None if expected is None else round(expected, 6),
        None if difference is None else round(difference, 6),
        round(allowed, 3),
        arithmetic,
        tuple(explanations),
        _missing(figures, expected, reported) if verdict == "too-short" else (),
        fraction,
    )


def _with_draft_pools(figures: Figures, expected: float, allowed: float) -> Figures:
    """Some releases take the draft's pools out of the target's budget: then they count where only both together fill it."""
    kv, both = figures.quantities.kv, sum(one.value for one in figures.allocations)
    if kv is None or not any(one.draft for one in figures.allocations) or abs(kv - expected) <= allowed < abs(both - expected):
        return figures
    if abs(both - expected) <= allowed < abs(kv - expected):
        return msgspec.structs.replace(figures, quantities=msgspec.structs.replace(figures.quantities, kv=round(both, 6)))
    return figures


def _verdict(
    boot: Boot, figures: Figures, formula: BudgetFormula, expected: float | None, difference: float | None, allowed: float
) -> tuple[Verdict, list[Explanation]]:
    found = figures.quantities
    cap = _cap(boot, figures)
    if figures.minimum_fractions and found.pre_load is not None and found.post_load is not None:
        return _threshold(figures, formula, difference, allowed)
    if expected is None:
        if cap is not None and cap.term != "round":
            return "capped", [cap]
        if cap is not None and found.kv is not None and found.fraction is not None and found.pool_end is not None:
            return "capped", [cap]
        return "too-short", []
    if found.profiled_tokens is not None and found.profiled_tokens <= 0:
        return _negative(figures, expected, allowed)
    failed = bool(boot.of("mark.no-pool"))
    if difference is None or (failed and found.kv is None):
        if failed or expected <= 0:
            # A printed budget may have lost more by then, to states between draft steps, but cannot be larger.
            if difference is not None and difference > allowed:
                return "inconsistent", []
            return _no_pool(expected, allowed, failed)
        if cap is not None and cap.term != "round":
            return "capped", [cap]
        return "too-short", []
    if difference < -allowed and cap is not None:
        return "capped", [cap]
    if abs(difference) <= allowed:
        return "consistent", list(of_agreement(figures))
    buffers = late_buffers(figures, formula) if difference < 0 else None
    if buffers is not None and buffers.value is not None and buffers.value <= _usual_buffers(figures):
        return "consistent", [buffers]
    if figures.by_difference and allowed < difference <= BESIDE_POOLS and _whole_heads(figures, expected):
        text = f"{found.tokens} tokens fill the budget with a whole number of heads each; {difference:.2f} GiB stand beside the pools"
        return "consistent", [Explanation("beside the pools", round(difference, 3), text)]
    if figures.by_difference and allowed < difference <= SMALL_TERMS + figures.table_most:
        text = (
            f"the pools are known by free memory only; {difference:.2f} GiB beside the budget are a table of requests, of which the log"
            " does not tell the size"
        )
        return "consistent", [Explanation("request table", round(difference, 3), text)]
    if figures.reserve and abs(difference + figures.reserve) <= allowed:
        text = f"{figures.reserve:.2f} GiB were taken out of the budget before the pools were sized"
        return "consistent", [Explanation("reserve", figures.reserve, text)]
    return "inconsistent", []


def _usual_buffers(figures: Figures) -> float:
    """What a communicator may well have taken, by what its set-up took where the log tells that."""
    took = figures.quantities.communicators
    return LARGE_BUFFERS if took is None else min(took, LARGE_BUFFERS)


def _whole_heads(figures: Figures, budget: float) -> bool:
    """Whether the budget divided by the tokens is a size that a token can have, known so well that this is hardly chance."""
    found = figures.quantities
    if not found.tokens or found.tokens < 0 or found.fraction is None:
        return False
    per_token = budget * 2**30 / found.tokens
    unsure = figures.step * (2 - found.fraction) * 2**30 / found.tokens
    return any(unsure <= size / 8 and abs(per_token - round(per_token / size) * size) <= unsure for size in HEAD_BYTES)


def _cap(boot: Boot, figures: Figures) -> Explanation | None:
    """The limit that binds the token count."""
    found = figures.quantities
    if found.tokens is None or found.tokens <= 0:
        return None
    if found.cap_tokens is not None and found.cap_tokens - ROUND_TOKENS < found.tokens <= found.cap_tokens:
        text = f"the token count {found.tokens} is the given limit max_total_tokens={found.cap_tokens}, not what the budget would hold"
        return Explanation("cap", float(found.cap_tokens), text)
    page = boot.setting("page_size")
    if _is_chosen(found.tokens) and (page is None or page.value < ROUND_TOKENS / 8):
        text = (
            f"the token count {found.tokens} is a round number: most likely it was set, by a limit on tokens or requests,"
            " and not computed from memory"
        )
        return Explanation("round", float(found.tokens), text)
    return None


def _is_chosen(tokens: int) -> bool:
    """Whether people choose such a number: a small odd number times a power of two, or two digits and zeros."""
    if tokens % 1000 == 0 and len(str(tokens).rstrip("0")) <= 2:
        return True
    odd = tokens // (tokens & -tokens)
    return tokens % ROUND_TOKENS == 0 and odd < FEW


def _threshold(figures: Figures, formula: BudgetFormula, difference: float | None, allowed: float) -> tuple[Verdict, list[Explanation]]:
    """The program printed the smallest fraction itself: compare it with the formula's, with and without the draft."""
    found = figures.quantities
    assert found.pre_load is not None and found.post_load is not None
    posts = [found.post_load] + ([found.post_load - found.draft_weights] if found.draft_weights else [])
    own = [value for post in posts if (value := formula.fraction(post, found.pre_load, 0.0)) is not None]
    near = [least for least in figures.minimum_fractions if any(abs(least - value) <= MIN_FRACTION_STEP for value in own)]
    zero, printed = ", ".join(f"{value:.4f}" for value in own), ", ".join(map(str, figures.minimum_fractions))
    text = f"the budget is zero at a fraction of {zero}; the log prints {printed}"
    fits = bool(near) and (difference is None or abs(difference) <= allowed or found.budget is None)
    return ("consistent" if fits else "inconsistent"), [Explanation("threshold", own[0] if own else None, text)]


def _negative(figures: Figures, expected: float, allowed: float) -> tuple[Verdict, list[Explanation]]:
    tokens = figures.quantities.profiled_tokens
    if expected <= allowed:
        return "consistent", [Explanation("negative", expected, f"the budget is negative, and so is its token count {tokens}")]
    text = f"the server computed {tokens} tokens, so its budget was negative, but these figures give {expected:+.2f} GiB"
    return "inconsistent", [Explanation("sign", expected, text)]


def _no_pool(expected: float, allowed: float, failed: bool) -> tuple[Verdict, list[Explanation]]:
    if expected <= allowed:
        return "consistent", [Explanation("negative", expected, f"the budget of {expected:.2f} GiB leaves no room for a pool")]
    if failed:
        return "inconsistent", [
            Explanation("sign", expected, f"no memory was found for a pool, but these figures give {expected:+.2f} GiB")
        ]
    return "too-short", []


def tolerance(figures: Figures) -> float:
    """How far apart two amounts may be that are the same, by the digits printed and by what no log prints. GiB."""
    rounding = figures.step * 3 + figures.fraction_step / 2 * (figures.quantities.pre_load or 0.0) * (figures.fraction_step > 1e-4)
    extra = UNTABLED if figures.by_difference and not figures.table else 0.0
    return SMALL_TERMS + min(rounding, 0.1) + extra


def _spelled(formula: BudgetFormula, figures: Figures) -> str:
    found = figures.quantities
    return f"{found.post_load:.2f} - {found.pre_load:.2f} * (1 - {found.fraction:g})"


def _missing(figures: Figures, expected: float | None, reported: float | None) -> tuple[str, ...]:
    """What is not in the log, and which of its lines shows it."""
    found = figures.quantities
    rows = (
        (found.pre_load is None, "free memory before the weights", ("free.before-weights",)),
        (found.post_load is None, "free memory after the weights", ("free.after-weights",)),
        (reported is None, "the size of the pools, or free memory after them", ("pool.size", "free.after-pool")),
    )
    absent = [f"{text}: {_shown_by(*kinds)}" for lacking, text, kinds in rows if lacking]
    if found.fraction is None:
        absent.append("the fraction in effect: the line with all arguments, server_args=..., or the command line")
    return tuple(absent)


def _shown_by(*kinds: str) -> str:
    """The lines that show figures of these kinds, as a reader finds them."""
    return "the line " + " or ".join(f'"{one}"' for kind in kinds if (one := known().example(kind)))
