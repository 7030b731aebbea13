"""The fraction in effect: as given, as a source's default that fits, or as the program changed it after it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.results.reconcile import Explanation

if TYPE_CHECKING:
    from sgmem.queries.reconcile.quantities import Figures
    from sgmem.serverlog.formula import BudgetFormula, Scale


def in_effect(figures: Figures, formula: BudgetFormula, tolerance: float) -> tuple[Figures, list[Explanation]]:
    """The figures with the fraction that the budget was computed with, where the log leaves that open."""
    if figures.quantities.fraction is None:
        return _by_default(figures, formula, tolerance)
    if figures.given is None:
        return figures, []
    if figures.quantities.fraction != figures.given:
        return _unrounded(figures, formula), []
    if figures.adjusted:
        return _adjusted(figures, formula, tolerance)
    return _another(figures, formula, tolerance) if len(figures.named) > 1 else (figures, [])


def _by_default(figures: Figures, formula: BudgetFormula, tolerance: float) -> tuple[Figures, list[Explanation]]:
    """Where no fraction is shown: the default of the source that fits the figures."""
    found = figures.quantities
    needed = _needed(figures, formula)
    if needed is None or found.pre_load is None:
        return figures, []
    fitting = [one for one in formula.defaults if abs(one.value - needed) * found.pre_load <= tolerance]
    if not fitting:
        return figures, [Explanation("fraction", round(needed, 4), f"no fraction is shown; {needed:.4f} would fit")]
    best = min(fitting, key=lambda one: abs(one.value - needed))
    when = f" when {best.when}" if best.when else ""
    text = f"no fraction is shown; {best.value:g}, the source's default{when}, fits"
    return _with(figures, best.value), [Explanation("fraction", best.value, text, best.path, best.line)]


def _unrounded(figures: Figures, formula: BudgetFormula) -> Figures:
    """A fraction that the program lowered and printed with few digits, as the product that it is."""
    printed, given = figures.quantities.fraction, figures.given
    assert printed is not None and given is not None
    products = [given * scale.factor for scale in formula.scales]
    exact = [one for one in products if abs(one - printed) <= figures.fraction_step / 2 + 1e-9]
    return _with(figures, exact[0]) if exact else figures


def _adjusted(figures: Figures, formula: BudgetFormula, tolerance: float) -> tuple[Figures, list[Explanation]]:
    """The log says that the fraction was adjusted, but not to what: the source's factor, where only with it the figures add up."""
    needed, given, pre = _needed(figures, formula), figures.given, figures.quantities.pre_load
    if needed is None or given is None or pre is None or abs(needed - given) * pre <= tolerance:
        return figures, []
    for scale in formula.scales:
        if abs(needed - given * scale.factor) * pre <= tolerance:
            return _with(figures, given * scale.factor), [_told(scale, given)]
    return figures, []


def _another(figures: Figures, formula: BudgetFormula, tolerance: float) -> tuple[Figures, list[Explanation]]:
    """A log that names several fractions, of several servers or attempts: the one with which the figures add up, if only one does."""
    needed, given, pre = _needed(figures, formula), figures.given, figures.quantities.pre_load
    if needed is None or given is None or pre is None or figures.quantities.cap_tokens is not None:
        return figures, []
    fitting = [one for one in figures.named if abs(one - needed) * pre <= tolerance]
    if len(fitting) != 1 or fitting[0] == given:
        return figures, []
    text = f"of the fractions that the log names, {', '.join(f'{one:g}' for one in figures.named)}, only {fitting[0]:g} fits this start"
    return _with(figures, fitting[0]), [Explanation("fraction", fitting[0], text)]


def _told(scale: Scale, given: float) -> Explanation:
    when = f", done when {scale.when}" if scale.when else ""
    text = f"the log says that the fraction was adjusted: {given:g} x {scale.factor:g} = {given * scale.factor:.4f}{when}"
    return Explanation("scale", scale.factor, text, scale.path, scale.line)


def _needed(figures: Figures, formula: BudgetFormula) -> float | None:
    """The fraction that would give the pools their size."""
    found = figures.quantities
    reported = found.budget if found.budget is not None else found.kv
    if found.pre_load is None or found.post_load is None or reported is None:
        return None
    return formula.fraction(found.post_load, found.pre_load, reported)


def _with(figures: Figures, fraction: float) -> Figures:
    return msgspec.structs.replace(figures, quantities=msgspec.structs.replace(figures.quantities, fraction=fraction))
