"""SGM104: one formula takes 10**9 bytes and 2**30 bytes for the same gigabyte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, is_mixed_thousands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, LostConversion, UnitMismatch


class DecimalAndBinary(Rule):
    name = "decimal-and-binary"
    code = "SGM104"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for mixed in facts.unit_mismatches():
            if mixed.details.kind == "scale" and is_mixed_thousands(mixed.left.evidence.unit / mixed.right.evidence.unit):
                yield of_sum(mixed)
        for lost in facts.lost_conversions:
            if is_mixed_thousands(lost.evidence.unit):
                yield of_product(lost)


def of_sum(found: UnitMismatch) -> Report:
    left, right = found.left, found.right
    sides = f"{left.text} is in {left.evidence.unit}, {right.text} in {right.evidence.unit}"
    return Report(
        location=found.operation,
        message=f"{sides}: 1000 and 1024 are mixed, which is 7 % off at a gigabyte",
        confidence="high",
        steps=(
            *(Point(side.origin, f"{side.text} is in {side.evidence.unit}") for side in (left, right)),
            Point(found.operation, "they meet here"),
        ),
        fix="use one base for both",
    )


def of_product(found: LostConversion) -> Report:
    parts = "; ".join(f"{part.text} is in {part.evidence.unit}" for part in found.parts[:3])
    return Report(
        location=found.location,
        message=f"{found.location.code} mixes powers of 1000 and of 1024{f': {parts}' if parts else ''}",
        confidence="medium",
        steps=(
            *(Point(part.origin, f"{part.text} is in {part.evidence.unit}") for part in found.parts),
            Point(found.location, "it is converted with the other base here"),
        ),
        fix="convert with the base that the value has",
    )
