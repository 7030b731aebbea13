"""SGM210: a check that stands behind what it should keep from happening, or asks only what was calculated from the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, late_guards, late_images

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, LateGuard, LateImage

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
        told = set()
        for found in late_guards(facts):
            told.add((found.test.path, found.test.line))
            yield behind_its_use(found)
        for image in late_images(facts):
            if (image.check.location.path, image.check.location.line) not in told:
                yield of_an_image(image)


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


def of_an_image(found: LateImage) -> Report:
    """A count that is only kept until it is checked does no harm yet: negative-budget tells of its formula already."""
    formula, check, sink = found.formula, found.check, found.sink
    condition = (formula.negative.condition or "").replace("self.", "")
    hops = [Point(hop, "it is carried on here") for hop in sink.hops if hop not in (formula.location, check.location)]
    return Report(
        location=check.location,
        message=f"{check.text} is the first check of {formula.target}, {check.images} calculations on and after it became {sink.name}: "
        f"it can tell that something went wrong, but not that {condition}",
        steps=(
            Point(formula.location, f"{formula.target} is negative when {condition}"),
            *hops,
            Point(sink.location, f"it becomes {sink.name}, unchecked"),
            Point(check.location, f"what came of it is checked here, after {check.images} calculations"),
        ),
        fix=f"check {formula.target} where it is calculated, and say by how much it is short",
        persona="pedantic" if sink.kind == "tokens" else "regular",
        key=f"{formula.target} {check.text}",
    )
