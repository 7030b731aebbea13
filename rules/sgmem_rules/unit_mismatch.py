"""SGM101: amounts that are added, subtracted or compared although their units disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, Strength, is_mixed_thousands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Confidence, Facts, Side, UnitMismatch


class UnitMismatchRule(Rule):
    name = "unit-mismatch"
    code = "SGM101"
    severity = "error"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.unit_mismatches():
            if found.details.kind == "scope":
                continue  # whose amount it is, is another question than in what it is counted
            if found.details.kind == "scale" and is_mixed_thousands(found.left.evidence.unit / found.right.evidence.unit):
                continue  # decimal-and-binary says it
            yield Report(
                location=found.operation,
                message=message(found),
                confidence=confidence(found),
                steps=(origin(found.left), origin(found.right), Point(found.operation, "they meet here")),
                fix=fix(found),
            )


def message(found: UnitMismatch) -> str:
    left, right = found.left, found.right
    sides = f"{left.text} is in {left.evidence.unit}, {right.text} in {right.evidence.unit}"
    if found.details.kind == "dimension":
        return f"{sides}: they count different things and meet in one expression"
    return f"{sides}: {found.details.text}"


def origin(side: Side) -> Point:
    """Where the unit of a side comes from; the root of the evidence says why."""
    root = side.evidence.chain()[-1]
    return Point(side.origin, f"{side.text} is in {side.evidence.unit}: {root.why}")


def confidence(found: UnitMismatch) -> Confidence:
    """Names spell units less surely than functions and conversions give them."""
    named = any(side.evidence.strength <= Strength.SUFFIX for side in (found.left, found.right))
    return "medium" if named else "high"


def fix(found: UnitMismatch) -> str | None:
    if found.details.kind != "scale":
        return None
    return f"convert one side, so that both are in {found.left.evidence.unit} or both in {found.right.evidence.unit}"
