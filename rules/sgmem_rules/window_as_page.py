"""SGM119: a count of tokens divided by a window's length that is called a page's size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, ForeignGranule


class WindowAsPageRule(Rule):
    name = "window-as-page"
    code = "SGM119"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.ranks.foreign_granules():
            yield report(found)


def report(found: ForeignGranule) -> Report:
    return Report(
        location=found.division,
        message=f"{found.name} is called {_one(found.called)} and holds {_one(found.held)}; {found.rounding.code} in the same function "
        "goes by the real one",
        confidence="medium",
        steps=(
            Point(found.stored, f"{found.name} gets {_one(found.held)}"),
            Point(found.rounding, "rounded to what is really called so"),
            Point(found.division, f"divided by {_one(found.held)}"),
        ),
        fix="divide by the granule in which the memory is addressed",
    )


def _one(things: str) -> str:
    """`a page's tokens` of `tokens of a page`."""
    return f"the number of {things}"
