"""Thresholds of a target, and the single inputs that would explain an observed value. Every answer is checked by running
the formula again with it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.algebra.forms import Unsupported, name, number
from sgmem.domains.algebra.solve import derivative, solve
from sgmem.domains.ranges.observed import Range, range_over
from sgmem.queries.explain.run import Run, at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sgmem.domains.algebra.forms import Ratio
    from sgmem.domains.algebra.lift import Lifted

_OBSERVED = "observed#"
MAX_BRANCHES = 6


class Solution(msgspec.Struct, frozen=True):
    """The value of one input at which the target is as wanted; `low` and `high` as the rounding of the others allows."""

    input: str
    value: Fraction
    low: Fraction
    high: Fraction


class Bound(msgspec.Struct, frozen=True):
    """The target is positive where the input is above (below) `value`."""

    input: str
    relation: Literal["above", "below"]
    value: Fraction


class Solver:
    """Questions about one run. `ranges` are what the given inputs may be; `rerun` runs again with other inputs."""

    def __init__(self, run: Run, ranges: Mapping[str, Range], rerun: Callable[[Mapping[str, Fraction]], Run]) -> None:
        self.run = run
        self.ranges = dict(ranges)
        self.rerun = rerun

    def range_of(self) -> Range | None:
        """The least and greatest value of the target over what its inputs may be; None where that is not known."""
        value = self.run.number
        if value is None:
            return None
        if all(low == high for low, high in self.ranges.values()):
            return value, value
        try:
            lifted = self.run.lifted()
            low, high = range_over(lifted.exact, self._all_ranges(lifted, self.run))
        except (Unsupported, KeyError):
            return None
        return min(low, value), max(high, value)

    def _all_ranges(self, lifted: Lifted, run: Run) -> dict[str, Range]:
        """What every name of the exact form may be; the steps of rounding included."""
        known: dict[str, Range] = {symbol: (value, value) for symbol, value in run.numbers().items()}
        known.update({symbol: limits for symbol, limits in self.ranges.items() if symbol in known})
        known.update({step.name: (step.low, step.high) for step in lifted.roundings})
        return known

    # -- an observed value --------------------------------------------------------------------------------------------

    def explain(self, symbol: str, observed: Fraction, limits: Range) -> Solution:
        """The value of one input at which the target is as observed. Raises Unsupported, with the reason."""
        run = self.run
        tried: set[Fraction] = set()
        for _ in range(MAX_BRANCHES):
            lifted = run.lifted()
            if symbol not in lifted.exact.symbols:
                raise Unsupported(f"{symbol} has no effect on this branch")
            value = self._solved(lifted.value, symbol, number(observed), run)
            run = self.rerun({symbol: value})
            found = run.number
            if found is not None and self._agrees(run, symbol, found, limits):
                low, high = self._interval(lifted, symbol, limits)
                return Solution(symbol, value, min(low, value), max(high, value))
            if value in tried:
                break
            tried.add(value)
        raise Unsupported(f"no value of {symbol} gives it: it would lead to another branch, where it does not")

    def _agrees(self, run: Run, symbol: str, found: Fraction, limits: Range) -> bool:
        if limits[0] <= found <= limits[1]:
            return True
        # Rounding steps of the formula may keep it from being met exactly.
        lifted = run.lifted()
        if not lifted.approximate:
            return False
        value = run.numbers().get(symbol)
        if value is None or any(name not in self._all_ranges(lifted, run) for name in lifted.exact.symbols):
            return False
        low, high = range_over(lifted.exact, self._all_ranges(lifted, run) | {symbol: (value, value)})
        return low <= limits[1] and limits[0] <= high

    def _solved(self, value: Ratio, symbol: str, wanted: Ratio, run: Run) -> Fraction:
        return at(solve(value, symbol, wanted), {other: v for other, v in run.numbers().items() if other != symbol})

    def _interval(self, lifted: Lifted, symbol: str, limits: Range) -> Range:
        """All values of the input for which the numbers can be true."""
        solution = solve(lifted.exact, symbol, name(_OBSERVED))
        ranges = {**self._all_ranges(lifted, self.run), _OBSERVED: limits}
        if all(low == high for low, high in ranges.values()):
            point = at(solution, {other: low for other, (low, _) in ranges.items()})
            return point, point
        return range_over(solution, ranges)

    # -- thresholds ---------------------------------------------------------------------------------------------------

    def bound(self, symbol: str) -> Bound:
        """Where, all else equal, the target turns positive. Raises Unsupported, with the reason."""
        lifted = self.run.lifted()
        value = lifted.value
        if symbol not in value.symbols:
            raise Unsupported(f"{symbol} has no effect on this branch")
        edge = self._solved(value, symbol, number(0), self.run)
        numbers = {**self.run.numbers(), symbol: edge}
        slope = at(derivative(value, symbol), numbers)
        if not slope:
            raise Unsupported(f"{symbol} has no effect on this branch")
        step = max(abs(edge), Fraction(1)) / 10**6
        for side in (1, -1):  # the branch must still be this one on both sides of the edge
            moved = self.rerun({symbol: edge + side * step}).number
            expected = at(value, {**numbers, symbol: edge + side * step})
            if moved is None or abs(moved - expected) > _slack(lifted):
                raise Unsupported(f"no threshold of {symbol} on this branch")
        return Bound(symbol, "above" if slope > 0 else "below", edge)


def _slack(lifted: Lifted) -> Fraction:
    """How far rounding may move the value, generously."""
    total = Fraction(0)
    for step in lifted.roundings:
        size = max(abs(step.low), abs(step.high))
        coefficient = lifted.exact.numerator.coefficients(step.name).get(1)
        factor = coefficient.constant if coefficient is not None else None
        bottom = lifted.exact.denominator.constant
        total += size * abs(factor / bottom) if factor is not None and bottom else size * 10**6
    return total


def shown_safely(value: Fraction, relation: Literal["above", "below"]) -> str:
    """A threshold with few digits, rounded to the side on which the claim stays true."""
    if value.denominator == 1:
        return str(value.numerator)
    digits = 4 if abs(value) < 10 else 2 if abs(value) < 10_000 else 0
    scale = 10**digits
    edge = math.ceil(value * scale) if relation == "above" else math.floor(value * scale)
    return f"{edge / scale:.{digits}f}"
