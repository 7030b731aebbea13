"""Where a program decides fields: by assigning them, by calls that write the fields that their keywords or dicts name, and by what
passes return that decide the fields of a record."""

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
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span


_SET = re.compile(r"[\"']?\]?\s*(?:[-+*/%]|//)?[=:]")
"""What stands behind a name that is set."""
_SETS = re.compile(r"setattr|\.update\(|__dict__|\._set\w*\(")
"""What a function holds that writes fields at once, and does not only keep what was decided."""


class Decision(msgspec.Struct, frozen=True):
    """A field is set to `value` by a statement, or changed by it with `operator`; `how` is None where it is not changed but reset."""

    file: File
    statement: int
    location: Location
    places: frozenset[Field]
    value: Expr | None
    how: How | None
    operator: str | None = None
    aside: bool = False
    """Whether the decision is laid beside the record, which keeps what was given."""


def decisions(facts: ProgramFacts, name: str, path: str) -> Iterator[Decision]:
    """Every statement of a file's functions that sets a field of that name."""
    if not facts.program.files.scanned(path, _seems_set, name):
        return
    file = facts.program.files.get(path)
    for index in file.mentions(name) if file is not None else ():
        if file is not None and file.scope(file.outline.statements[index].scope).kind == "function":
            yield from _assigned(facts, file, index, name)
            yield from named(facts, file, index, name)
            yield from _returned(facts, file, index, name)


@Scan
def _seems_set(text: str, name: str) -> bool:
    return any(_SET.match(text, at + len(name)) for at in positions(text, name))


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
            yield Decision(
                file, index, of_statement(file, index), places, binding.value, how_changed(facts, file, index, text), binding.operator
            )
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
            if not isinstance(target, Function):
                continue
            owners = [one for _, each in facts.program.idioms.writers(target) for one in each]
            places = frozenset(Field(top, name) for one in owners for top in facts.program.classes.owners(one, name))
            if places:
                aside = _SETS.search(target.file.source.slice(target.scope.span)) is None
                how = _change(argument.value, name)
                yield Decision(file, index, Location(file, index, root.span), places, argument.value, how, aside=aside)
                return


def _returned(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[Decision]:
    """What a pass whose dict decides fields sets one to: `decided["size"] = size // ranks`, or an entry of a dict that is written."""
    text = file.own_text(index)
    if f'"{name}"' not in text and f"'{name}'" not in text:
        return
    function = facts.program.calls.inside(file, index)
    owners = facts.program.idioms.providers(function) if function is not None else ()
    places = frozenset(Field(top, name) for one in owners for top in facts.program.classes.owners(one, name))
    if not places:
        return
    statement = file.statement(index)
    values: list[tuple[Expr | None, Expr, Span]] = []
    for binding in statement.bindings:
        if isinstance(binding.target, ir.Subscript) and binding.value is not None:
            values.append((binding.target.index, binding.value, statement.span))
    for root in statement.expressions():
        for node in ir.walk(root):
            values += [(key, value, value.span) for key, value in node.items] if isinstance(node, ir.Dict) else []
    for key, value, span in values:
        if isinstance(key, ir.Const) and key.value == name:
            yield Decision(file, index, Location(file, index, span), places, value, _change(value, name), aside=True)


def _change(value: Expr, name: str) -> How | None:
    """How a value changes the field of that name, whatever the record is called."""
    return change_of(value, lambda node: isinstance(node, ir.Attribute) and node.attr == name)
