"""SGM112: a count divided by the size of a group of ranks over which it is not split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, ForeignGroup


class ForeignGroupRule(Rule):
    name = "foreign-group"
    code = "SGM112"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.foreign_groups():
            yield report(found)
        for copies in facts.ranks.copied_heads():
            yield Report(
                location=copies.quotient,
                message=f"{copies.heads.code} are one rank's heads; times {copies.ranks.code} they are more than there are where ranks "
                f"hold copies, since each gets one at least ({copies.least.path}:{copies.least.line})",
                confidence="medium",
                steps=(
                    Point(copies.least, "a rank has one head at least"),
                    Point(copies.heads, "the heads of one rank"),
                    Point(copies.quotient, "all of them times the ranks are shared out again"),
                ),
                fix="go by the number of all heads",
            )


def report(found: ForeignGroup) -> Report:
    size = found.size.code
    return Report(
        location=found.division,
        message=f"{found.count.code} counts {found.things}, which are split over the ranks of the {found.by[0]}; {size} is the size of "
        f"the {found.group}",
        confidence="high",
        steps=(
            Point(found.count, f"{found.things}, split over the {found.by[0]}"),
            Point(found.size, f"the size of the {found.group}"),
            Point(found.division, f"the quotient is no rank's part of the {found.things}"),
        ),
        fix=f"divide by the size of the {found.by[0]}",
    )
