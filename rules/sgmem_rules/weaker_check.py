"""SGM130: a question for room is repeated without the factor by which it was asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, weaker_checks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class WeakerCheckRule(Rule):
    name = "weaker-check"
    code = "SGM130"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in weaker_checks(facts.program):
            yield Report(
                location=found.again,
                message=f"{found.question} is asked without {found.parameter} here; before {found.helper.code} was called for lack of "
                f"room, it was asked with {found.argument.code}: this may be satisfied with less room than is needed",
                steps=(
                    Point(found.argument, f"asked with {found.parameter} first"),
                    Point(found.helper, "called because there is not enough room"),
                    Point(found.again, f"asked again without {found.parameter}"),
                ),
                fix=f"hand {found.parameter} on and ask with it",
                confidence="medium",
                key=f"{found.question} {found.parameter}",
            )
