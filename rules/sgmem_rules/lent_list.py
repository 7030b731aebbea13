"""SGM404: a list that the user gave is changed in place through another name for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class LentListRule(Rule):
    name = "lent-list"
    code = "SGM404"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.lent_lists():
            yield Report(
                location=found.change,
                message=f"{found.name} is {found.setting} itself, not a copy: what is changed here is changed for everyone who reads "
                "the setting, and once more each time this runs",
                steps=(
                    Point(found.lent, "another name for the list of the record"),
                    Point(found.change, "the list is changed in place"),
                ),
                fix=f"start from list({found.setting})",
            )
