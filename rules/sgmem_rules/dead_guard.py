"""SGM202: a check of memory that cannot fail: ranks compared the wrong way round, or a value that was clamped before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, dead_guards, settled_guards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import DeadGuard, Facts


_HOW = {
    "clamped": "is kept from being less",
    "replaced": "is given another value where it has none",
    "calculated": "is the result of a calculation",
    "equal": "is made equal to what it is compared with",
}


class DeadGuardRule(Rule):
    name = "dead-guard"
    code = "SGM202"
    severity = "error"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in dead_guards(facts):
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
        for settled in settled_guards(facts):
            fate = "always holds" if settled.always else "can never be true"
            yield Report(
                location=settled.test,
                message=f"{settled.test.code} {fate}: {settled.place} {_HOW[settled.how]}, line {settled.settled.line}, "
                "and what the check is for passes unseen",
                steps=(
                    Point(settled.settled, f"{settled.place} {_HOW[settled.how]} here"),
                    Point(settled.test, "so this always holds" if settled.always else "so this never holds"),
                ),
                fix=f"check before {settled.place} {_HOW[settled.how]}",
            )
        for idle in facts.ranks.idle_settings():
            yield Report(
                location=idle.test,
                message=f"{idle.test.code} holds only where {idle.place} is {idle.value} already: setting it to {idle.value} changes "
                "nothing, and what should be changed passes unseen",
                steps=(
                    Point(idle.test, f"{idle.place} is {idle.value} wherever this holds"),
                    Point(idle.setting, f"and is set to {idle.value} here"),
                ),
                fix="ask the other way round",
            )


def message(found: DeadGuard) -> str:
    fate = "always holds" if found.always else "can never be true"
    return (
        f"{found.test.code} {fate}: {found.least.text} is the minimum over ranks, which is never more than "
        f"{found.own.text}, the reading of one of them; unequal ranks pass unseen"
    )
