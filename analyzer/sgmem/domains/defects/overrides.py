"""Settings that a user gives by a flag and the program changes without asking whether they were given, or too late to matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.changes import how_changed
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.bounded_settings import bound, is_layout, layouts
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
    from sgmem.syntax.ir import Binding, Expr
    from sgmem.syntax.outline import StatementOutline

How = Literal["scaled", "replaced", "calculated", "capped", "raised"]

MAX_FILES = 400
_TELLS = re.compile(r"\s*(?:\w+\.)*(?:warn|warning|warning_once|info|error|print|print_\w+|log_\w+)\(")
_SCALES = frozenset({"*", "/", "//"})


class SettingChange(msgspec.Struct, frozen=True):
    """A write to the setting `name` that no condition on the setting keeps from a value that the user gave.

    `how`: it is scaled, replaced by a constant, or by what is calculated from other things although None stands for "not given"; a
    count is capped by a constant; a limit is raised to another quantity. `share`: the setting is a share or an amount of memory.
    `copied`: where the object whose method this is had already copied the setting, so that what it uses later is the copy.
    """

    name: str
    location: Location
    how: How
    value: str
    share: bool
    copied: Location | None = None
    told: bool = False
    """Whether a message beside the write says that the setting is changed."""
    optional: bool = False
    """Whether the setting is declared with None, so that a default could be told from what was given."""


def setting_changes(facts: ProgramFacts) -> Iterator[SettingChange]:
    """Every such write to a field that keeps a quantity of memory and that a flag sets."""
    for name, paths in (*facts.quantities.paths.items(), *layouts(facts).items()):
        changes = re.compile(rb"\.%s\s*(?:\*=|/=|//=|=\s*[-\w(\"'])" % name.encode())
        changing = [path for path in paths if changes.search(facts.program.files.tree.read(path))]
        for path in changing if changing and is_flag(facts.program, name) else ():
            file = facts.program.files.get(path)
            if file is not None:
                yield from _in_file(facts, file, name, facts.quantities.is_amount(name))


def is_flag(program: Program, name: str) -> bool:
    """Whether the name is set by a flag, and is no word that stands everywhere."""
    flag = f'"--{name.replace("_", "-")}"'
    return len(program.files.tree.mentioning(name)) <= MAX_FILES and any(program.files.containing(name, flag))


def _in_file(facts: ProgramFacts, file: File, name: str, share: bool) -> Iterator[SettingChange]:
    for index in file.mentions(name):
        if not file.may_bind(index, name) or file.scope(file.outline.statements[index].scope).kind != "function":
            continue
        for seen in facts.occurrences.writes_in_statement(file, index, name):
            how = _change(facts, file, index, seen.binding, name) if seen.binding is not None else None
            if how is None or seen.binding is None or not isinstance(seen.place, Field) or seen.grade == "name":
                continue
            if how == "calculated" and not _is_none_at_first(facts, seen.place):
                continue
            if (how == "capped" and share) or _asked(facts, file, index, name, how):
                continue
            if how != "raised" and not _is_setting(facts, seen.place.owner, name, copies=share or how == "scaled"):
                continue
            value = seen.binding.value
            text = Location(file, index, value.span).code if value is not None else ""
            yield SettingChange(
                name,
                of_statement(file, index),
                how,
                text,
                share,
                _copied(facts, seen),
                _is_told(file, index, name),
                _is_none_at_first(facts, seen.place),
            )
            break


def _change(facts: ProgramFacts, file: File, index: int, binding: Binding, name: str) -> How | None:
    """How an assignment changes what was there."""
    value = binding.value
    if binding.how == "augment":
        return "scaled" if binding.operator in _SCALES or binding.operator in {f"{one}=" for one in _SCALES} else None
    if isinstance(value, ir.Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return "replaced" if value.value > 0 else None
    if is_layout(value):
        return "replaced"
    if isinstance(value, ir.Binary) and value.operator in _SCALES and dotted(value.left) == dotted(binding.target):
        return "scaled"
    limit = bound(facts, file, index, binding, name)
    if limit is not None:
        return limit
    target = dotted(binding.target)
    if value is None or target is None or binding.how != "assign" or not _is_product(value):
        return None
    return "calculated" if how_changed(facts, file, index, target) == "replaced" else None


def _is_product(value: Expr) -> bool:
    """Whether a value is calculated by multiplying or dividing, roundings aside."""
    while isinstance(value, ir.Call) and arithmetic.function_name(value) is not None and len(value.args) == 1:
        value = value.args[0].value
    return isinstance(value, ir.Binary) and value.operator in _SCALES


def _is_none_at_first(facts: ProgramFacts, place: Field) -> bool:
    """Whether a record declares a field with None, which says that the user gave nothing."""
    for owner in facts.program.classes.mro(place.owner):
        index = facts.program.classes.declaration(owner, place.name)
        if index is not None:
            values = [b.value for b in owner.file.statement(index).bindings if dotted(b.target) == place.name]
            return any(isinstance(value, ir.Const) and value.value is None for value in values)
    return False


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
        if how == "scaled" and text.endswith(f"{name} is not None"):
            continue  # that asks whether there is something to scale, which is so the second time as well
        # What raises otherwise says which values are valid; a valid one may still be scaled twice.
        if word.search(text) and (how != "scaled" or one.how != "check" or "None" in text):
            return True
    return False


def _is_told(file: File, index: int, name: str) -> bool:
    """Whether a statement of the same block logs something about the setting."""
    rows = file.outline.statements
    words = re.compile(rf"\b(?:--)?{re.escape(name).replace('_', '[_ -]')}\b")
    siblings = (at for at, row in enumerate(rows) if (row.parent, row.block, row.scope) == _block(rows[index]) and at != index)
    texts = (file.own_text(at) for at in siblings if rows[at].kind == "expression")
    return any(_TELLS.match(text) and words.search(text) for text in texts)


def _block(row: StatementOutline) -> tuple[int, str, int]:
    return row.parent, row.block, row.scope


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
