"""SGM126: what one process has allocated is taken off the whole device, and the rest is called free."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, Formula, Origin

FREE = re.compile(r"(?:^|_|\.)(?:free|avail|available|unused)(?:_|\b)", re.IGNORECASE)
"""Names that promise memory that can be taken."""


class ProcessUsage(Rule):
    name = "process-usage"
    code = "SGM126"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for formula in facts.formulas:
            if "-" not in formula.text or FREE.search(formula.target) is None:
                continue
            total, used = _reading(formula, "device", ("total",)), _reading(formula, "process", ("allocated", "reserved"))
            if total is None or used is None:
                continue
            whole, taken = total[1], used[1]
            yield Report(
                location=formula.location,
                message=f"{formula.target} counts as free what other processes hold: {used[0]} is only what this process has taken, "
                f"{total[0]} is the whole device",
                steps=(
                    Point(whole.location, f"{total[0]} is the device's total"),
                    Point(taken.location, f"{used[0]} knows this process alone, not its neighbours, its context or its libraries"),
                    Point(formula.location, f"so the difference, {formula.target}, is more than can be allocated"),
                ),
                fix="read what the device itself calls free, as mem_get_info() does",
                confidence="high" if taken.gauge is not None and taken.gauge.frame.statistic == "now" else "medium",
                key=formula.text,
            )


def _reading(formula: Formula, scope: str, quantities: tuple[str, ...]) -> tuple[str, Origin] | None:
    """The input of a formula that was read with such a scope, by the source's name for it."""
    for one in formula.inputs:
        for origin in one.origins[:1]:
            frame = origin.gauge.frame if origin.gauge is not None else None
            if frame is not None and frame.scope == scope and frame.quantity in quantities:
                return one.name, origin
    return None
