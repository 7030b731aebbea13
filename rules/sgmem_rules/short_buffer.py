"""SGM127: a buffer for the largest batch is cut to more rows than it was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, short_buffers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ShortBufferRule(Rule):
    name = "short-buffer"
    code = "SGM127"
    persona = "pedantic"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in short_buffers(facts):
            yield Report(
                location=found.made,
                message=f"{found.buffer} is made with {found.made.code} rows and cut to {found.cut.code}: {found.factor} counts where "
                "it is used and not where it is made, so the largest batch does not fit",
                steps=(
                    Point(found.cut, f"{found.factor} times as many rows are taken here"),
                    Point(found.made, f"made here without {found.factor}"),
                ),
                fix=f"multiply by {found.factor} where the buffer is made, or take as many rows as it has",
                confidence="medium",
                key=f"{found.buffer} {found.factor}",
            )
