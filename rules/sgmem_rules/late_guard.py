"""SGM210: a check that stands behind what it should keep from happening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, late_guards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, LateGuard

_FATE = {
    "zero": "a zero ends in a ZeroDivisionError there",
    "negative": "a negative size fails or wraps round there",
    "none": "None ends in a TypeError there",
    "empty": "an empty list fails there",
}


class LateGuardRule(Rule):
    name = "late-guard"
    code = "SGM210"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        yield from map(behind_its_use, late_guards(facts))


def behind_its_use(found: LateGuard) -> Report:
    use = found.use
    where = f"line {use.location.line}" if use.location.path == found.test.path else f"{use.location.path}:{use.location.line}"
    points = [Point(found.defined, f"{found.place} gets its value here")] if found.defined is not None else []
    if use.through is not None:
        points.append(Point(use.through, f"it is handed on to {use.location.function}"))
    points.append(Point(use.location, f"{use.place} {use.word} here; {_FATE[use.lack]}"))
    points.append(Point(found.test, "the check comes behind it on every way"))
    return Report(
        location=found.test,
        message=f"{found.test.code} asks too late: {use.place} {use.word} before it, {where}, and {_FATE[use.lack]}",
        steps=tuple(points),
        fix=f"check {found.place} before {use.location.code}",
    )
