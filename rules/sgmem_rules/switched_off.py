"""SGM216: a setting that -1 switches off is calculated with as if it were a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, switched_off

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts

_HOW = {
    "product": "the product is negative then, where a number of things is expected",
    "least": "-1 is the least then, where a number of things is expected",
    "rest": "the rest of -1 is not 0, so the check refuses what means no limit",
    "question": "-1 is not None, so that what is switched off counts as switched on",
}


class SwitchedOffRule(Rule):
    name = "switched-off"
    code = "SGM216"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in switched_off(facts):
            yield Report(
                location=found.use,
                message=f"{found.name} may be -1, which switches it off, and {found.use.code} does not ask for that: {_HOW[found.how]}",
                steps=(Point(found.said, f"-1 is a value of {found.name} here"), Point(found.use, _HOW[found.how])),
                fix=f"ask whether {found.name} is above 0 first, and say what holds without it",
                confidence="high" if found.how == "rest" else "medium",
                persona="pedantic" if found.how == "question" else "regular",
                key=f"{found.name} {found.how}",
            )
