"""SGM120: a count of the whole model or server kept as one rank's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.api import Point, Report, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.api import Facts, Location, MisnamedPart, MixedExtent, UndividedCount, WholeBesidePart

_SHOWN = 2


class UndividedCountRule(Rule):
    name = "undivided-count"
    code = "SGM120"

    def check(self, facts: Facts) -> Iterator[Report]:
        told: set[tuple[str, int]] = set()
        for found in facts.ranks.undivided_counts():
            told.add(_line(found.whole.value))
            yield undivided(found)
        for part in facts.ranks.misnamed_parts():
            told.add(_line(part.value))
            yield misnamed(part)
        for scope in facts.ranks.mixed_scopes():
            yield Report(
                location=scope.one,
                message=f"{scope.one.code} counts the {scope.things} of one rank, {scope.all_ranks.code} what all of the "
                f"{scope.group} have: where the former is the larger of the two it is too small for all of them",
                confidence="medium",
                steps=(Point(scope.all_ranks, "counted for all ranks"), Point(scope.one, "counted for one rank")),
                fix=f"multiply it by the size of the {scope.group} too",
            )
        for mixed in facts.ranks.mixed_extents:
            if mixed.whole.extent.things != "layers":
                told.add(_line(mixed.whole.value))
                yield beside(mixed)
        for pair in facts.ranks.whole_beside_part():
            if _line(pair.whole) not in told:
                yield of_one_object(pair)


def _line(at: Location) -> tuple[str, int]:
    return at.path, at.line


def undivided(found: UndividedCount) -> Report:
    whole, siblings = found.whole, found.siblings
    where = "another place divides" if len(siblings) == 1 else "its siblings divide"
    return Report(
        location=whole.value,
        message=f"{whole.value.code} counts the {whole.things} of all ranks and is kept as {whole.target}; {where} it by the "
        f"size of the {siblings[0].group} before",
        confidence="medium",
        steps=(
            *(Point(one.value, f"kept as {one.target} after a division by the size of the {one.group}") for one in siblings[:_SHOWN]),
            Point(whole.value, f"kept as {whole.target} undivided"),
        ),
        fix=f"divide it by the size of the {siblings[0].group}",
    )


def misnamed(found: MisnamedPart) -> Report:
    why = f"multiplied by the size of the {found.group}" if found.group else "as the configuration counts them"
    return Report(
        location=found.value,
        message=f"{found.name} is called one rank's and holds the {found.things} of all ranks, {why}",
        confidence="medium",
        steps=(Point(found.whole, why), Point(found.value, f"kept as {found.name} undivided")),
        fix="divide it by the number of ranks that share",
    )


def of_one_object(found: WholeBesidePart) -> Report:
    goes = f" and goes to {found.target}" if found.target else ""
    return Report(
        location=found.whole,
        message=f"{found.whole.code} counts the {found.things} of all ranks{goes}; beside it the same object is asked for one rank's, "
        f"by {found.part.code}",
        confidence="medium",
        steps=(Point(found.part, f"one rank's {found.things}"), Point(found.whole, f"the {found.things} of all ranks")),
        fix="divide it by the number of ranks that share",
    )


def beside(found: MixedExtent) -> Report:
    whole, part = found.whole, found.parts[0]
    things = whole.extent.things
    return Report(
        location=whole.value,
        message=f"{whole.user} gets the {things} of all ranks, {whole.extent.at.code}; {part.user} gets one rank's, {part.value.code}",
        confidence="medium",
        steps=(Point(part.value, f"one rank's {things}"), Point(whole.value, f"the {things} of all ranks")),
        fix="divide it by the number of ranks that share",
    )
