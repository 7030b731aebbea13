"""Fields written by computed names: `setattr(target, name, value)`, and methods that do nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.contexts import positions, set_by_name
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_SETTING = re.compile(r"setattr(?:__)?\(\s*[\w.]+\s*,\s*[\w.]+\s*,")
_COPYING = re.compile(r"setattr(?:__)?\(\s*[\w.]+\s*,\s*([\w.]+)\s*,\s*(?:(\w+)\s*,?\s*\)|[\w.]+\([\s\S]{0,200}?\b\1\b)")
_OWN = re.compile(r"setattr(?:__)?\(\s*self\s*,\s*(\w+)\s*,\s*(\w+)\s*,?\s*\)")
_GIVEN = re.compile(r"\s*=\s*[\w.]+\(")
_ARGUMENTS = 200
_NEAR = 8000
"""How far before a write what it stores is read, and the method that it stands in is defined."""
_SETTERS = {"setattr", "__setattr__"}


class NamedWrite(msgspec.Struct, frozen=True):
    """A statement that writes the field of `target` whose name is in `key`."""

    file: File
    statement: int
    call: ir.Call
    target: Expr
    key: Expr
    value: Expr


class NamedWrites:
    """Finds writes by computed names; answers are memoised.

    What can be told by the text alone is: few of the many files that set attributes by name are parsed.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._sets: dict[str, tuple[NamedWrite, ...]] = {}

    def copying(self, words: frozenset[str] | None) -> Iterator[NamedWrite]:
        """The writes by a computed name that seem to store what they read by the same name, in all files or those that mention one of
        `words`."""
        paths = self._candidates if words is None else self.program.files.mentioning_any(self._candidates, words)
        for path in paths:
            yield from self._in(path)

    @cached_property
    def _candidates(self) -> tuple[str, ...]:
        """The files in which something may be copied by name: directly, or by a setting method."""
        tree = self.program.files.tree
        found = dict.fromkeys(self._seeming)
        for setter, _, _ in self.setters:
            assert setter.owner is not None
            found.update(dict.fromkeys(sorted(set(tree.mentioning(setter.name)).intersection(tree.mentioning(setter.owner.name)))))
        return tuple(found)

    def _in(self, path: str) -> tuple[NamedWrite, ...]:
        found = self._sets.get(path)
        if found is None:
            calls = (write for setter in self.setters for write in self._calls_of(*setter, path))
            found = self._sets[path] = (*self._direct(path), *calls)
        return found

    @cached_property
    def _seeming(self) -> dict[str, list[int]]:
        """The places in each file where setattr seems to store what is read by the same name."""
        return {path: places for path in self._setting_files if (places := self.program.files.scanned(path, _copies_in))}

    def _direct(self, path: str) -> Iterator[NamedWrite]:
        for file, index in self._statements(path, self._seeming.get(path, [])):
            yield from _sets(file, index)

    def _statements(self, path: str, offsets: list[int]) -> Iterator[tuple[File, int]]:
        """The statements at some offsets of a file; it is parsed only if there are any."""
        file = self.program.files.get(path) if offsets else None
        if file is not None:
            indices = {file.statement_at(*file.source.position(at)) for at in offsets}
            yield from ((file, index) for index in sorted(indices) if index >= 0)

    @cached_property
    def _setting_files(self) -> tuple[str, ...]:
        """The files that set attributes by computed names."""
        return tuple(dict.fromkeys(path for word in sorted(_SETTERS) for path in self.program.files.holding(word, set_by_name)))

    @cached_property
    def setters(self) -> tuple[tuple[Function, int, int], ...]:
        """The methods that do nothing with a name and a value but set that attribute, with the positions of both arguments."""
        found: dict[Function, tuple[int, int]] = {}
        for path in self._setting_files:
            for file, index in self._statements(path, self.program.files.scanned(path, _setters_in)):
                for write in _sets(file, index):
                    setter = self._setter(write)
                    if setter is not None:
                        found[setter[0]] = setter[1:]
        return tuple((function, *places) for function, places in found.items())

    def _setter(self, write: NamedWrite) -> tuple[Function, int, int] | None:
        function = self.program.calls.inside(write.file, write.statement)
        if function is None or function.receiver is None or dotted(write.target) != function.receiver or function.name == "__setattr__":
            return None
        names = [parameter.name for parameter in function.parameters]
        key, value = dotted(write.key), dotted(write.value)
        if key not in names or value not in names:
            return None
        return function, names.index(key) - 1, names.index(value) - 1

    def _calls_of(self, setter: Function, key: int, value: int, path: str) -> Iterator[NamedWrite]:
        """The calls of a setting method with a computed name in a file, if that mentions its class."""
        assert setter.owner is not None
        source = self.program.files.source(path)
        if source is not None and setter.owner.name in source.text:
            calls = re.finditer(rf"\.{re.escape(setter.name)}\(\s*[\w.]+\s*,", source.text)
            for file, index in self._statements(path, [match.start() for match in calls]):
                yield from self._calls_at(file, index, setter, key, value)

    def _calls_at(self, file: File, index: int, setter: Function, key: int, value: int) -> Iterator[NamedWrite]:
        for node in (node for root in file.statement(index).expressions() for node in ir.walk(root)):
            if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attribute) or node.func.attr != setter.name:
                continue
            given = [argument.value for argument in node.args]
            if len(given) <= max(key, value) or isinstance(given[key], ir.Const):
                continue
            targets = self.program.calls.targets(node, file, file.outline.statements[index].scope)
            if any(target == setter for target, _, _ in targets):
                yield NamedWrite(file, index, node, node.func.base, given[key], given[value])

    def inside(self, function: Function) -> Iterator[NamedWrite]:
        """The writes by computed names in a function, those by setting methods included."""
        file, row = function.file, function.scope
        for index in sorted({index for word in _SETTERS for index in file.mentions(word)}):
            if row.first <= index < row.last and _SETTING.search(file.own_text(index)):
                yield from _sets(file, index)
        for setter in self.setters:
            if file.contains(setter[0].name):
                yield from (write for write in self._calls_of(*setter, file.path) if row.first <= write.statement < row.last)


