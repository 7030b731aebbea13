"""Rows that a source seems to need: definitions that look like a known kind, and that neither a row nor the code itself explains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.flow.by_name import ByName
from sgmem.models.patterns import last_name
from sgmem.program.entities import Class, Function
from sgmem.program.files import dotted
from sgmem.queries.models.definitions import described
from sgmem.queries.results.models import Suggestion
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.queries.models.definitions import Definitions

_OPEN = re.compile(r"def\s+\w+\([^)]*\*\*\w+")
_KEEPS = re.compile(r"\.(?:append|extend|update|setdefault)\(|\]\s*=")
_FLAGS = "add_argument"
_MIN_FIELDS = 3


def suggested(program: Program, models: Models, definitions: Definitions) -> tuple[Suggestion, ...]:
    """Views, writers, providers and measurements without a row. They are guesses: each is to be read before it is used."""
    finder = _Finder(program, models)
    found = [*finder.measurements(definitions), *finder.views(), *finder.writers(), *finder.providers()]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.table, one.definition.path, one.definition.line)))


class _Finder:
    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        self.by_name = ByName(program)
        self.records = self._records()

    def _records(self) -> list[Class]:
        """The configuration records: those that rows name, else the records of the files that declare flags, largest first."""
        named = [one for row in self.models.config.rows for pattern in row.of for one in self.program.idioms.matching(pattern)]
        classes = self.program.classes
        records = [one for one in dict.fromkeys(named) if classes.is_record(one)]
        if records:
            return records
        for path in self.program.files.tree.mentioning(_FLAGS):
            file = self.program.files.get(path)
            if file is not None:
                inner = (Class(file, index) for index in file.children(0).values() if file.scope(index).kind == "class")
                records += [one for one in inner if classes.is_record(one) and len(classes.record_fields(one)) >= _MIN_FIELDS]
        return sorted(records, key=lambda one: -len(classes.record_fields(one)))[:1]

    def measurements(self, definitions: Definitions) -> Iterator[Suggestion]:
        """Functions that return what a known gauge of a library reads, and that no row names."""
        for row in self.models.measurements.rows:
            if definitions.matching(row):
                continue
            attributes = [result.attribute for result in row.results]
            for word in sorted({last for pattern in row.names if "*" not in (last := last_name(pattern))}):
                for path in self.program.files.tree.mentioning(word):
                    file = self.program.files.get(path)
                    for index in file.mentions(word) if file is not None else ():
                        if file is not None and (None in attributes or any(f".{name}" in file.own_text(index) for name in attributes)):
                            yield from self._measuring(file, index, word)

    def _measuring(self, file: File, index: int, word: str) -> Iterator[Suggestion]:
        function = self.program.calls.inside(file, index)
        if function is None or self.models.measurements.find(function.qualified) is not None:
            return
        if file.outline.statements[index].kind == "return" and self._reads_gauge(file, index, word):
            unit = "GiB" if "1 << 30" in file.own_text(index) or "1024**3" in file.own_text(index) else "bytes"
            toml = _toml("measurement", function, scope='"device"', results=f'[{{ unit = "{unit}" }}]')
            yield Suggestion("measurement", described(function), f"it returns what {word} reads", toml)

    def _reads_gauge(self, file: File, index: int, word: str) -> bool:
        nodes = (node for root in file.statement(index).values for node in ir.walk(root))
        return any(isinstance(node, ir.Call) and (dotted(node.func) or "").rpartition(".")[2] == word for node in nodes)

    def views(self) -> Iterator[Suggestion]:
        """Classes that answer for attributes of their own finding, in a file that names a record, without a row or a visible source."""
        for file, record in self._near("__getattr__"):
            for index, scope in enumerate(file.outline.scopes):
                if scope.kind != "class" or file.child(index, "__getattr__") is None:
                    continue
                owner = Class(file, index)
                if any(setter.owner == owner for setter, _, _ in self.by_name.writes.setters):
                    continue  # a bag: what fills it is visible
                if not self._mentions(file.source.slice(scope.span), record):
                    continue
                fields = self.program.classes.record_fields(record)
                if fields and not self.program.idioms.views(owner) and not self.program.values.proxied(owner, fields[0]):
                    toml = _toml("config", owner, kind='"view"', of=_pattern(record))
                    yield Suggestion("config", described(owner), f"it finds attributes itself, near {record.name}", toml)

    def writers(self) -> Iterator[Suggestion]:
        """Functions that keep all of their open keywords somewhere, beside a record that they are given."""
        for file, record in self._near(""):
            for index, scope in enumerate(file.outline.scopes):
                function = Function(file, index)
                rest = next((p.name for p in scope.parameters if p.kind == "double-star"), None) if scope.kind == "function" else None
                if rest is None or self.program.idioms.writers(function) or self.by_name.stores(function, rest):
                    continue
                given = [p.name for p in scope.parameters if p.name != rest]
                texts = [file.own_text(i) for i in file.mentions_in(index, rest)]
                if self._spells(given, record) and any(_KEEPS.search(text) for text in texts):
                    toml = _toml("config", function, kind='"writer"', of=_pattern(record), fields=f'"{rest}"')
                    yield Suggestion("config", described(function), f"it keeps its keywords for {record.name}", toml)

    def providers(self) -> Iterator[Suggestion]:
        """Decorators of functions that return dicts whose keys are fields of a record."""
        for file, record in self._near("return {"):
            fields = set(self.program.classes.record_fields(record))
            for index, scope in enumerate(file.outline.scopes):
                function = Function(file, index)
                if scope.kind != "function" or not scope.decorators or self.program.idioms.providers(function):
                    continue
                if _returned_keys(function) & fields and _returned_keys(function) <= fields:
                    for decorator in self._decorators(function):
                        toml = _toml("config", decorator, kind='"provider"', of=_pattern(record))
                        yield Suggestion("config", described(decorator), f"{function.name} returns fields of {record.name}", toml)

    def _decorators(self, function: Function) -> Iterator[Function]:
        for span in function.scope.decorators:
            node = function.file.expression(span)
            node = node.func if isinstance(node, ir.Call) else node
            entity = self.program.names.entity(node, function.file, function.scope.parent)
            if isinstance(entity, Function):
                yield entity

    def _near(self, text: str) -> Iterator[tuple[File, Class]]:
        """The files that mention a record, or a variable that spells it, and hold a text."""
        from sgmem.program.class_index import snake_case

        for record in self.records:
            words = (record.name, snake_case(record.name))
            for path in dict.fromkeys(path for word in words for path in self.program.files.tree.mentioning(word)):
                source = self.program.files.source(path)
                holds = source is not None and (text in source.text if text else _OPEN.search(source.text) is not None)
                file = self.program.files.get(path) if holds else None
                if file is not None:
                    yield file, record

    def _mentions(self, text: str, record: Class) -> bool:
        from sgmem.program.class_index import snake_case

        return re.search(rf"\b_?(?:{record.name}|{snake_case(record.name)})\b", text) is not None

    def _spells(self, names: list[str], record: Class) -> bool:
        from sgmem.program.class_index import snake_case

        return snake_case(record.name) in names


def _returned_keys(function: Function) -> set[str]:
    """The literal keys of the dicts that a function returns."""
    keys: set[str] = set()
    for index in function.file.own_statements(function.index):
        if function.file.outline.statements[index].kind == "return":
            for value in function.file.statement(index).values:
                if isinstance(value, ir.Dict):
                    keys |= {str(key.value) for key, _ in value.items if isinstance(key, ir.Const)}
    return keys


def _pattern(entity: Class) -> str:
    return f'["{pattern_of(entity)}"]'


def pattern_of(entity: Class | Function) -> str:
    """A qualified pattern that still matches where packages around the module move: `**.config:Record`."""
    module, _, qualname = entity.qualified.partition(":")
    return f"**.{module.rpartition('.')[2]}:{qualname}"


def _toml(table: str, entity: Class | Function, **fields: str) -> str:
    lines = [f"[[{table}]]", f'names = ["{pattern_of(entity)}"]', *(f"{key} = {value}" for key, value in fields.items())]
    return "\n".join([*lines, 'why = "say where the fact comes from"'])
