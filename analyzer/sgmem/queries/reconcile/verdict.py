"""The verdict on one start: the budget by the formula against what was allocated, and what may explain a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.results.reconcile import Explanation, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    figures, notes = _with_fraction(figures, formula)
    found = figures.quantities
    fraction = found.fraction
    expected = None
    if found.pre_load is not None and found.post_load is not None and fraction is not None:
        expected = formula.value(found.post_load, found.pre_load, fraction)
    tolerance = _tolerance(figures)
    if expected is not None:
        figures = _with_draft_pools(figures, expected, tolerance)
        found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    difference = None if expected is None or reported is None else reported - expected
    verdict, told = _verdict(boot, figures, formula, expected, difference, tolerance)
    explanations = [*notes, *told]
    if verdict == "inconsistent" and difference is not None and expected is not None:
        explanations += _terms(figures, formula, difference)
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
        round(tolerance, 3),
        arithmetic,
        tuple(explanations),
        _missing(figures, expected, reported) if verdict == "too-short" else (),
        fraction,
    )


def _with_draft_pools(figures: Figures, expected: float, tolerance: float) -> Figures:
    """Some releases take the draft's pools out of the target's budget: then they count where only both together fill it."""
    kv, both = figures.quantities.kv, sum(one.value for one in figures.allocations)
    if kv is None or not any(one.draft for one in figures.allocations) or abs(kv - expected) <= tolerance < abs(both - expected):
        return figures
    if abs(both - expected) <= tolerance < abs(kv - expected):
        return msgspec.structs.replace(figures, quantities=msgspec.structs.replace(figures.quantities, kv=round(both, 6)))
    return figures


def _verdict(
    boot: Boot, figures: Figures, formula: BudgetFormula, expected: float | None, difference: float | None, tolerance: float
) -> tuple[Verdict, list[Explanation]]:
    found = figures.quantities
    cap = _cap(boot, figures)
    if figures.minimum_fractions and found.pre_load is not None and found.post_load is not None:
        return _threshold(figures, formula, difference, tolerance)
    if expected is None:
        if cap is not None and cap.term != "round":
            return "capped", [cap]
        if cap is not None and found.kv is not None and found.fraction is not None and found.pool_end is not None:
            return "capped", [cap]
        return "too-short", []
    if found.profiled_tokens is not None and found.profiled_tokens <= 0:
        return _negative(figures, expected, tolerance)
    failed = bool(boot.of("mark.no-pool"))
    if difference is None or (failed and found.kv is None):
        if failed or expected <= 0:
            return _no_pool(expected, tolerance, failed)
        if cap is not None and cap.term != "round":
            return "capped", [cap]
        return "too-short", []
    if difference < -tolerance and cap is not None:
        return "capped", [cap]
    if abs(difference) <= tolerance:
        return "consistent", list(_inside(figures))
    if figures.by_difference and tolerance < difference <= BESIDE_POOLS and _whole_heads(figures, expected):
        text = f"{found.tokens} tokens fill the budget with a whole number of heads each; {difference:.2f} GiB stand beside the pools"
        return "consistent", [Explanation("beside the pools", round(difference, 3), text)]
    if figures.reserve and abs(difference + figures.reserve) <= tolerance:
        text = f"{figures.reserve:.2f} GiB were taken out of the budget before the pools were sized"
        return "consistent", [Explanation("reserve", figures.reserve, text)]
    return "inconsistent", []


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


def _threshold(
    figures: Figures, formula: BudgetFormula, difference: float | None, tolerance: float
) -> tuple[Verdict, list[Explanation]]:
    """The program printed the smallest fraction itself: compare it with the formula's, with and without the draft."""
    found = figures.quantities
    assert found.pre_load is not None and found.post_load is not None
    posts = [found.post_load] + ([found.post_load - found.draft_weights] if found.draft_weights else [])
    own = [value for post in posts if (value := formula.fraction(post, found.pre_load, 0.0)) is not None]
    near = [least for least in figures.minimum_fractions if any(abs(least - value) <= MIN_FRACTION_STEP for value in own)]
    zero, printed = ", ".join(f"{value:.4f}" for value in own), ", ".join(map(str, figures.minimum_fractions))
    text = f"the budget is zero at a fraction of {zero}; the log prints {printed}"
    fits = bool(near) and (difference is None or abs(difference) <= tolerance or found.budget is None)
    return ("consistent" if fits else "inconsistent"), [Explanation("threshold", own[0] if own else None, text)]


def _negative(figures: Figures, expected: float, tolerance: float) -> tuple[Verdict, list[Explanation]]:
    tokens = figures.quantities.profiled_tokens
    if expected <= tolerance:
        return "consistent", [Explanation("negative", expected, f"the budget is negative, and so is its token count {tokens}")]
    text = f"the server computed {tokens} tokens, so its budget was negative, but these figures give {expected:+.2f} GiB"
    return "inconsistent", [Explanation("sign", expected, text)]


def _no_pool(expected: float, tolerance: float, failed: bool) -> tuple[Verdict, list[Explanation]]:
    if expected <= tolerance:
        return "consistent", [Explanation("negative", expected, f"the budget of {expected:.2f} GiB leaves no room for a pool")]
    if failed:
        return "inconsistent", [
            Explanation("sign", expected, f"no memory was found for a pool, but these figures give {expected:+.2f} GiB")
        ]
    return "too-short", []


