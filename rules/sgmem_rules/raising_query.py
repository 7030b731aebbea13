"""SGM209: a capacity query raises when a tool's output cannot be read, though not to know is an answer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, raising_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class RaisingQueryRule(Rule):
    name = "raising-query"
    code = "SGM209"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in raising_queries(facts):
            yield Report(
                location=found.test,
                message=f"{found.query} raises when nothing of {found.values} can be read, as on a partitioned card: the start "
                "ends here, though another gauge could be asked, or None returned, which callers provide for",
                confidence="medium",
                steps=(
                    Point(found.parsed, f"{found.values} leaves out what does not look like a number"),
                    Point(found.test, "nothing may be left"),
                    Point(found.raised, "the query gives up"),
                ),
                fix="ask the device itself, or return None",
            )