def _sets(file: File, index: int) -> Iterator[NamedWrite]:
    """The calls of setattr with a computed name in one statement."""
    for node in (node for root in file.statement(index).expressions() for node in ir.walk(root)):
        if isinstance(node, ir.Call) and (dotted(node.func) or "").rpartition(".")[2] in _SETTERS and len(node.args) == 3:
            target, key, value = (argument.value for argument in node.args)
            if not isinstance(key, ir.Const):
                yield NamedWrite(file, index, node, target, key, value)


@Scan
def _copies_in(text: str) -> list[int]:
    """Where setattr seems to store what is read by the same name."""
    return [match.start() for match in _COPYING.finditer(text) if match[2] is None or _reads_before(match)]


@Scan
def _setters_in(text: str) -> list[int]:
    """Where a method seems to do nothing but set an attribute."""
    return [match.start() for match in _OWN.finditer(text) if _takes_both(match)]


def _reads_before(match: re.Match[str]) -> bool:
    """Whether the text before a write gives a variable what a call with the key returns: `value = getattr(record, key)`."""
    key, before = match[1], _before(match)
    given = (_GIVEN.match(before, at + len(match[2])) for at in positions(before, match[2]))
    handed = (before[call.end() : call.end() + _ARGUMENTS + len(key) + 1] for call in given if call is not None)
    return any(at <= _ARGUMENTS for arguments in handed for at in positions(arguments, key))


def _takes_both(match: re.Match[str]) -> bool:
    """Whether a method with these parameters, in this order, is defined before a write."""
    key, value = re.escape(match[1]), re.escape(match[2])
    return re.search(rf"def\s+\w+\(\s*self\s*,[^)]*\b{key}\b[^)]*\b{value}\b", _before(match)) is not None


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _NEAR) : match.start()]
