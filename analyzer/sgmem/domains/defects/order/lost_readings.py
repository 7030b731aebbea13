"""Readings of memory that another reading takes the place of before anything looks at them, as where an `else` is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import may_both_run
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.aside import is_aside
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class LostReading(msgspec.Struct, frozen=True):
    """`name` is read at `reading`, under a condition, and read anew at `replaced` whatever the condition was."""

    name: str
    reading: Location
    replaced: Location


def lost_readings(facts: ProgramFacts) -> Iterator[LostReading]:
    """Every local that is set to a reading in one branch, and that no statement goes by before the next reading replaces it."""
    for word in sorted(word for word in facts.models.measurements.words if word.isidentifier()):
        for file in facts.program.files.focused(word):
            for index in file.mentions(word):
                row = file.outline.statements[index]
                if (
                    row.kind == "assign"
                    and file.scope(row.scope).kind == "function"
                    and _branch(file, index)
                    and not is_aside(file, index)
                ):
                    yield from _of_reading(facts, file, index)


def _branch(file: File, index: int) -> bool:
    """Whether a statement stands in a branch of its function."""
    parent = file.outline.statements[index].parent
    return parent >= 0 and file.outline.statements[parent].kind == "if"


def _of_reading(facts: ProgramFacts, file: File, index: int) -> Iterator[LostReading]:
    rows = file.outline.statements
    scope = rows[index].scope
    for binding in file.statement(index).bindings:
        if not isinstance(binding.target, ir.Name) or binding.value is None or not _is_read(facts, file, index):
            continue
        name = binding.target.id
        others = {at for at in file.mentions_in(scope, name) if at != index}
        if facts.order.reached(file, scope, name, index, frozenset(at for at in others if _looks_at(file, at, name))):
            continue
        inside = set(file.outline.inside(rows[index].parent))
        for at, certain in sorted(facts.order.definitions(file, scope, name).items()):
            if at > index and certain and at not in inside and _is_read(facts, file, at) and may_both_run(facts, file, index, at):
                yield LostReading(name, of_statement(file, index), of_statement(file, at))
                break


def _is_read(facts: ProgramFacts, file: File, index: int) -> bool:
    """Whether a statement reads a gauge."""
    scope = file.outline.statements[index].scope
    nodes = (node for root in file.statement(index).expressions() for node in ir.walk(root))
    return any(isinstance(node, ir.Call) and facts.gauges.measurements.row(node, file, scope) is not None for node in nodes)


def _looks_at(file: File, index: int, name: str) -> bool:
    """Whether a statement reads the local, and does not only set it."""
    statement = file.statement(index)
    targets = {id(node) for binding in statement.bindings if binding.how != "augment" for node in ir.walk(binding.target)}
    nodes = (node for root in statement.expressions() for node in ir.walk(root))
    return any(isinstance(node, ir.Name) and node.id == name and id(node) not in targets for node in nodes)
