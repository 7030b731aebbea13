"""SGM304: one pass works a quantity out of a setting, or checks it, and a later one changes the setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, early_checks, early_reads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts

_DONE = {"scaled": "scales it", "limited": "limits it", "reduced": "works it out anew", "replaced": "replaces it"}


class EarlyReadRule(Rule):
    name = "early-read"
    code = "SGM304"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in early_reads(facts):
            done = _DONE.get(found.how, "changes it")
            yield Report(
                location=found.reading,
                message=f"{found.kept} is worked out of {found.name} before {found.changed.function} {done}: it goes by a value that "
                "nothing else will see",
                persona="regular" if found.how == "scaled" and not found.own else "pedantic",
                confidence="high" if found.certain and not found.own else "medium",
                steps=(
                    Point(found.reading, f"this comes first, and reads {found.name} in {found.read.function}"),
                    Point(found.read, f"{found.name} is read here"),
                    Point(found.stored, f"{found.kept} is worked out of it"),
                    Point(found.changing, f"this comes later, and leads to a change of {found.name}"),
                    Point(found.changed, f"{found.changed.function} {done} here; {found.kept} stays as it was"),
                ),
                fix=f"change {found.name} before {found.kept} is worked out, or work {found.kept} out again afterwards",
                key=f"{found.name} {found.kept}",
            )
        for check in early_checks(facts):
            done = _DONE.get(check.how, "changes it")
            yield Report(
                location=check.test,
                message=f"{check.name} is held against {check.other} here, and {check.changed.function} {done} afterwards, line "
                f"{check.changed.line}: what is used was never checked",
                confidence="medium",
                steps=(
                    Point(check.test, f"{check.name} and {check.other} are checked here"),
                    Point(check.changed, f"this comes later, and {done}"),
                ),
                fix=f"check {check.name} against {check.other} after its last change",
                key=f"{check.name} {check.other} checked",
            )
