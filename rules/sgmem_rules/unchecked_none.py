"""SGM204: what may be None, the answer of a capacity query or a setting, is used in arithmetic without a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule, none_settings, unchecked_nones

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, NoneSetting


class UncheckedNoneRule(Rule):
    name = "unchecked-none"
    code = "SGM204"

    def check(self, facts: Facts) -> Iterator[Report]:
        yield from self._answers(facts)
        yield from self._settings(facts)

    def _answers(self, facts: Facts) -> Iterator[Report]:
        """Queries that answer None."""
        seen = set()
        for found in unchecked_nones(facts):
            key = (found.use.path, found.use.line, found.use.column)
            if key in seen:
                continue
            seen.add(key)
            points = [Point(found.query, "the capacity is asked for here; where it cannot be told the answer is None")]
            if found.passed is not None:
                points.append(Point(found.passed, f"the answer is handed on as {found.name}"))
            points.append(Point(found.use, f"{found.name} is calculated with, checked or not"))
            yield Report(
                location=found.use,
                message=f"{found.name} is None where the capacity of the device cannot be told, and is calculated with here "
                "without a check: the start ends in a TypeError that says nothing of memory",
                steps=tuple(points),
                fix=f"decide what holds when {found.name} is None before it is calculated with",
                confidence="medium" if found.passed is not None else "high",
            )

    def _settings(self, facts: Facts) -> Iterator[Report]:
        """Settings that a line makes None."""
        for found in none_settings(facts):
            if found.how == "declared":
                yield _of_an_option(found)
                continue
            again = found.how == "again"
            when = (
                "when the record is built again from its own fields, as copies and replacements of records are"
                if again
                else "on the way from there to here"
            )
            yield Report(
                location=found.use,
                message=f"{found.name} is made None in line {found.none.line} and is calculated with here without a check, {when}: the "
                "start ends in a TypeError",
                steps=(
                    Point(found.none, f"{found.name} becomes None here"),
                    Point(found.use, f"{found.name} is calculated with, None or not"),
                ),
                fix=f"ask whether {found.name} is None first",
                confidence="medium" if again else "high",
                key=f"{found.name} {found.how}",
            )


def _of_an_option(found: NoneSetting) -> Report:
    flag = f"--{found.name.replace('_', '-')}"
    return Report(
        location=found.use,
        message=f"{found.name} is None unless the user gives {flag}, and is calculated with here without a check: the start ends in a "
        "TypeError",
        steps=(
            Point(found.none, f"{found.name} is declared with None, and nothing gives it another value"),
            Point(found.use, f"{found.name} is calculated with, None or not"),
        ),
        fix=f"ask whether {found.name} is None first",
        confidence="medium",
        key=f"{found.name} {found.how}",
    )
