"""SGM301: one formula combines readings of a memory gauge from before and after something that allocates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import EventSite, Facts, Formula, Location, MeasuredInput, MixedTimes, Passage

SHOWN = 3
"""Events that the message names; the steps show all."""


class MixedMeasurementTimes(Rule):
    name = "mixed-measurement-times"
    code = "SGM301"
    severity = "note"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        seen: set[tuple[Location, Location, str]] = set()
        for formula in facts.formulas:
            mixed = formula.mixed_times
            if mixed is None:
                continue
            pair = (mixed.earlier.gauge.location, mixed.later.gauge.location, formula.location.symbol)
            if pair not in seen:  # the formulas that follow from the first say the same again
                seen.add(pair)
                yield report(formula, mixed)


def report(formula: Formula, mixed: MixedTimes) -> Report:
    earlier, later = mixed.earlier, mixed.later
    between = names([event for event in mixed.events if event.always])
    return Report(
        location=formula.location,
        message=(
            f"{formula.target} combines {earlier.name}, measured before {between}, with {later.name}, measured after: "
            f"what is allocated in between counts in only one of them"
        ),
        confidence="high" if mixed.certain else "medium",
        steps=(
            measured(earlier),
            *(step(passage) for passage in mixed.passages),
            measured(later),
            Point(formula.location, f"{formula.target} combines both"),
        ),
        key=formula.text,
    )


def measured(one: MeasuredInput) -> Point:
    return Point(one.gauge.location, f"{one.name} is measured here: {one.gauge.frame.text}")


def step(passage: Passage) -> Point:
    event = passage.event
    if event is None:
        name = passage.name
        said = f"returned by {name}" if name.endswith("()") else f"kept as {name}" if ":" in name else f"handed on as {name}"
        return Point(passage.location, said)
    through = f" (called by {event.via})" if event.via else ""
    when = "" if event.always else f", when {event.when}"
    return Point(passage.location, f"{event.name} {event.row.effect} device memory in between{through}{when}")


def names(events: list[EventSite]) -> str:
    found = list(dict.fromkeys(event.name for event in events))
    if len(found) > SHOWN:
        return f"{', '.join(found[:SHOWN])} and {len(found) - SHOWN} more"
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
