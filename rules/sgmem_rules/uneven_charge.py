"""SGM132: a budget of tokens is compared with whole pages and charged with the bare tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, uneven_charges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UnevenChargeRule(Rule):
    name = "uneven-charge"
    code = "SGM132"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in uneven_charges(facts.program, facts.order):
            yield Report(
                location=found.bare,
                message=f"{found.bare.code} is taken off {found.budget} as it is; where {found.budget} is compared, the amount is "
                "rounded up to pages, as when it is allocated: the budget says more than there is",
                steps=(
                    Point(found.rounded, "rounded up to pages"),
                    Point(found.compared, f"compared with {found.budget}"),
                    Point(found.bare, "taken off without being rounded"),
                ),
                fix="round it up to pages before it is taken off",
                confidence="medium",
                key=f"{found.budget} {found.bare.code}",
            )
