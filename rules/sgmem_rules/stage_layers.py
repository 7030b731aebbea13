"""SGM114: a pool for the layers of the whole model beside others for those of this pipeline stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, MixedExtent, StageIndex


class StageLayersRule(Rule):
    name = "stage-layers"
    code = "SGM114"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.mixed_extents:
            if found.whole.extent.things == "layers":
                yield report(found)
        for index in facts.ranks.stage_indices():
            yield address(index)


def report(found: MixedExtent) -> Report:
    whole, part = found.whole, found.parts[0]
    stage = "" if part.extent.at == part.value else f" ({part.extent.at.code})"
    return Report(
        location=whole.value,
        message=f"{whole.user} works with the layers of the whole model, {whole.extent.at.code}; {part.user} with those of this "
        f"pipeline stage, {part.value.code}{stage}",
        confidence="high" if len(found.parts) > 1 else "medium",
        steps=(
            Point(part.extent.at, "the layers of this stage"),
            Point(part.value, f"{part.user} works with them"),
            Point(whole.value, f"{whole.user} works with the layers of all stages"),
        ),
        fix=f"take {part.value.code}",
    )


def address(found: StageIndex) -> Report:
    if found.counted:
        message = (
            f"{found.method} counts the layers of this stage from 0 on; {found.off.code} takes {found.first} off, as of a number in "
            "the whole model: on a later stage it addresses others, or none"
        )
    else:
        message = (
            f"{found.method} addresses {found.table} by {found.layer} as it is, and elsewhere {found.first} is taken off it: on a "
            "later stage one of the two addresses other layers, or none"
        )
    return Report(
        location=found.plain,
        message=message,
        persona="regular" if found.counted else "pedantic",
        confidence="medium",
        steps=(Point(found.off, f"{found.first} is taken off"), Point(found.plain, "and here it is not")),
        fix=f"count from {found.first} on" if found.counted else f"take {found.first} off in both places, or in neither",
        key=f"{found.method} {found.table} {found.layer}",
    )
