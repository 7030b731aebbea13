"""SGM111: the memory of the whole machine where other platforms read that of one device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, machine_amounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, MachineAmount


class MachineAmountRule(Rule):
    name = "machine-amount"
    code = "SGM111"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in machine_amounts(facts):
            yield report(found)


def report(found: MachineAmount) -> Report:
    return Report(
        location=found.machine,
        message=f"{found.name} is the memory of the whole machine here and that of one device on other platforms: "
        "with several ranks on a machine each of them counts all of it",
        confidence="medium",
        steps=(
            Point(found.device, f"{found.name} is read from one device here"),
            Point(found.machine, f"{found.name} is read from the whole machine here, and not divided"),
        ),
        fix="divide it by the number of ranks, or of memory nodes, that share the machine",
    )
