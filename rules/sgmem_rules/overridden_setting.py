"""SGM401: a setting that the user may have given is scaled or replaced without asking whether it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, unguarded_defaults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import DefaultGuard, Facts, Persona, SettingChange, UnguardedDefault


REGULAR = ("calculated", "raised")
"""Changes that put something else in the place of what the user gave."""
SEVERE = ("scaled", "reduced", "increased", "replaced")
"""Changes of a share or an amount that nobody who gave one expects."""


class OverriddenSetting(Rule):
    name = "overridden-setting"
    code = "SGM401"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        told: set[tuple[str, int]] = set()
        for found in facts.setting_changes:
            if found.in_place and found.again and not found.share:
                continue  # see repeated-scaling
            told.add((found.location.path, found.location.line))
            flag = f"--{found.name.replace('_', '-')}"
            done = f"{found.how} anew" if found.how in ("calculated", "derived") else found.how
            again = ", and once more wherever it runs again" if found.in_place and found.again else ""
            where = f"although the user may have given it with {flag}: nothing asks whether it is None"
            if found.given and not found.in_place:
                where = f"just where the user gave it with {flag}: the condition is the wrong way round"
            yield Report(
                location=found.location,
                message=f"{found.name} is {done} {where}{again}",
                steps=(Point(found.location, f"{done} here, whatever {flag} said"),),
                fix=f"do it only where {found.name} is None and a default is chosen",
                persona=persona(found),
                confidence="high" if found.share else "low" if found.told else "medium",
            )
        for guard in facts.ranks.default_guards():
            yield _by_default(guard)
        for default in unguarded_defaults(facts):
            if (default.location.path, default.location.line) not in told:
                yield _unlike_others(default)


def _by_default(found: DefaultGuard) -> Report:
    flag = f"--{found.name.replace('_', '-')}"
    return Report(
        location=found.change,
        message=f"{found.name} is replaced where it is {found.default}, its default: a user who gives {flag} {found.default} is taken "
        "for one who gave nothing",
        steps=(
            Point(found.declared, f"the default is {found.default}, not None"),
            Point(found.test, "the test cannot tell what was given from what was not"),
            Point(found.change, f"replaced here, although {flag} may have said {found.default}"),
        ),
        fix=f"declare {found.name} with None, and choose the default where it is None",
        confidence="medium",
    )


def _unlike_others(found: UnguardedDefault) -> Report:
    return Report(
        location=found.location,
        message=f"{found.name} is set to {found.value} whatever was given, and in the other branches only where it is None",
        steps=(
            *(Point(one, "set only where it is None") for one in found.guarded[:2]),
            Point(found.location, "set here without a question"),
        ),
        fix=f"ask whether {found.name} is None here too",
        confidence="medium",
    )


def persona(found: SettingChange) -> Persona:
    if not found.beside and (found.how in REGULAR or (found.share and found.how in SEVERE)):
        return "pedantic" if found.told and found.how == "calculated" else "regular"
    return "regular" if found.how == "replaced" and found.optional and not found.told and not found.beside else "pedantic"
