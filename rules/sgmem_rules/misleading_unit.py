"""SGM103: a name, a label or a function that says another unit than its value has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, Strength, is_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Confidence, Contradiction, Facts

_SAID = {
    "name": "is kept as {subject}, which says {unit}",
    "label": "is printed as {subject}",
    "result": "is what {subject} gives, which should be {unit}",
    "docstring": "is {subject} of the docstring, which says {unit}",
}


class MisleadingUnit(Rule):
    name = "misleading-unit"
    code = "SGM103"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.unit_contradictions:
            if found.claim.kind in _SAID and not is_share(found):
                yield report(found)


def report(found: Contradiction) -> Report:
    claim, value = found.claim, found.value
    said = _SAID[claim.kind].format(subject=claim.subject, unit=claim.evidence.unit)
    root = value.evidence.chain()[-1]
    return Report(
        location=claim.at,
        message=f"{value.text} is in {value.evidence.unit} and {said}",
        confidence=confidence(found),
        steps=(
            Point(value.origin, f"{value.text} is in {value.evidence.unit}: {root.why}"),
            Point(claim.at, f"it {said}"),
        ),
        fix=f"convert it to {claim.evidence.unit}, or say {value.evidence.unit}",
    )


def confidence(found: Contradiction) -> Confidence:
    return "high" if found.value.evidence.strength >= Strength.CONVERSION else "medium"
