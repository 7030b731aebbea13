"""Where a program decides fields: by assigning them, by calls that write the fields that their keywords or dicts name, and by what
passes return that decide the fields of a record."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import How, change_of, how_changed
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.places import Field
from sgmem.models.patterns import last_name
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


class Decisions:
    """The decisions of a program's files, memoised by the field's name and the file's path."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self._found: dict[tuple[str, str], tuple[Decision, ...]] = {}

    def of(self, name: str, path: str) -> tuple[Decision, ...]:
        """Every statement of a file's functions that sets a field of that name."""
        found = self._found.get((name, path))
        if found is None:
            found = self._found[name, path] = tuple(self._find(name, path)) if self._may_set(name, path) else ()
        return found

    def _find(self, name: str, path: str) -> Iterator[Decision]:
        file = self.facts.program.files.get(path)
        for index in file.mentions(name) if file is not None else ():
            if file is not None and file.scope(file.outline.statements[index].scope).kind == "function":
                yield from _assigned(self.facts, file, index, name)
                yield from named(self.facts, file, index, name)
                yield from _returned(self.facts, file, index, name)

    def _may_set(self, name: str, path: str) -> bool:
        """Whether the text of a file has an assignment of the field, or the name where one of what decides by name is mentioned."""
        files = self.facts.program.files
        if files.scanned(path, _seems_set, name):
            return True
        return path in self._deciding and bool(files.scanned(path, _seems_named, name))

    @cached_property
    def _deciding(self) -> frozenset[str]:
        """The files that mention a function which decides by name."""
        rows = self.facts.models.config.rows
        words = {last_name(pattern) for row in rows if row.kind in ("writer", "provider") for pattern in row.names}
        tree = self.facts.program.files.tree
        return frozenset(path for word in words if word.isidentifier() for path in tree.mentioning(word))


@Scan
def _seems_set(text: str, name: str) -> bool:
    """Whether a field of that name is assigned."""
    return any(text[at - 1 : at] == "." and _SET.match(text, at + len(name)) for at in positions(text, name))


@Scan
def _seems_named(text: str, name: str) -> bool:
    """Whether the name is a keyword or a key."""
    return any(text[at - 1 : at] != "." and _SET.match(text, at + len(name)) for at in positions(text, name))


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
