"""SGM307: free memory is read in a loop over ranks that allocates, so that each rank finds less than the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, loop_readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ReadingByTurns(Rule):
    name = "reading-by-turns"
    code = "SGM307"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in loop_readings(facts):
            yield Report(
                location=found.reading.location,
                message=f"{found.name} is read anew in every round of a loop over ranks, and {found.event.name} allocates in each: "
                "what is free for one is less than what was free for the one before",
                steps=(
                    Point(found.loop, "a round for each rank"),
                    Point(found.event.location, "this allocates, and the next round reads afterwards"),
                    Point(found.used, f"{found.name} is used here"),
                    Point(found.reading.location, f"{found.name} is read here: {found.reading.frame.text}"),
                ),
                fix="read once before the loop, and give each rank its share",
                confidence="high" if found.event.certain else "medium",
            )
