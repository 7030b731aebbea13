"""SGM107: products, quotients and conversions of amounts whose result is in no unit: a conversion is missing or done twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, Strength, is_mixed_thousands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Confidence, Facts, LostConversion


class LostConversionRule(Rule):
    name = "lost-conversion"
    code = "SGM107"
    severity = "error"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.lost_conversions:
            if not is_mixed_thousands(found.evidence.unit):
                yield report(found)


def report(found: LostConversion) -> Report:
    parts = ", ".join(f"{part.text} is in {part.evidence.unit}" for part in found.parts[:3])
    known = f": {parts}" if parts else ""
    return Report(
        location=found.location,
        message=f"{found.location.code} comes out in {found.evidence.unit}, which is no unit{known}; a conversion is missing, "
        "done twice or of the wrong size",
        confidence=confidence(found),
        steps=(*(Point(part.origin, f"{part.text} is in {part.evidence.unit}") for part in found.parts), Point(found.location, "here")),
        fix="convert both to bytes before they are multiplied or divided, and convert once",
    )


def confidence(found: LostConversion) -> Confidence:
    named = any(part.evidence.strength <= Strength.SUFFIX or part.evidence.weak for part in found.parts)
    return "medium" if named or not found.parts else "high"
