"""SGM422: a method that overrides a budget's does not take off what its parent does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, dropped_subtractions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class DroppedSubtractionRule(Rule):
    name = "dropped-subtraction"
    code = "SGM422"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in dropped_subtractions(facts):
            yield Report(
                location=found.result,
                message=f"{found.child}.{found.method} overrides {found.parent}.{found.method} and does not take {found.term} off "
                f"{found.budget}, as its parent does",
                steps=(
                    Point(found.deduction, f"{found.parent} takes {found.term} off {found.budget}"),
                    Point(found.result, f"{found.child} gives back an amount from which it is not taken off, and never asks super()"),
                ),
                fix=f"call super().{found.method}(), or take {found.term} off as well",
                key=f"{found.child}.{found.method}.{found.term}",
            )
