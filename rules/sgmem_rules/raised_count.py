"""SGM203: a count of tokens that was divided out of a memory budget is raised afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, raised_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class RaisedCountRule(Rule):
    name = "raised-count"
    code = "SGM203"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in raised_counts(facts):
            name = found.name.rpartition(".")[2]
            added = " + ".join(found.added)
            points = [
                Point(found.derived, f"{name} is what fits into the budget, divided out here"),
                Point(found.sum, f"{added} is added to it"),
            ]
            if found.store != found.sum:
                points.append(Point(found.store, f"the sum becomes {name}, which sizes what is allocated"))
            yield Report(
                location=found.sum,
                message=f"{name} was divided out of a memory budget and is raised by {added} afterwards; "
                "what is allocated for it is more than there is room for",
                steps=tuple(points),
                fix="take the room for it off the budget before the division",
            )
