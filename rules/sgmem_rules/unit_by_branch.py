"""SGM121: a result or a variable whose unit depends on the branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, branch_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import BranchUnit, Facts


class UnitByBranch(Rule):
    name = "unit-by-branch"
    code = "SGM121"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in branch_units(facts):
            yield report(found)


def report(found: BranchUnit) -> Report:
    first, second = found.first, found.second
    return Report(
        location=second.at,
        message=f"{found.subject} is in {second.evidence.unit} here and in {first.evidence.unit} on another way: {found.details.text}",
        confidence="medium",
        steps=(
            Point(first.at, f"{first.text} is in {first.evidence.unit}: {first.evidence.chain()[-1].why}"),
            Point(second.at, f"{second.text} is in {second.evidence.unit}: {second.evidence.chain()[-1].why}"),
        ),
        fix="give all branches one unit",
        key=found.subject,
    )
