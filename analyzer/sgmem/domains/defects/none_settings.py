"""Settings of memory that a line in sight makes None, where they are calculated with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.defects.unchecked_none import calculates, first_use, is_checked, is_none
from sgmem.flow.places import Field
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.program.text_answers import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class NoneSetting(msgspec.Struct, frozen=True):
    """The setting `name` is None from `none` on and is calculated with at `use`.

    `how`: a line before makes it None; or the record's own initialiser does, so that building a record from its fields again fails.
    """

    name: str
    how: Literal["before", "again"]
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
