"""SGM117: an index of devices or processes whose stride does not step over all ranks within it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, OverlappingStride, ShortProduct


class OverlappingStrideRule(Rule):
    name = "overlapping-stride"
    code = "SGM117"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.overlapping_strides():
            yield report(found)
        for short in facts.ranks.short_strides():
            yield short_report(short)


def report(found: OverlappingStride) -> Report:
    lacks = f"the size of the {found.missing}" if found.is_group else found.missing
    return Report(
        location=found.stride,
        message=f"{found.stride.code} does not step over all ranks numbered by {found.inner.code}: it lacks {lacks}, so two ranks get "
        f"the same {found.target}",
        confidence="high" if found.is_group else "medium",
        steps=(
            Point(found.inner, f"ranks within the stride, a part of {found.target}"),
            Point(found.stride, f"the stride, without {lacks}"),
        ),
        fix=f"multiply the stride by {lacks}",
    )


def short_report(found: ShortProduct) -> Report:
    name, full = found.short.name, found.full.value
    return Report(
        location=found.short.value,
        message=f"{name} counts steps of {full.code}, so its stride lacks {found.missing} here: with several ranks of that kind the "
        "number is another rank's",
        confidence="medium",
        steps=(
            Point(full, f"{name} is worked out by dividing by {found.missing} too"),
            Point(found.short.value, f"its stride, without {found.missing}"),
        ),
        fix=f"multiply the stride by {found.missing}",
    )
