"""What was observed against what the inputs give, and which single input would explain the difference."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra.forms import Unsupported
from sgmem.queries.explain.constants import Constants
from sgmem.queries.explain.rows import as_number
from sgmem.queries.explain.run import names_of
from sgmem.queries.results.explain import Explanation, Observed

if TYPE_CHECKING:
    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.values import Input
    from sgmem.domains.ranges.observed import Range
    from sgmem.domains.units.unit import Unit
    from sgmem.queries.explain.given import Given
    from sgmem.queries.explain.meaning import Meanings
    from sgmem.queries.explain.run import Run
    from sgmem.queries.explain.solving import Solution, Solver
    from sgmem.queries.results.explain import CodePlace, Number

MAX_SITES = 6


def observe(
    context: Context,
    meanings: Meanings,
    run: Run,
    solver: Solver,
    limits: Range | None,
    observed: Given | None,
    unit: str | None,
    unit_of: Callable[[str, Run], Unit | None],
) -> Observed | None:
    """Compare an observed value with the run; None where nothing was observed."""
    if observed is None:
        return None
    assert isinstance(observed.value, Fraction)
    wanted = (observed.low, observed.high)
    consistent = None if limits is None else limits[0] <= wanted[1] and wanted[0] <= limits[1]
    found: list[tuple[tuple[int, ...], Explanation]] = []
    without: list[str] = []
    missing = run.missing
    names = missing if len(missing) == 1 else () if missing or consistent else _candidates(run, meanings)
    for position, name in enumerate(names):
        row = run.machine.inputs.all[name]
        try:
            solution = solver.explain(name, observed.value, wanted)
        except Unsupported as error:
            if row.given is not None or name in missing:
                without.append(error.reason if name in error.reason else f"{name}: {error.reason}")
            continue
        unit_here = unit_of(name, run)
        explanation = _explanation(context, meanings, row, solution, unit_here)
        if row.given is None and name not in missing and not explanation.plausible:
            continue
        rank = (not explanation.written_at, not explanation.plausible, row.given is None, meanings.option(row) is None, position)
        found.append((tuple(map(int, rank)), explanation))
    ranked = tuple(explanation for _, explanation in sorted(found, key=lambda one: one[0]))
    return Observed(_exact(observed.value), _exact(observed.low), _exact(observed.high), unit, consistent, ranked, tuple(without))


def _candidates(run: Run, meanings: Meanings) -> tuple[str, ...]:
    """The inputs that may be wrong: those given, and options left at their defaults."""
    names = names_of(run.value.expr) if run.value is not None else ()
    rows = run.machine.inputs.all
    aside = [name for name, row in rows.items() if row.given is not None and run.value is not None and name in run.value.inputs]
    return tuple(
        name
        for name in dict.fromkeys((*names, *aside))
        if name in rows and (rows[name].given is not None or meanings.option(rows[name]) is not None)
    )


def _explanation(context: Context, meanings: Meanings, row: Input, solution: Solution, unit: Unit | None) -> Explanation:
    value, low, high = solution.value, solution.low, solution.high
    note = ""
    plausible = True
    if _is_whole(row, unit, meanings):
        nearest = Fraction(round(value))
        if low <= nearest <= high:
            value = nearest
        else:
            plausible, note = False, "it would not be a whole number"
    if unit is not None and unit.fraction and not 0 < value <= 1:
        plausible, note = False, "it would not be a share of a whole"
    elif unit is not None and not unit.dimensionless and value < 0:
        plausible, note = False, "it would be negative"
    sites = _sites(context, meanings, row, low, high, value)
    return Explanation(
        row.name, _exact(value), _exact(low), _exact(high), str(unit) if unit is not None else None, sites, plausible, note
    )


def _is_whole(row: Input, unit: Unit | None, meanings: Meanings) -> bool:
    """Whether the input counts things: by its unit, or, with none, by being an option whose value is whole."""
    if unit is not None:
        return unit.is_count or (unit.is_amount and unit.scale == 1)
    return meanings.option(row) is not None and isinstance(row.known, Fraction) and row.known.denominator == 1


def _sites(context: Context, meanings: Meanings, row: Input, low: Fraction, high: Fraction, value: Fraction) -> tuple[CodePlace, ...]:
    """The constants of the source within the interval, the nearest to the solution first."""
    inside = [one for one in Constants(context).of(row) if low <= one.value <= high]
    inside.sort(key=lambda one: (abs(one.value - value), one.file.path, one.expr.span))
    return tuple(meanings.code_place(Location(one.file, one.statement, one.expr.span), one.when) for one in inside[:MAX_SITES])


def _exact(value: Fraction) -> Number:
    number = as_number(value)
    assert number is not None
    return number
