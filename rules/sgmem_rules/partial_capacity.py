"""SGM122: one request is limited by the capacity of one pool where each of its tokens takes a place in two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, partial_capacities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class PartialCapacityRule(Rule):
    name = "partial-capacity"
    code = "SGM122"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in partial_capacities(facts):
            yield Report(
                location=found.limit,
                message=f"{found.total} may be {found.part} alone, and {found.other}, which can be less, does not limit it: a request "
                "that fits the first never gets its places in the second",
                confidence="medium",
                steps=(
                    Point(found.both, f"a pool of two parts: {found.part} and {found.other}"),
                    Point(found.taken, f"{found.total} is {found.part} from here on"),
                    Point(found.limit, "one request is limited by it"),
                ),
                fix=f"limit the request by the smaller of {found.part} and {found.other}",
            )
