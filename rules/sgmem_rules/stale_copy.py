"""SGM302: a budget or capacity is copied, then changed, and what follows still goes by the copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, same_readings, stale_copies, stale_results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, LaterChange, SameReading, StaleResult

_DONE = {
    "scaled": "is scaled",
    "limited": "is limited",
    "aligned": "is rounded",
    "reduced": "is worked out anew from itself",
    "replaced": "is replaced",
}


class StaleCopyRule(Rule):
    name = "stale-copy"
    code = "SGM302"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in stale_copies(facts):
            source = found.source.rpartition(".")[2]
            first = found.changes[0]
            done = _DONE[first.how]
            yield Report(
                location=found.taken,
                message=f"{found.copy} keeps {source} as it was before it {done}: what goes by the copy and what goes by {source} "
                "no longer agree",
                confidence="high" if found.certain else "medium",
                persona="regular" if found.certain else "pedantic",
                steps=(
                    Point(found.taken, f"{source} is copied to {found.copy} here"),
                    *(point for change in found.changes for point in changed(source, change)),
                    Point(found.used, f"{found.copy} is used here, with the earlier value"),
                ),
                fix=f"copy {source} after the last change",
            )
        yield from map(of_the_replaced, stale_results(facts))
        yield from map(one_reading, same_readings(facts))


def of_the_replaced(found: StaleResult) -> Report:
    source = found.source.rpartition(".")[2]
    return Report(
        location=found.made,
        message=f"{found.result} is worked out of {source}, in whose place line {found.replaced.line} puts something else: what goes "
        f"by {found.result} and what goes by {source} no longer agree",
        confidence="medium",
        persona="regular" if found.known else "pedantic",
        steps=(
            Point(found.made, f"{found.result} is worked out of {source} here"),
            Point(found.replaced, f"{source} is replaced here"),
            Point(found.used, f"{found.result} is used here, worked out of the earlier {source}"),
        ),
        fix=f"work {found.result} out after the last change of {source}",
    )


def one_reading(found: SameReading) -> Report:
    first, second = found.names
    what = "the comparison has always the same outcome" if found.compared else "their difference is always 0"
    use = "they are compared as if they could differ" if found.compared else "their difference is taken for what was used in between"
    return Report(
        location=found.formula,
        message=f"{first} and {second} hold one reading: {what}, whatever was taken in between",
        confidence="high",
        steps=(
            Point(found.reading, f"{first} and {second} are read here, once"),
            Point(found.formula, use),
        ),
        fix="measure again for the second",
    )


def changed(source: str, change: LaterChange) -> Iterator[Point]:
    if change.via is not None:
        yield Point(change.via, f"this call leads to a change of {source}")
    yield Point(change.location, f"{source} {_DONE[change.how]} here")
