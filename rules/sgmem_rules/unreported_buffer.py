"""SGM505: a class allocates a buffer that its own method for how much it holds leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, unreported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UnreportedBuffer(Rule):
    name = "unreported-buffer"
    code = "SGM505"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in unreported(facts):
            names = [one.field if one.element is None else f"{one.field}[{one.element}]" for one in found.left_out]
            which = " and ".join(names)
            yield Report(
                location=found.report,
                message=f"{found.method} adds up {found.counted.field} and leaves out {which}, allocated beside it by {found.owner}: "
                "what is reported is less than what is taken",
                confidence="medium",
                steps=(
                    Point(found.counted.location, f"{found.counted.field} is allocated, and counted"),
                    *(
                        Point(one.location, f"{name} is allocated, and not counted")
                        for one, name in zip(found.left_out, names, strict=True)
                    ),
                    Point(found.report, f"{found.method} adds up the sizes"),
                ),
                fix=f"add the size of {which}",
            )
