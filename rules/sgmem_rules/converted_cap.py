"""SGM118: a limit that the user gave, applied to a count that is converted afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import ConvertedCap, Facts


class ConvertedCapRule(Rule):
    name = "converted-cap"
    code = "SGM118"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.converted_caps():
            yield report(found)


def report(found: ConvertedCap) -> Report:
    cap = found.cap
    return Report(
        location=found.conversion,
        message=f"{cap.limit} limits {cap.name} before it is converted, by {found.by}: the result that takes its place can be larger "
        "than the limit",
        confidence="medium",
        steps=(
            Point(cap.at, f"limited to {cap.limit}"),
            *(Point(hop, "handed on as it is limited") for hop in found.via),
            Point(found.conversion, f"converted by {found.by}, and not limited again"),
        ),
        fix=f"apply {cap.limit} to the converted count, or convert the limit as well",
        key=cap.limit,
    )
