"""SGM403: a count that the user may have given is scaled each time its record is built or adapted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class RepeatedScaling(Rule):
    name = "repeated-scaling"
    code = "SGM403"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.setting_changes:
            if found.in_place and found.again and not found.share:
                yield Report(
                    location=found.location,
                    message=f"{found.name} is {found.how} in place: when the record is built again from itself, or a second object "
                    f"does the same, it is {found.how} twice",
                    steps=(Point(found.location, "the result takes the place of what it was calculated from"),),
                    fix="keep what was given, and store the result under a name of its own",
                    persona="pedantic" if found.beside else "regular",
                )
