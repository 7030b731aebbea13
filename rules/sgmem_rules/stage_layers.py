"""SGM114: a pool for the layers of the whole model beside others for those of this pipeline stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, MixedExtent


class StageLayersRule(Rule):
    name = "stage-layers"
    code = "SGM114"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.mixed_extents:
            if found.whole.extent.things == "layers":
                yield report(found)


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
