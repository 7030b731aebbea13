"""SGM129: a table addressed by a pool's slots has one row less than there are slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, foreign_rows, missing_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ShortTableRule(Rule):
    name = "short-table"
    code = "SGM129"

    def check(self, facts: Facts) -> Iterator[Report]:
        for page in missing_pages(facts.program):
            yield Report(
                location=page.floored,
                message=f"{page.floored.code} counts whole pages only, {page.rounded.path}:{page.rounded.line} the last one as well: a "
                f"{page.length} that is no multiple of {page.granule} has a page without an entry",
                steps=(Point(page.rounded, "rounded up"), Point(page.floored, "rounded down")),
                fix="round up",
                confidence="medium",
            )
        for foreign in foreign_rows(facts.program):
            yield Report(
                location=foreign.rows,
                message=f"{foreign.table} has a row for each of {foreign.counted}, and is addressed by numbers below "
                f"{foreign.handed_out}, which the base class hands out: that there are enough rows is left to whoever chooses the two",
                steps=(
                    Point(foreign.size, "the base class hands out so many numbers"),
                    Point(foreign.indexed, "the table is addressed by them"),
                    Point(foreign.rows, f"rows for {foreign.counted}"),
                ),
                fix="make as many rows as the table of the base class has",
                confidence="medium",
                persona="pedantic",
            )
        for found in facts.ranks.short_tables():
            if not found.pool:
                yield Report(
                    location=found.rows,
                    message=f"{found.rows.code} rows, and one slot more, {found.numbered.code}: what is written to the last slot lies "
                    "behind the table",
                    steps=(Point(found.numbered, "one slot more than there are rows"), Point(found.rows, "the rows of the table")),
                    fix="make as many rows as there are slots",
                    confidence="medium",
                )
                continue
            yield Report(
                location=found.rows,
                message=f"{found.rows.code} rows, and {found.pool} counts its slots from 1: the last has no row, what is written there "
                "lies behind the table",
                steps=(
                    Point(found.numbered, "slots are numbered from 1, the first row is for padding"),
                    Point(found.rows, "as many rows as slots, counted from 0"),
                ),
                fix=f"make one row more, or take the rows of the table that {found.pool} keeps itself",
                confidence="medium",
            )
