"""The configuration rows of the models, resolved in one program: which classes and functions they name, and for which records."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.models.patterns import last_name, matches
from sgmem.program.entities import Class, Function, Global
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.models.load import Table
    from sgmem.models.rows import ConfigKind, ConfigRow
    from sgmem.program.assembled import Assembled
    from sgmem.program.files import File
    from sgmem.program.names import Names
    from sgmem.program.spelling import Spelling
    from sgmem.syntax.ir import Expr

_SETTING = re.compile(r"setattr(?:__)?\(\s*(\w+)\s*,\s*(\w+)\s*,\s*(\w+)\s*,?\s*\)")
_DICTS = (ir.Dict, ir.Comprehension)


class Idioms:
    """Answers for single definitions; a row counts only where the definition looks as its kind must."""

    def __init__(self, names: Names, assembled: Assembled, spelling: Spelling, rows: Table[ConfigRow] | None) -> None:
        self.names = names
        self.assembled = assembled
        self.spelling = spelling
        self.rows = rows
        self._taken: dict[Class, tuple[Expr, ...]] = {}
        self._views: dict[Class, tuple[Class, ...]] = {}
        self._writers: dict[Function, tuple[tuple[str, tuple[Class, ...]], ...]] = {}
        self._providers: dict[Function, tuple[Class, ...]] = {}

    @cached_property
    def records(self) -> tuple[Class, ...]:
        """The records that rows name, and those that are assembled at run time."""
        named = [one for row in self.rows.rows for pattern in row.of for one in self.matching(pattern)] if self.rows is not None else []
        return tuple(dict.fromkeys([*self.assembled.owners, *(one for one in named if not is_view(one))]))

    def taken_by_name(self, owner: Class) -> tuple[Expr, ...]:
        """The annotations of the values that a class's own methods set as attributes of computed names."""
        found = self._taken.get(owner)
        if found is None:
            found = self._taken[owner] = tuple(_taken(owner))
        return found

    def views(self, owner: Class) -> tuple[Class, ...]:
        """The records whose fields the attributes of a view are."""
        found = self._views.get(owner)
        if found is None:
            rows = [row for row in self._rows(owner.qualified, "view") if is_view(owner)]
            found = self._views[owner] = self._records(rows)
        return found

    def writers(self, function: Function) -> tuple[tuple[str, tuple[Class, ...]], ...]:
        """The parameters of a function that hold fields by name, each with the classes whose fields are written."""
        found = self._writers.get(function)
        if found is None:
            rows = [row for row in self._rows(function.qualified, "writer") if is_writer(function, row)]
            found = self._writers[function] = tuple((row.fields, self._records([row])) for row in rows if row.fields is not None)
        return found

    def providers(self, function: Function) -> tuple[Class, ...]:
        """The records whose fields a function decides by the dict that it returns, as its decorator says."""
        found = self._providers.get(function)
        if found is None:
            found = self._providers[function] = self._records(self._provider_rows(function))
        return found

    def tables(self, file: File, name: str) -> tuple[Class, ...]:
        """The records whose fields a module-level dict of dicts decides."""
        rows = self._rows(f"{file.module}:{name}", "table")
        return self._records(rows) if rows and is_table(Global(file, name)) else ()

    def _provider_rows(self, function: Function) -> list[ConfigRow]:
        rows = []
        for span in function.scope.decorators if self.rows is not None else ():
            node = function.file.expression(span)
            entity = self.names.entity(node.func if isinstance(node, ir.Call) else node, function.file, function.scope.parent)
            if isinstance(entity, Function):
                rows += self._rows(entity.qualified, "provider")
        return rows

    def _rows(self, name: str, kind: ConfigKind) -> list[ConfigRow]:
        return [row for row in self.rows.find_all(name) if row.kind == kind] if self.rows is not None else []

    def _records(self, rows: Iterable[ConfigRow]) -> tuple[Class, ...]:
        return tuple(dict.fromkeys(one for row in rows for pattern in row.of for one in self.matching(pattern)))

    def matching(self, pattern: str) -> list[Class]:
        """The module-level classes that a pattern names."""
        return [one for one in self.spelling.named(last_name(pattern)) if matches(pattern, one.qualified)]


def _taken(owner: Class) -> Iterator[Expr]:
    for index in owner.file.children(owner.index).values():
        scope = owner.file.scope(index)
        if scope.kind != "function" or len(scope.parameters) < 3:
            continue
        text = owner.file.source.slice(scope.span)
        receiver = scope.parameters[0].name
        for match in _SETTING.finditer(text):
            value = next((p for p in scope.parameters if p.name == match[3]), None)
            if match[1] == receiver and any(p.name == match[2] for p in scope.parameters) and value is not None:
                if value.annotation is not None:
                    yield owner.file.expression(value.annotation)


def is_view(owner: Class) -> bool:
    """Whether a class answers for attributes that it has not."""
    return owner.file.child(owner.index, "__getattr__") is not None


def is_writer(function: Function, row: ConfigRow) -> bool:
    """Whether a function has the parameter that is to hold the fields: open keywords, or a dict."""
    parameter = function.parameter(row.fields or "")
    return parameter is not None and parameter.kind != "star"


def is_table(variable: Global) -> bool:
    """Whether a module gives a variable a dict whose values are dicts."""
    file = variable.file
    for index in file.mentions_in(0, variable.name):
        for binding in file.statement(index).bindings:
            if isinstance(binding.value, ir.Dict) and all(isinstance(value, _DICTS) for _, value in binding.value.items):
                return True
    return False
