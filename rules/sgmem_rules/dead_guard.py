"""SGM202: a check of memory that cannot fail, because it compares a rank with the minimum over ranks the wrong way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import DeadGuard, Facts


class DeadGuardRule(Rule):
    name = "dead-guard"
    code = "SGM202"
    severity = "error"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.dead_guards():
            yield Report(
                location=found.test,
                message=message(found),
                steps=(
                    Point(found.own.gauge.location, f"{found.own.text} is what this rank reads"),
                    Point(found.least.gauge.location, f"{found.least.text} is the least of all ranks, this one included"),
                    Point(found.test, "they are compared here"),
                ),
                fix=f"compare the other way round: the least ({found.least.text}) against this rank's own ({found.own.text})",
            )


def message(found: DeadGuard) -> str:
    fate = "always holds" if found.always else "can never be true"
    return (
        f"{found.test.code} {fate}: {found.least.text} is the minimum over ranks, which is never more than "
        f"{found.own.text}, the reading of one of them; unequal ranks pass unseen"
    )
