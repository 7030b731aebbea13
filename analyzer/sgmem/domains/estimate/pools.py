"""The pools of a program: classes that models know for pools, what derives from them, and where they are built."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.entities import Class
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program

MAX_CLASSES = 200
_ASIDE = re.compile(r"(^|/)(tests?|benchmarks?|examples?)(/|$)|(^|/)(test_|bench_)[^/]*$")
"""Files that build pools for a trial, which no budget pays for."""


_HELD = re.compile(r"(?:[^=!<>]=|\belse|\breturn|\bor)\s*\(?\s*(?:\w+\.)?$|\n\s*$")
"""What stands before a class that is put into a variable: an assignment, the other side of a choice."""


@Scan
def _may_build(text: str, name: str) -> bool:
    """Whether a text calls a name, or puts it into a variable."""
    at = text.find(name)
    while at >= 0:
        before, after = text[max(0, at - 80) : at], text[at + len(name) : at + len(name) + 1]
        if after == "(" and not before.endswith("class "):
            return True
        if not (after.isalnum() or after == "_") and _HELD.search(before) is not None:
            return True
        at = text.find(name, at + len(name))
    return False


class Construction(msgspec.Struct, frozen=True):
    """`call`, in a function outside the pools, builds an object of `owner`."""

    file: File
    statement: int
    call: ir.Call
    owner: Class

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope


class Pools:
    """Pools of device memory."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self._rows = [row for row in models.sinks.rows if row.kind == "pool"]
        self._models = models

    @cached_property
    def classes(self) -> frozenset[Class]:
        """Every class that a model calls a pool on the device, and every class derived from one."""
        found: dict[Class, None] = {}
        pending: list[Class] = []
        for name, paths in self.program.files.class_names.items():
            if any(row.kind == "pool" for row in self._models.sinks.rows_for_name(name)):
                for path in dict.fromkeys(paths):
                    pending += [one for one in self._classes_of(path, name) if self._is_pool(one)]
        while pending and len(found) < MAX_CLASSES:
            owner = pending.pop()
            if owner not in found:
                found[owner] = None
                pending += [one for one in self.program.classes.subclasses(owner) if not self.is_host(one)]
        return frozenset(found)

    def _classes_of(self, path: str, name: str) -> Iterator[Class]:
        file = self.program.files.get(path) if not _ASIDE.search(path) else None
        if file is not None:
            for index, scope in enumerate(file.outline.scopes):
                if scope.kind == "class" and scope.name == name:
                    yield Class(file, index)

    def _is_pool(self, owner: Class) -> bool:
        row = self._models.sinks.find(f"{owner.qualified}.__init__")
        return row is not None and row.kind == "pool" and row.where == "device"

    def is_host(self, owner: Class) -> bool:
        """Whether objects of a class hold host memory, by its name or an ancestor's."""
        return any(self._is_host_class(each) for each in self.program.classes.mro(owner))

    def _is_host_class(self, owner: Class) -> bool:
        row = self._models.sinks.find(f"{owner.qualified}.__init__")
        return row is not None and row.where == "host"

    @cached_property
    def constructions(self) -> tuple[Construction, ...]:
        """Every call outside the pools themselves that builds one, in source order by file."""
        names = {owner.name for owner in self.classes}
        scopes: dict[tuple[File, int], None] = {}
        for name in sorted(names):
            for path in self.program.files.tree.mentioning(name):
                builds = not _ASIDE.search(path) and self.program.files.scanned(path, _may_build, name)
                file = self.program.files.get(path) if builds else None
                for index in file.mentions(name) if file is not None else ():
                    scope = file.outline.statements[index].scope if file is not None else 0
                    if file is not None and file.scope(scope).kind == "function" and not self._inside_pool(file, scope):
                        scopes[(file, scope)] = None
        found = (one for file, scope in scopes for one in self._in_scope(file, scope, names))
        return tuple(sorted(found, key=lambda one: (one.file.path, one.statement, one.owner.qualified)))

    def _inside_pool(self, file: File, scope: int) -> bool:
        parent = file.scope(scope).parent
        return file.scope(parent).kind == "class" and Class(file, parent) in self.classes

    def _in_scope(self, file: File, scope: int, names: set[str]) -> Iterator[Construction]:
        """The calls of a function whose callee is a pool's class, or a variable that holds one."""
        spelled = names | self._holders(file, scope, names)
        called = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, spelled)))})\(")
        for index in file.own_statements(scope):
            if called.search(file.own_text(index)) is None:
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call):
                        for one in self.program.values.callables(node.func, file, scope):
                            if isinstance(one.target, Class) and one.target in self.classes:
                                yield Construction(file, index, node, one.target)

    def _holders(self, file: File, scope: int, names: set[str]) -> set[str]:
        """The variables of a function that may hold a pool's class: assigned in a statement that names one."""
        named = re.compile(rf"=[^=].*\b(?:{'|'.join(sorted(map(re.escape, names)))})\b(?!\()", re.DOTALL)
        found: set[str] = set()
        for index in file.own_statements(scope):
            if file.outline.statements[index].kind in ("assign", "annotate") and named.search(file.own_text(index)):
                found |= {b.target.id for b in file.statement(index).bindings if isinstance(b.target, ir.Name)}
        return found

    @cached_property
    def builders(self) -> frozenset[tuple[File, int]]:
        """The functions that build a pool."""
        return frozenset((one.file, one.scope) for one in self.constructions)
