"""The definitions of a source that model rows name. Texts are searched first; only files that seem to match are parsed."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.models.patterns import last_name, matches
from sgmem.models.rows import ConfigRow
from sgmem.program.entities import Class, Function, Global
from sgmem.queries.results.models import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.rows import Row
    from sgmem.program.files import File
    from sgmem.program.program import Program

_DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)


class Definitions:
    """Finds functions, classes and, for tables, module-level variables."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def matching(self, row: Row) -> tuple[Definition, ...]:
        """What a row names, in order of path and line."""
        return tuple(sorted(map(described, self.entities(row)), key=lambda one: (one.path, one.line)))

    def entities(self, row: Row) -> list[Class | Function | Global]:
        found: dict[Class | Function | Global, None] = {}
        for pattern in row.names:
            for name in self._names(last_name(pattern)):
                for path in self._by_name.get(name, ()):
                    found.update(dict.fromkeys(one for one in self._in(path, name) if _applies(row, pattern, one.qualified)))
            if isinstance(row, ConfigRow) and row.kind == "table":
                found.update(dict.fromkeys(self._variables(pattern)))
        return list(found)

    def _names(self, last: str) -> list[str]:
        return [last] if "*" not in last else [name for name in self._by_name if fnmatchcase(name, last)]

    @cached_property
    def _by_name(self) -> dict[str, dict[str, None]]:
        """The names of all definitions by text alone, each with the files that define it."""
        found: dict[str, dict[str, None]] = {}
        for path in sorted(self.program.files.paths):
            source = self.program.files.source(path)
            for name in _DEFINED.findall(source.text) if source is not None else ():
                found.setdefault(name, {})[path] = None
        return found

    def _in(self, path: str, name: str) -> Iterator[Class | Function]:
        file = self.program.files.get(path)
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.name == name and scope.kind in ("class", "function"):
                yield Class(file, index) if scope.kind == "class" else Function(file, index)

    def _variables(self, pattern: str) -> Iterator[Global]:
        name = last_name(pattern)
        for path in self.program.files.tree.mentioning(name):
            file = self.program.files.get(path)
            if file is not None and matches(pattern, f"{file.module}:{name}") and self.program.names.bindings(file, 0, name):
                yield Global(file, name)


def _applies(row: Row, pattern: str, qualified: str) -> bool:
    return matches(pattern, qualified) and not any(matches(other, qualified) for other in row.unless)


def described(entity: Class | Function | Global) -> Definition:
    """A definition with the line of its header; of a variable, of the statement that first binds it."""
    if isinstance(entity, Global):
        return Definition(f"{entity.file.module}:{entity.name}", entity.file.path, _line_of(entity.file, entity.name))
    span = entity.file.outline.statements[entity.scope.statement].span
    return Definition(entity.qualified, entity.file.path, span.line)


def _line_of(file: File, name: str) -> int:
    return next((file.outline.statements[index].span.line for index in file.mentions_in(0, name)), 1)
