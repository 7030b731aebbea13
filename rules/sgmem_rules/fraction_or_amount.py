"""SGM105: a share that is given an amount of memory, or an amount that is given a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, is_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Contradiction, Facts


class FractionOrAmount(Rule):
    name = "fraction-or-amount"
    code = "SGM105"
    severity = "error"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.unit_contradictions:
            if is_share(found):
                yield report(found)


def report(found: Contradiction) -> Report:
    claim, value = found.claim, found.value
    root = value.evidence.chain()[-1]
    what = f"{claim.subject} is a share" if claim.evidence.unit.fraction else f"{claim.subject} is an amount"
    given = "a share of a whole" if value.evidence.unit.fraction else f"an amount in {value.evidence.unit}"
    return Report(
        location=claim.at,
        message=f"{what}, and {value.text} is {given}",
        confidence="medium",
        steps=(Point(value.origin, f"{value.text} is {given}: {root.why}"), Point(claim.at, f"it is given to {claim.subject}")),
        fix="divide the amount by the total" if claim.evidence.unit.fraction else "multiply the share by the total",
    )
