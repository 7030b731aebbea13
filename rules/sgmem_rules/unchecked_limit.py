"""SGM212: a limit of requests or tokens is divided or subtracted down by a setting, and nothing keeps it above zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UncheckedLimitRule(Rule):
    name = "unchecked-limit"
    code = "SGM212"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.unchecked_limits():
            when = f"{found.by} is not below {found.smaller}" if found.negative else f"{found.smaller} is less than {found.by}"
            what = "0 or less" if found.negative else "0"
            yield Report(
                location=found.stored,
                message=f"{found.name} is {what} when {when}, and nothing checks it: a server with such a limit takes no request, "
                "and does not say why",
                steps=(
                    Point(found.shrunk, f"{what} when {when}"),
                    Point(found.stored, f"it is kept as {found.name}"),
                ),
                fix=f"check {found.name} where it is set, and name the settings that make it too small",
                confidence="medium",
            )
