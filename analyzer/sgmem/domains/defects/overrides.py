"""Settings that a user gives by a flag and the program changes without asking whether they were given, or too late to matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.occurrences import Occurrence
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Binding

MAX_FILES = 400
_SCALES = frozenset({"*", "/", "//"})


class SettingChange(msgspec.Struct, frozen=True):
    """A write to the setting `name` that no condition on the setting keeps from a value that the user gave.

    `how`: it is scaled, or replaced by a constant. `share`: the setting is a share or an amount of memory. `copied`: where the object
    whose method this is had already copied the setting, so that what it uses later is the copy.
    """

    name: str
    location: Location
    how: Literal["scaled", "replaced"]
    value: str
    share: bool
    copied: Location | None = None


def setting_changes(facts: ProgramFacts) -> Iterator[SettingChange]:
    """Every such write to a field that the models know and a flag sets."""
    program = facts.program
    names: dict[str, bool] = {}
    for row in facts.models.units.rows:
        if row.kind == "field" and row.unit not in ("ranks", "layers", "heads"):
            for pattern in row.names:
                last = pattern.rpartition(".")[2]
                if last.isidentifier():
                    share = row.unit in ("fraction", "GiB", "GB", "MiB", "bytes")
                    names[last] = names.get(last, False) or share
    for name, share in sorted(names.items()):
        changes = re.compile(rb"\.%s\s*(?:\*=|/=|//=|=\s*(?:-?[\d.]|[\w.]+\.%s\b))" % ((name.encode(),) * 2))
        changing = [path for path in program.files.focus_on(name) if changes.search(program.files.tree.read(path))]
        for path in changing if changing and _is_flag(program, name) else ():
            file = program.files.get(path)
            if file is not None:
                yield from _in_file(facts, file, name, share)


def _is_flag(program: Program, name: str) -> bool:
    """Whether the name is set by a flag, and is no word that stands everywhere."""
    flag = f'"--{name.replace("_", "-")}"'
    return len(program.files.tree.mentioning(name)) <= MAX_FILES and any(program.files.containing(name, flag))


def _in_file(facts: ProgramFacts, file: File, name: str, share: bool) -> Iterator[SettingChange]:
    for index in file.mentions(name):
        if not file.may_bind(index, name) or file.scope(file.outline.statements[index].scope).kind != "function":
            continue
        for seen in facts.occurrences.writes_in_statement(file, index, name):
            how = _change(seen.binding, name) if seen.binding is not None else None
            if how is None or seen.binding is None or not isinstance(seen.place, Field) or seen.grade == "name":
                continue
            if not _is_setting(facts, seen.place.owner, name, copies=share or how == "scaled") or _asked(facts, file, index, name, how):
                continue
            value = seen.binding.value
            text = Location(file, index, value.span).code if value is not None else ""
            yield SettingChange(name, of_statement(file, index), how, text, share, _copied(facts, seen))
            break


def _change(binding: Binding, name: str) -> Literal["scaled", "replaced"] | None:
    """How an assignment changes what was there."""
    value = binding.value
    if binding.how == "augment":
        return "scaled" if binding.operator in _SCALES or binding.operator in {f"{one}=" for one in _SCALES} else None
    if isinstance(value, ir.Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return "replaced" if value.value > 0 else None
    if isinstance(value, ir.Binary) and value.operator in _SCALES and dotted(value.left) == dotted(binding.target):
        return "scaled" if isinstance(value.right, ir.Const) else None
    return None


def _is_setting(facts: ProgramFacts, owner: Class, name: str, *, copies: bool) -> bool:
    """Whether a field holds what the user gave: declared by a record, or, with `copies`, copied from a value of the same name."""
    if facts.program.classes.declaration(owner, name) is not None:
        return facts.program.classes.is_record(owner)
    return copies and _copy(facts, owner, name) is not None


def _copy(facts: ProgramFacts, owner: Class, name: str) -> Location | None:
    """Where a class copies a value of the same name into its own field."""
    for each in facts.program.classes.mro(owner):
        for function, index in facts.program.classes.stores(each, name):
            for binding in each.file.statement(index).bindings:
                given = dotted(binding.value) if binding.value is not None else None
                if function.name == "__init__" and given is not None and given.rpartition(".")[2] == name:
                    return of_statement(each.file, index)
    return None


def _asked(facts: ProgramFacts, file: File, index: int, name: str, how: str) -> bool:
    """Whether a condition of the write, or of its only caller, looks at the setting."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for one in facts.conditions.of(file, index):
        text = render(one.predicate)
        # What raises otherwise says which values are valid; a valid one may still be scaled twice.
        if word.search(text) and (how != "scaled" or one.how != "check" or "None" in text):
            return True
    return False


def _copied(facts: ProgramFacts, seen: Occurrence) -> Location | None:
    """For a write to another object's setting: where this object copied it before, if all it uses is the copy."""
    function = facts.program.calls.inside(seen.file, seen.statement)
    if function is None or function.owner is None or not isinstance(seen.place, Field):
        return None
    if facts.program.classes.related(function.owner, seen.place.owner):
        return None
    found = _copy(facts, function.owner, seen.place.name)
    if found is None or (found.file is seen.file and function.name == "__init__" and found.statement > seen.statement):
        return None
    return found
