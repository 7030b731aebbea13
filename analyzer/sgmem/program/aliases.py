"""Under which names a function or class may be called: its own, imports under another name, variables, fields and tables that hold
it. Each name comes with the files to search, or None for all that mention it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.contexts import called, held, occurs
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.program.files import File, Files
    from sgmem.syntax.ir import Expr

    Spellings = dict[str, list[File] | None]

_MAX_STEPS = 4
_COMMON = 40
"""A name that more files than this mention is searched only where it is known to hold the callable."""


class Aliases:
    """Finds the names that hold a callable over one program."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def of(self, name: str) -> Spellings:
        """The names that hold what is called `name`, those that hold such a name in turn included; `name` itself comes first."""
        found: Spellings = {name: None}
        frontier = [name]
        for _ in range(_MAX_STEPS):
            reached = [pair for each in frontier for pair in self._held_under(each, found[each])]
            frontier = [alias for alias, _ in reached if alias not in found]
            for alias, file in reached:
                add(found, alias, file)
            frontier = list(dict.fromkeys(frontier))
        return found

    def of_instances(self, name: str) -> Spellings:
        """The names that hold an instance of the class called `name`."""
        found: Spellings = {}
        for file in self.files.mentioning(name, called):
            for index in file.mentions(name):
                if occurs(file.own_text(index), name, called):
                    for alias, everywhere in _given(file, index, lambda value: _builds(value, name)):
                        add(found, alias, None if everywhere else file)
        return found

    def _held_under(self, name: str, files: list[File] | None) -> Iterator[tuple[str, File | None]]:
        if files is None and len(self.files.tree.mentioning(name)) > _COMMON * 10:
            return
        for file in files if files is not None else self.files.mentioning(name, held):
            for alias, everywhere in (*_imported(file, name), *self._assigned(file, name)):
                if alias != name:
                    common = len(self.files.tree.mentioning(alias)) > _COMMON
                    yield alias, file if not everywhere or common else None

    def _assigned(self, file: File, name: str) -> Iterator[tuple[str, bool]]:
        for index in file.mentions(name):
            if occurs(file.own_text(index), name, held):
                yield from _given(file, index, lambda value: _stands_as_value(value, name))


def add(spellings: Spellings, name: str, file: File | None) -> None:
    """Note that a name is to be searched in a file, or everywhere."""
    known = spellings.get(name, [])
    if file is None or known is None:
        spellings[name] = None
    elif file not in known:
        spellings[name] = [*known, file]


def _imported(file: File, name: str) -> Iterator[tuple[str, bool]]:
    """`from module import name as other`: another module may import it from here."""
    for rows in file.imports.values():
        for bound, imports in rows.items():
            if bound != name and any(row.name == name for row in imports):
                yield bound, True


def _given(file: File, index: int, holds: Callable[[Expr], bool]) -> Iterator[tuple[str, bool]]:
    """The names that statement `index` gives a value that `holds` accepts, each with whether it may be used outside the file."""
    row = file.outline.statements[index]
    local = file.scope(row.scope).kind == "function"
    if row.kind == "function":
        for parameter in file.scope(file.scope_defined_by[index]).parameters:
            if parameter.default is not None and holds(file.expression(parameter.default)):
                yield parameter.name, False
        return
    statement = file.statement(index)
    if row.kind == "return":
        if local and any(holds(value) for value in statement.values):
            yield file.scope(row.scope).name, True
        return
    for binding in statement.bindings:
        if binding.value is not None and holds(binding.value):
            yield from _holders(binding.target, local)
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Walrus) and holds(node.value):
                yield node.target.id, not local


def _holders(target: Expr, local: bool) -> Iterator[tuple[str, bool]]:
    """The names of an assignment's targets: variables, fields, tables under whose keys something is put."""
    if isinstance(target, ir.Subscript):
        target = target.base
    if isinstance(target, ir.Name):
        yield target.id, not local
    elif isinstance(target, ir.Attribute):
        yield target.attr, True
    elif isinstance(target, ir.Collection):
        for part in target.items:
            yield from _holders(part, local)


def _stands_as_value(value: Expr, name: str) -> bool:
    """Whether `name` itself, not a call of it, is (part of) the value."""
    pending = [value]
    while pending:
        node = pending.pop()
        if (isinstance(node, ir.Name) and node.id == name) or (isinstance(node, ir.Attribute) and node.attr == name):
            return True
        if isinstance(node, ir.Call):
            pending += [argument.value for argument in node.args]
        elif isinstance(node, ir.Subscript):
            pending.append(node.base)
        elif isinstance(node, ir.Conditional):
            pending += [node.body, node.orelse]
        elif isinstance(node, ir.Dict | ir.Collection | ir.Boolean | ir.Walrus):
            pending += node.children()
    return False


def _builds(value: Expr, name: str) -> bool:
    """Whether a value is a call of `name`."""
    if isinstance(value, ir.Await | ir.Walrus):
        value = value.value
    if isinstance(value, ir.Conditional):
        return _builds(value.body, name) or _builds(value.orelse, name)
    func = value.func if isinstance(value, ir.Call) else None
    return (isinstance(func, ir.Name) and func.id == name) or (isinstance(func, ir.Attribute) and func.attr == name)
