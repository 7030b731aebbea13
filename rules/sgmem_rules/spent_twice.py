"""SGM421: one amount of memory is handed in full to two allocations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, divided_twice, handed_back, spent_twice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts


class SpentTwiceRule(Rule):
    name = "spent-twice"
    code = "SGM421"
    shares = "books"

    def check(self, facts: Facts) -> Iterator[Report]:
        yield from self._handed_on(facts)
        yield from self._divided(facts)
        yield from self._handed_back(facts)

    def _handed_on(self, facts: Facts) -> Iterator[Report]:
        for found in spent_twice(facts):
            if found.loop:
                message = f"every round of the loop in {found.function} hands {found.amount} in full to another allocation"
                steps = [Point(found.second, f"spends {found.amount} again for every round")]
            else:
                message = (
                    f"{found.function} hands {found.amount} in full to two allocations: together they take twice of what was given"
                )
                steps = [Point(found.first, f"{found.amount} is spent here"), Point(found.second, "and here once more, undivided")]
            if found.sink != found.second:
                steps.append(Point(found.sink, f"this is where {found.amount} is handed to what turns it into a size"))
            yield Report(
                location=found.second,
                message=message,
                steps=tuple(steps),
                fix=f"divide {found.amount} between them, or take off what the first has used",
                persona="regular" if found.certain else "pedantic",
                confidence="high" if found.certain else "medium",
                key=f"{found.function}.{found.amount}",
            )

    def _divided(self, facts: Facts) -> Iterator[Report]:
        for found in divided_twice(facts):
            yield Report(
                location=found.second_division,
                message=f"{found.first} and {found.second} both take all of {found.budget}: together they are twice as much",
                steps=(
                    Point(found.first_division, f"all of {found.budget} for {found.first}"),
                    Point(found.second_division, f"and all of it for {found.second}"),
                ),
                fix=f"divide {found.budget} by both sizes together, or take off what {found.first} uses",
                key=f"{found.first}.{found.second}",
            )

    def _handed_back(self, facts: Facts) -> Iterator[Report]:
        for found in handed_back(facts):
            yield Report(
                location=found.back,
                message=f"{found.function} divides {found.count} out of {found.budget} and hands all of {found.budget} back: what "
                f"{found.count} takes is spent once more",
                steps=(
                    Point(found.division, f"{found.count} takes a share of {found.budget}"),
                    Point(found.back, f"all of {found.budget} is handed back, that share included"),
                ),
                fix=f"hand back {found.budget} without what {found.count} takes",
                key=f"{found.function}.{found.budget}",
            )
