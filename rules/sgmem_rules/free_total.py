"""SGM306: memory that was free at one time is called the total."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, free_totals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class FreeTotalRule(Rule):
    name = "free-total"
    code = "SGM306"
    severity = "note"
    persona = "pedantic"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in free_totals(facts):
            yield Report(
                location=found.used,
                message=f"{found.name} is not a total: it is what was free when it was read ({found.when}), so that whatever was taken "
                "before is missing from it",
                confidence="high",
                steps=(
                    Point(found.reading, f"this reading becomes {found.name}: {found.when}"),
                    Point(found.used, f"{found.name} is used as a total here"),
                ),
                fix="name it for what it is and when it was read, such as free_before_loading, or read the total",
                key=found.name,
            )
