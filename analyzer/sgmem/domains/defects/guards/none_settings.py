"""Settings of memory that a line in sight makes None, where they are calculated with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.defects.guards.unchecked_none import calculates, first_use, given_to, is_checked, is_none
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.program.text_answers import matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.occurrences import Occurrence
    from sgmem.program.files import File


class NoneSetting(msgspec.Struct, frozen=True):
    """The setting `name` is None from `none` on and is calculated with at `use`.

    `how`: a line before makes it None; or the record's own initialiser does, so that building a record from its fields again fails; or
    it is declared with None, for a user who gives nothing, and nothing gives it another value.
    """

    name: str
    how: Literal["before", "again", "declared"]
    none: Location
    use: Location


def none_settings(facts: ProgramFacts) -> Iterator[NoneSetting]:
    """Every setting of a record that keeps a quantity of memory and is None where it is used, once for each way."""
    for name, paths in facts.quantities.paths.items():
        for path in paths:
            written = facts.program.files.scanned(path, matches, rf"\.{name}\s*=\s*None\b")
            file = facts.program.files.get(path) if written else None
            if file is not None:
                yield from _made_none(facts, file, name)
        yield from _declared_none(facts, name, paths)


def _declared_none(facts: ProgramFacts, name: str, paths: tuple[str, ...]) -> Iterator[NoneSetting]:
    """Calculations with an option that is None where the user gives nothing: the first of each function, if no pass fills it in."""
    files = facts.program.files
    if not any(files.scanned(path, matches, rf"\n[ \t]+{name}: [\w.]") for path in paths):
        return  # no field is declared so
    reading = [path for path in paths if files.scanned(path, matches, rf"\.{name}\b")]
    if not reading or any(not is_none(one.value) for path in paths for one in facts.decisions(name, path)):
        return
    seen: set[tuple[str, int]] = set()
    for path in reading:
        file = files.get(path)
        for index in file.mentions(name) if file is not None else ():
            if file is None or is_aside(file, index):
                continue
            for one in facts.occurrences.reads_in_statement(file, index, name):
                declared = facts.options.declared_none(one.place) if isinstance(one.place, Field) and one.grade != "name" else None
                use = _calculated(facts, one) if declared is not None else None
                if declared is not None and use is not None and (use.path, use.statement) not in seen:
                    seen.add((use.path, use.statement))
                    yield NoneSetting(name, "declared", declared, use)


def _calculated(facts: ProgramFacts, seen: Occurrence) -> Location | None:
    """Where what is read is calculated with unchecked: there, by a local that is set to it, or in a function that is given it."""
    file, index, node, above = seen.file, seen.statement, seen.node, seen.ancestors
    spelled = dotted(node)
    if spelled is None or is_checked(facts, file, index, spelled, above, node):
        return None
    name = spelled.rpartition(".")[2]
    if any(name in render(one.predicate) for one in facts.conditions.of(file, index)):
        return None
    if above and calculates(above[-1], node):
        return Location(file, index, above[-1].span)
    if above and isinstance(above[-1], ir.Call) and above[-1].func is not node:
        given = given_to(facts, above[-1], node, file, index, Location(file, index, node.span))
        return next((one.use for one in given), None)
    for binding in file.statement(index).bindings:
        if binding.value is node and isinstance(binding.target, ir.Name):
            return first_use(facts, file, file.outline.statements[index].scope, binding.target.id, index)
    return None


def _made_none(facts: ProgramFacts, file: File, name: str) -> Iterator[NoneSetting]:
    """Uses that an assignment of None reaches, and comparisons that another run of an initialiser meets with None."""
    for index in file.mentions(name):
        row = file.outline.statements[index]
        if row.kind != "assign" or not file.own_text(index).rstrip().endswith("None") or file.scope(row.scope).kind != "function":
            continue
        for binding in file.statement(index).bindings:
            spelled = dotted(binding.target)
            if spelled is None or "." not in spelled or not is_none(binding.value) or not _is_record_field(facts, file, index, name):
                continue
            use = first_use(facts, file, row.scope, spelled, index)
            if use is not None:
                yield NoneSetting(name, "before", of_statement(file, index), use)
            if Function(file, row.scope).name == "__post_init__":
                again = _compared_before(facts, file, row.scope, spelled, index)
                if again is not None:
                    yield NoneSetting(name, "again", of_statement(file, index), again)


def _is_record_field(facts: ProgramFacts, file: File, index: int, name: str) -> bool:
    places = (seen.place for seen in facts.occurrences.writes_in_statement(file, index, name) if seen.grade != "name")
    return any(isinstance(place, Field) and facts.program.classes.is_record(place.owner) for place in places)


def _compared_before(facts: ProgramFacts, file: File, scope: int, spelled: str, index: int) -> Location | None:
    """The first unchecked calculation of an initialiser with what it was built with."""
    for at in file.mentions_in(scope, spelled.rpartition(".")[2]):
        if at >= index:
            return None
        for seen in facts.occurrences.reads_in_statement(file, at, spelled.rpartition(".")[2]):
            above = seen.ancestors
            if seen.node is not None and dotted(seen.node) == spelled and above and calculates(above[-1], seen.node):
                return None if is_checked(facts, file, at, spelled, above, seen.node) else Location(file, at, above[-1].span)
    return None
