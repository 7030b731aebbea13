"""SGM213: an error message that tells of another value than the one its check has tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, told_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class MisleadingMessage(Rule):
    name = "misleading-message"
    code = "SGM213"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in told_values(facts):
            if found.kind == "part":
                yield Report(
                    location=found.test,
                    message=f"{found.test.code} is what is tested, and the message shows {found.told} instead of {found.tested}: "
                    "the numbers it prints need not show what is wrong",
                    steps=(
                        Point(found.test, f"{found.tested} is compared here"),
                        Point(found.raised, f"{found.told} is told here, as if it were the bound"),
                    ),
                    fix=f"show {found.tested}, or say what is taken off {found.told}",
                )
                continue
            again = f", which line {found.before.line} has made sure of already" if found.before is not None else ""
            earlier = (Point(found.before, f"{found.tested} is checked here"),) if found.before is not None else ()
            yield Report(
                location=found.test,
                message=f"the message speaks of {found.told}, and {found.test.code} tests {found.tested}{again}: "
                f"{found.told} is not checked",
                steps=(
                    *earlier,
                    Point(found.raised, f"the message is about {found.told}"),
                    Point(found.test, f"{found.tested} is tested"),
                ),
                fix=f"test {found.told}",
                confidence="high" if found.before is not None else "medium",
            )
