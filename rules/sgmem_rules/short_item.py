"""SGM131: the bytes of one item are those of a token in one class and those of a page in its sibling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, sibling_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ShortItem(Rule):
    name = "short-item"
    code = "SGM131"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in sibling_sizes(facts.program):
            yield Report(
                location=found.short,
                message=f"{found.name} of {found.owner} holds the bytes of one entry; its sibling multiplies them by "
                f"{found.factor}: who is handed the list takes both for the same thing",
                steps=(
                    Point(found.full, f"{found.name}, multiplied by {found.factor}"),
                    Point(found.short, f"{found.name}, not multiplied by it"),
                ),
                fix=f"multiply by {found.factor}",
                confidence="medium",
                key=f"{found.owner} {found.name}",
            )
