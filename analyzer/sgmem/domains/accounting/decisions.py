"""Where a program decides fields: by assigning them, and by calls that write the fields that their keywords or dicts name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import How, change_of, how_changed
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.places import Field
from sgmem.program.contexts import positions
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


_SET = re.compile(r"[\"']?\s*(?:[-+*/%]|//)?[=:]")
"""What stands behind a name that is set."""


class Decision(msgspec.Struct, frozen=True):
    """A field is set to `value` by a statement; `how` is None where it is not changed but reset."""

    file: File
    statement: int
    location: Location
    places: frozenset[Field]
    value: Expr | None
    how: How | None


def decisions(facts: ProgramFacts, name: str, path: str) -> Iterator[Decision]:
    """Every statement of a file's functions that sets a field of that name."""
    source = facts.program.files.source(path)
    if source is None or not any(_SET.match(source.text, at + len(name)) for at in positions(source.text, name)):
        return
    file = facts.program.files.get(path)
    for index in file.mentions(name) if file is not None else ():
        if file is not None and file.scope(file.outline.statements[index].scope).kind == "function":
            yield from _assigned(facts, file, index, name)
            yield from named(facts, file, index, name)


def _assigned(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[Decision]:
    if not file.may_bind(index, name) or file.outline.statements[index].kind not in ("assign", "annotate", "augment"):
        return
    for binding in file.statement(index).bindings:
        text = dotted(binding.target)
        if text is None or not isinstance(binding.target, ir.Attribute) or binding.target.attr != name:
            continue
        seen = facts.occurrences.writes_in_statement(file, index, name)
        places = frozenset(one.place for one in seen if isinstance(one.place, Field) and one.grade != "name")
        if places:
            yield Decision(file, index, of_statement(file, index), places, binding.value, how_changed(facts, file, index, text))
        return


def named(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[Decision]:
    """What a call of a function that writes fields by name sets a field to: `decide(record, size=size // ranks)`."""
    row = file.outline.statements[index]
    if row.kind != "expression" or not re.search(rf"\b{name}\s*=", file.own_text(index)):
        return
    for root in file.statement(index).values:
        if not isinstance(root, ir.Call):
            continue
        argument = next((one for one in root.args if one.keyword == name), None)
        if argument is None:
            continue
        for target, _, _ in facts.program.calls.targets(root, file, row.scope):
            owners = [one for _, each in facts.program.idioms.writers(target) for one in each] if isinstance(target, Function) else []
            places = frozenset(Field(top, name) for one in owners for top in facts.program.classes.owners(one, name))
            if places:
                how = change_of(argument.value, lambda node: isinstance(node, ir.Attribute) and node.attr == name)
                yield Decision(file, index, Location(file, index, root.span), places, argument.value, how)
                return
