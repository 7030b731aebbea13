"""SGM305: readings of one gauge that are not taken alike: two that are subtracted, or those of two platforms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, careless_branches, lost_readings, uneven_readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import CarelessBranch, Facts

_CARE = {"empty-cache": "the cache is emptied", "collect": "garbage is collected"}


class UnevenReadingsRule(Rule):
    name = "uneven-readings"
    code = "SGM305"
    severity = "note"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in uneven_readings(facts):
            peak = found.how == "peak"
            care = "the peak is read" if peak else " and ".join(_CARE[one] for one in found.care)
            plain = "the current value is read" if peak else "as it is"
            yield Report(
                location=found.formula,
                message=f"{found.target} subtracts two readings that were not taken alike: {care} for {found.cared_name}, "
                f"and {found.plain_name} is {'the current value' if peak else 'read as it is'}",
                confidence="medium",
                steps=(
                    Point(found.plain, f"{found.plain_name} is read here, {plain}"),
                    Point(found.cared, f"{found.cared_name} is read here: {care}"),
                    Point(found.formula, "their difference is taken for what was used in between"),
                ),
                fix="take both readings in the same way",
                key=found.target,
            )
        for branch in careless_branches(facts):
            yield _of_another_device(branch) if branch.what == "device" else _careless(branch)
        for lost in lost_readings(facts):
            yield Report(
                location=lost.reading,
                message=f"{lost.name} is read here, and anew in line {lost.replaced.line} whatever held here: what was read is lost",
                confidence="high",
                steps=(
                    Point(lost.reading, f"{lost.name} is read in this case"),
                    Point(lost.replaced, "this reading takes its place in every case, before anything looked at it"),
                ),
                fix="take the second reading in the other case only",
                key=f"{lost.name} lost",
            )


def _careless(branch: CarelessBranch) -> Report:
    return Report(
        location=branch.reading,
        message=f"{branch.reading.code} is read without a look at {branch.asked}, which other platforms here go by: "
        "what is cached there counts as taken",
        confidence="medium",
        steps=(
            Point(branch.care, f"another platform empties its cache first, if {branch.asked}"),
            Point(branch.reading, "this one is read as it is"),
        ),
        fix=f"empty the cache of this platform too, if {branch.asked}",
        key=branch.reading.code,
    )


def _of_another_device(branch: CarelessBranch) -> Report:
    return Report(
        location=branch.reading,
        message=f"{branch.reading.code} reads the current device, whichever that is; another platform here reads {branch.asked}",
        persona="pedantic",
        confidence="medium",
        steps=(
            Point(branch.care, f"another platform reads {branch.asked}"),
            Point(branch.reading, "this one reads the current device"),
        ),
        fix=f"read {branch.asked}",
        key=f"{branch.reading.code} device",
    )
