"""SGM208: a division by a value that a line in sight can make zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, zero_divisors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, ZeroDivisor

_HOW = {
    "zero": "it is set to 0 here",
    "floor": "the floor division here gives 0 where there is less than one",
    "filtered": "nothing may be left of what is counted here",
    "clamped": "whatever is below 0 becomes 0 here",
    "default": "it is 0 unless the user sets it",
}


class ZeroDivisorRule(Rule):
    name = "zero-divisor"
    code = "SGM208"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in zero_divisors(facts):
            yield Report(
                location=found.division,
                message=f"{found.divisor} can be 0 and divides here without a check: {_HOW[found.how]}, {place(found)}",
                steps=(Point(found.producer, _HOW[found.how]), Point(found.division, f"{found.divisor} divides here")),
                fix=f"check {found.divisor}, or keep it at 1 or more: max(1, ...)",
                confidence="medium" if found.how in ("filtered", "default") else "high",
                persona="pedantic" if found.afar else "regular",
            )


def place(found: ZeroDivisor) -> str:
    at = found.producer
    return f"line {at.line}" if at.path == found.division.path else f"{at.path}:{at.line}"
