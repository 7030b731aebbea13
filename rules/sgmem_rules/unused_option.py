"""SGM405: an option about memory is accepted, and nothing goes by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, unused_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class UnusedOptionRule(Rule):
    name = "unused-option"
    code = "SGM405"

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in unused_options(facts):
            flag = f"--{found.name.replace('_', '-')}"
            but = ", but for checks and messages" if found.told else ""
            yield Report(
                location=found.declared,
                message=f"{flag} is accepted and nothing goes by it{but}",
                confidence="medium",
                steps=(
                    Point(found.flag, f"{flag} is accepted here"),
                    *(Point(one, "it is only tested or printed here") for one in found.told),
                    Point(found.declared, f"{found.name} is kept here, and read by nothing else"),
                ),
                fix=f"use {found.name} where it should count, or refuse {flag}",
                key=found.name,
            )
