"""SGM303: a budget is worked out of the memory that is free before all weights are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, early_readings, late_loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import EarlyReading, Facts, Later, Location


class LateLoadRule(Rule):
    name = "late-load"
    code = "SGM303"

    def check(self, facts: Facts) -> Iterator[Report]:
        yield from map(early, early_readings(facts))
        for found in late_loads(facts):
            nearest, farthest = found.later[0], found.later[-1]
            loading = farthest.loading.stops[0]
            at = found.after_own or nearest.sizing.stops[-1]
            certain = farthest.sizing.certain and farthest.loading.certain
            yield Report(
                location=at,
                message=f"{found.target} is worked out of {found.reading_name} before {called(loading)} loads more weights"
                f"{condition(farthest)}: the budget is not charged for them",
                confidence="high" if certain else "medium",
                steps=(
                    Point(found.reading, f"{found.reading_name} is read here"),
                    Point(found.formula, f"{found.target} is worked out of it"),
                    Point(at, "this leads there, after the worker's own weights are loaded" if found.after_own else "this leads there"),
                    *(point for later in found.later for point in steps(later, at)),
                ),
                fix="load all weights first, then measure and size the pools",
                key=found.target,
            )


def early(found: EarlyReading) -> Report:
    load = found.load
    return Report(
        location=found.formula,
        message=f"{found.target} goes by {found.name}, which is read before {load.name} loads weights, and by nothing that is read "
        "afterwards: the budget is not charged for them",
        confidence="high" if found.certain else "medium",
        steps=(
            Point(found.reading, f"{found.name} is read here"),
            Point(load.location, f"{load.name} loads weights in between"),
            Point(found.formula, f"{found.target} is worked out of {found.name} as it was before"),
        ),
        fix="measure again once the weights are loaded",
        key=found.target,
    )


def steps(later: Later, at: Location) -> Iterator[Point]:
    sizing, loading = later.sizing.stops[0], later.loading.stops[0]
    if sizing != at:
        yield Point(sizing, f"{sizing.function} comes to it here")
    if later.loading.stops[-1] != loading:
        yield Point(later.loading.stops[-1], "weights are loaded here")
    yield Point(loading, f"and {loading.function} comes to that only here{condition(later)}")


def called(location: Location) -> str:
    return location.code.partition("(")[0]


def condition(later: Later) -> str:
    return f", when {later.when}" if later.when and later.when != "on some ways" else ""
