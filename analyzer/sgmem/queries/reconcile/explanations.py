"""What may explain a difference between the budget and what was allocated: each term of the formula and what it would have to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.results.reconcile import Explanation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.queries.reconcile.quantities import Figures
    from sgmem.serverlog.formula import BudgetFormula


MISJUDGED = 0.35
"""Of a pool at most this share may come from a wrong estimate per token: indexes, scales and paddings that were not charged."""


def of_agreement(figures: Figures) -> Iterator[Explanation]:
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


def late_buffers(figures: Figures, formula: BudgetFormula) -> Explanation | None:
    """What the communicator took between this rank's first reading and the line that prints one, where the formula allows for that."""
    found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    if not formula.late_communicators or figures.world < 2 or reported is None:
        return None
    if found.pre_load is None or found.post_load is None or found.fraction is None:
        return None
    total = formula.baseline(found.post_load, found.fraction, reported)
    if total is None:
        return None
    took = f"; setting up took {found.communicators:.2f} GiB by the log" if found.communicators else ""
    text = (
        f"each rank measures {formula.name('baseline')} before the collective that combines it sets its buffers up,"
        f" and prints what is free after: it would have been {total:.2f}, {total - found.pre_load:.2f} more than the"
        f" {found.pre_load:.2f} printed{took}"
    )
    term = next((one for one in formula.terms if one.role == "baseline"), None)
    return Explanation(
        "communicator buffers", round(total - found.pre_load, 3), text, term.path if term else "", term.line if term else 0
    )


def of_contradiction(figures: Figures, formula: BudgetFormula, difference: float) -> Iterator[Explanation]:
    """For each term of the formula what it would have to be, those first that the figures speak for."""
    found = figures.quantities
    assert found.pre_load is not None and found.post_load is not None and found.fraction is not None
    pre, post, fraction = found.pre_load, found.post_load, found.fraction
    reported = found.budget if found.budget is not None else found.kv
    assert reported is not None
    needed = formula.fraction(post, pre, reported)
    total = formula.baseline(post, fraction, reported)
    buffers = late_buffers(figures, formula) if difference < 0 else None
    if buffers is not None:
        yield buffers
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
    if found.tokens and found.kv and 0 < difference <= MISJUDGED * found.kv:
        each, charged = found.kv * 2**30 / found.tokens, (found.kv - difference) * 2**30 / found.tokens
        text = (
            f"{found.tokens} tokens take {each:.0f} bytes each; where their count comes from this budget, {charged:.0f} bytes were"
            " charged for each, so the estimate per token is too small"
        )
        yield Explanation("bytes per token", round(charged), text)
    if needed is not None and 0 < needed < 1:
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


def of_absence(figures: Figures, formula: BudgetFormula) -> Iterator[Explanation]:
    """What the one figure that a log does not show would be, if the rest adds up."""
    found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    if reported is None or found.fraction is None or (found.pre_load is None) == (found.post_load is None):
        return
    if found.pre_load is None and found.post_load is not None:
        name, value = "baseline", formula.baseline(found.post_load, found.fraction, reported)
    else:
        assert found.pre_load is not None
        name, value = "available", reported - formula.value(0.0, found.pre_load, found.fraction)
    if value is not None and 0 < value < 4096:
        when = "before" if name == "baseline" else "after"
        yield Explanation(name, round(value, 3), f"free memory {when} the weights is not shown; {value:.2f} GiB would fit")


def of_sign(figures: Figures, formula: BudgetFormula) -> Iterator[Explanation]:
    """How a budget came to be negative that should not be by the fraction as stated."""
    found = figures.quantities
    if found.pre_load is None or found.post_load is None or found.fraction is None:
        return
    least = formula.fraction(found.post_load, found.pre_load, 0.0)
    if least is not None and 0 < least < 1:
        text = f"the fraction in effect was below {least:.4f}, where the budget turns negative, not {found.fraction:g}"
        yield Explanation("fraction", round(least, 4), text)
    for scale in formula.scales:
        budget = formula.value(found.post_load, found.pre_load, found.fraction * scale.factor)
        if budget <= 0:
            when = f" when {scale.when}" if scale.when else ""
            product = f"{found.fraction:g} x {scale.factor:g} = {found.fraction * scale.factor:.4f}"
            text = f"the source multiplies the fraction by {scale.factor:g}{when}: {product} would give {budget:+.2f} GiB"
            yield Explanation("scale", scale.factor, text, scale.path, scale.line)
