"""SGM503: a pool keeps state per request in a dimension that the budget takes nothing off for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts

SHOWN = 3


class UnchargedState(Rule):
    name = "uncharged-state"
    code = "SGM503"
    shares = "books"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in facts.uncharged:
            if found.per != "request":
                continue  # see uncharged-allocation
            pools, s = " and ".join(found.pools[:SHOWN]), "s" if len(found.pools) == 1 else ""
            charged = ", ".join(found.charged[:SHOWN])
            yield Report(
                location=found.estimate,
                message=f"nothing is taken off the budget for {found.name}, which decides what {pools} keep{s} per request: "
                f"only {charged} is charged, so the states take more, or less, than was set aside",
                steps=(
                    Point(found.estimate, f"{charged} is charged here; {found.name} is mentioned nowhere in the estimate"),
                    Point(found.argument, f"{found.name} is handed to the pool here"),
                    Point(found.buffer, "and sizes this buffer, for every request"),
                ),
                fix=f"multiply what is taken off the budget by {found.name} as the pool does, where the pool has it",
                key=found.name,
            )
