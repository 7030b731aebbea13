"""SGM217: a capacity query asks another gauge in some of the cases in which its tool is of no use, and ends the start in others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, uneven_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UnevenQueryRule(Rule):
    name = "uneven-query"
    code = "SGM217"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in uneven_queries(facts):
            yield Report(
                location=found.failed,
                message=f"{found.query} ends the start here, and asks another gauge in another case, line {found.fallback.line}, in "
                "which its tool is of no use either",
                confidence="medium",
                steps=(
                    Point(found.fallback, "another gauge is asked where the tool prints nothing of use"),
                    Point(found.failed, "the tool fails, or is not there"),
                    Point(found.raised, "the query gives up"),
                ),
                fix="ask the other gauge in every case",
                key=found.query,
            )
