"""SGM116: what one rank asks for, checked against the memory of the whole machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, MachineRequest


class MachineRequestRule(Rule):
    name = "machine-request"
    code = "SGM116"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.machine_requests():
            yield report(found)


def report(found: MachineRequest) -> Report:
    return Report(
        location=found.test,
        message=f"{found.request.code} is what one rank asks for, {found.whole.code} the memory of the whole machine: every rank on "
        "the machine passes this check by itself",
        confidence="high" if found.rank.line >= found.reading.line else "medium",
        steps=(
            Point(found.reading, "the memory of the whole machine"),
            Point(found.rank, f"one rank's: {found.rank_why}"),
            Point(found.test, "one rank's request against the whole machine, not divided by the ranks on it"),
        ),
        fix="divide the machine's memory by the number of ranks on it",
    )
