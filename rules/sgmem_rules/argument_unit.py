"""SGM102: an argument that is in another unit than the parameter it fills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, Strength, is_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Confidence, Contradiction, Facts


class ArgumentUnit(Rule):
    name = "argument-unit"
    code = "SGM102"
    severity = "error"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.unit_contradictions:
            if found.claim.kind in ("parameter", "size") and not is_share(found):
                yield report(found)
        yield from map(report, facts.sibling_arguments())


def report(found: Contradiction) -> Report:
    claim, value = found.claim, found.value
    wants = "the shape of a tensor counts elements" if claim.kind == "size" else f"{claim.subject} is for {claim.evidence.unit}"
    root = value.evidence.chain()[-1]
    return Report(
        location=claim.at,
        message=f"{value.text} is in {value.evidence.unit}, and {wants}",
        confidence=confidence(found),
        steps=(
            Point(value.origin, f"{value.text} is in {value.evidence.unit}: {root.why}"),
            *((Point(found.elsewhere, f"another call hands it on in {claim.evidence.unit}"),) if found.elsewhere is not None else ()),
            Point(claim.at, f"it is handed on: {wants}"),
        ),
        fix="convert the argument" if claim.kind == "size" else f"convert the argument to {claim.evidence.unit}",
    )


def confidence(found: Contradiction) -> Confidence:
    return "high" if found.value.evidence.strength >= Strength.CONVERSION else "medium"