def _inside(figures: Figures) -> Iterator[Explanation]:
    """What is known of a difference that is within the tolerance."""
    if figures.table >= 0.01 and figures.by_difference:
        size = f"{figures.quantities.requests} x {figures.quantities.context} tokens x 4 bytes"
        text = f"the table of requests ({size}) stands beside the pools"
        yield Explanation("request table", round(figures.table, 3), text)
    if figures.ranks > 1:
        yield Explanation(
            "minimum over ranks", None, f"the amounts are the smallest of {figures.ranks} ranks, as the formula takes them"
        )
    if figures.reserve and figures.quantities.kv is not None and figures.quantities.budget is not None:
        rest = figures.quantities.budget - figures.reserve
        yield Explanation(
            "reserve",
            figures.reserve,
            f"{figures.quantities.budget:.2f} - {figures.reserve:.2f} = {rest:.2f} GiB are left",
        )


def _terms(figures: Figures, formula: BudgetFormula, difference: float) -> Iterator[Explanation]:
    """For each term of the formula what it would have to be, those first that the figures speak for."""
    found = figures.quantities
    assert found.pre_load is not None and found.post_load is not None and found.fraction is not None
    pre, post, fraction = found.pre_load, found.post_load, found.fraction
    reported = found.budget if found.budget is not None else found.kv
    assert reported is not None
    needed = formula.fraction(post, pre, reported)
    total = formula.baseline(post, fraction, reported)
    if formula.late_communicators and figures.ranks > 1 and difference < 0 and total is not None:
        took = f"; setting up took {found.communicators:.2f} GiB by the log" if found.communicators else ""
        text = (
            f"each rank measures {formula.name('baseline')} before the collective that combines it sets its buffers up,"
            f" and prints what is free after: it would have been {total:.2f}, {total - pre:.2f} more than the {pre:.2f} printed{took}"
        )
        term = next((one for one in formula.terms if one.role == "baseline"), None)
        yield Explanation("communicator buffers", round(total - pre, 3), text, term.path if term else "", term.line if term else 0)
    if needed is not None:
        for scale in formula.scales:
            if abs(fraction * scale.factor - needed) <= max(0.004, 0.002 * needed):
                when = f", done when {scale.when}" if scale.when else ""
                product = f"{fraction:g} x {scale.factor:g} = {fraction * scale.factor:.4f}"
                text = f"the fraction is multiplied by {scale.factor:g} after it was given: {product}{when}"
                yield Explanation("scale", scale.factor, text, scale.path, scale.line)
        for default in formula.defaults:
            if abs(default.value - needed) <= 0.002:
                when = f", used when {default.when}" if default.when else ""
                yield Explanation(
                    "fraction", default.value, f"{default.value:g} is the source's own default{when}", default.path, default.line
                )
        if 0 < needed < 1:
            yield Explanation("fraction", round(needed, 4), f"the fraction would have been {needed:.4f}, not {fraction:g}")
    if difference < 0:
        for term in formula.others:
            yield Explanation(
                term.name,
                round(-difference, 3),
                f"{term.name} would be {-difference:.2f} GiB; the log does not print it",
                term.path,
                term.line,
            )
        if found.draft_weights:
            yield Explanation(
                "draft weights", found.draft_weights, f"the draft's weights took {found.draft_weights:.2f} GiB of the card"
            )
    if total is not None and 0 < total < 4096:
        text = f"{formula.name('baseline')} would have been {total:.2f}, not {pre:.2f}"
        yield Explanation("baseline", round(total, 3), text)
    text = f"{formula.name('available')} would have been {post + difference:.2f}, not {post:.2f}"
    yield Explanation("available", round(post + difference, 3), text)


def _with_fraction(figures: Figures, formula: BudgetFormula) -> tuple[Figures, list[Explanation]]:
    """Where no fraction is shown: the default of the source that fits the figures."""
    found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    if found.fraction is not None or None in (found.pre_load, found.post_load, reported):
        return figures, []
    assert found.pre_load is not None and found.post_load is not None and reported is not None
    needed = formula.fraction(found.post_load, found.pre_load, reported)
    if needed is None:
        return figures, []
    fitting = [one for one in formula.defaults if abs(one.value - needed) * found.pre_load <= _tolerance(figures)]
    if not fitting:
        return figures, [Explanation("fraction", round(needed, 4), f"no fraction is shown; {needed:.4f} would fit")]
    best = min(fitting, key=lambda one: abs(one.value - needed))
    when = f" when {best.when}" if best.when else ""
    text = f"no fraction is shown; {best.value:g}, the source's default{when}, fits"
    known = msgspec.structs.replace(found, fraction=best.value)
    return msgspec.structs.replace(figures, quantities=known), [Explanation("fraction", best.value, text, best.path, best.line)]


def _tolerance(figures: Figures) -> float:
    rounding = figures.step * 3 + figures.fraction_step / 2 * (figures.quantities.pre_load or 0.0) * (figures.fraction_step > 1e-4)
    extra = UNTABLED if figures.by_difference and not figures.table else 0.0
    return SMALL_TERMS + min(rounding, 0.1) + extra


def _spelled(formula: BudgetFormula, figures: Figures) -> str:
    found = figures.quantities
    return f"{found.post_load:.2f} - {found.pre_load:.2f} * (1 - {found.fraction:g})"


def _missing(figures: Figures, expected: float | None, reported: float | None) -> tuple[str, ...]:
    found = figures.quantities
    rows = (
        (found.pre_load is None, "free memory before the weights"),
        (found.post_load is None, "free memory after the weights"),
        (found.fraction is None, "the fraction in effect (ServerArgs or the command line)"),
        (reported is None, "the size of the pools, or free memory after them"),
    )
    return tuple(text for absent, text in rows if absent)
