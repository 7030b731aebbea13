"""SGM205: a fixed number of things, of a size that the model decides, is taken off a measured budget without a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, fixed_reservations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class FixedReservationRule(Rule):
    name = "fixed-reservation"
    code = "SGM205"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in fixed_reservations(facts):
            count, size = found.count.rpartition(".")[2], found.size.rpartition(".")[2]
            yield Report(
                location=found.formula,
                message=f"{found.budget} is negative when {found.number} * {size} is more than it: {count} is fixed at "
                f"{found.number}, whatever the budget is, and nothing checks what is left",
                steps=(
                    Point(found.constant, f"{count} is {found.number} where nobody set it"),
                    Point(found.formula, f"{count} times {size} is taken off {found.budget} here, unchecked"),
                ),
                fix=f"derive {count} from the budget where nobody set it, or check what is left and say by how much it is short",
            )
