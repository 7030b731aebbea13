"""SGM402: a setting is changed in its record after the object that uses it has copied it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ChangeAfterCopy(Rule):
    name = "change-after-copy"
    code = "SGM402"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.setting_changes:
            if found.copied is None:
                continue
            yield Report(
                location=found.location,
                message=f"{found.name} is {found.how} in the record after this object copied it: what it calculates with is the copy, "
                "which stays as it was",
                steps=(
                    Point(found.copied, f"{found.name} is copied here"),
                    Point(found.location, "the record is changed afterwards; the copy is not"),
                ),
                fix="change the copy, or change the record before it is copied",
            )
