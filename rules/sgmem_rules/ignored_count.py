"""SGM502: a pool sizes a buffer by another count than the one that the estimate divided out of the budget for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, ignored_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class IgnoredCountRule(Rule):
    name = "ignored-count"
    code = "SGM502"
    shares = "books"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in ignored_counts(facts):
            instead = " and ".join(found.instead)
            yield Report(
                location=found.call,
                message=f"{found.pool} ignores {found.count}, which the estimate divides out of the budget for this buffer and "
                f"{found.sibling} allocates: it sizes the buffer by {instead}",
                steps=(
                    Point(found.derived, f"{found.count} is what the budget has room for"),
                    Point(found.taken, f"{found.sibling} hands it to the buffer"),
                    Point(found.buffer, "this buffer, which both pools allocate by the same code"),
                    Point(found.call, f"{found.pool} hands on {instead} instead"),
                ),
                fix=f"hand {found.count} to {found.pool} as well",
                key=f"{found.pool}.{found.count}",
            )
