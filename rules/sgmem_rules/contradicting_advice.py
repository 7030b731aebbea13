"""SGM207: an error message advises what the check that raised it would not let pass either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, contradicting_advice, wrong_directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class ContradictingAdviceRule(Rule):
    name = "contradicting-advice"
    code = "SGM207"
    by_file = True

    def check(self, facts: Facts) -> Iterator[Report]:
        for found in contradicting_advice(facts):
            case = f" when {found.when}" if found.when else ""
            yield Report(
                location=found.raised,
                message=f"the message advises {found.advice} for {found.option}, with which {found.value} would be {found.left}{case}, "
                "and this check would raise again: the advice leaves out a term that the check counts",
                steps=(
                    Point(found.test, f"{found.value} is checked here"),
                    Point(found.computed, f"{found.advice} is worked out for the message"),
                    Point(found.raised, f"with it {found.value} is {found.left}"),
                ),
                fix=f"solve the formula of {found.value} for {found.option} with all its terms",
            )
        for wrong in wrong_directions(facts):
            way, other = ("more", "less") if wrong.up else ("less", "more")
            yield Report(
                location=wrong.raised,
                message=f"the message advises {way} {wrong.option}, which makes {wrong.value} fail this check by more: "
                f"it passes with {other}",
                steps=(
                    Point(wrong.test, f"{wrong.value} is checked here"),
                    Point(wrong.raised, f"{way} {wrong.option} is advised here"),
                ),
                fix=f"advise {other} {wrong.option}",
            )
