"""The options of a program: which record fields a user sets, by which flag, and what the help text says of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.flow.places import Field
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class Option(msgspec.Struct, frozen=True):
    """`flag` as it is written on the command line, `help` on one line, and where the option is declared."""

    flag: str
    help: str
    location: Location


class Options:
    """Finds the options of a program, memoised by name and by field."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._found: dict[str, tuple[Option, ...]] = {}
        self._declared: dict[Field, Option | None] = {}
        self._named: dict[str, Option | None] = {}

    def is_option(self, field: Field) -> bool:
        return self.of_field(field) is not None

    def of_field(self, field: Field) -> Option | None:
        """The option that fills a record's field: one that a parser adds, or one that the field's annotation describes."""
        if field not in self._declared:
            self._declared[field] = self._of_field(field)
        return self._declared[field]

    def _of_field(self, field: Field) -> Option | None:
        classes = self.program.classes
        index = classes.declaration(field.owner, field.name)
        if index is None or not classes.is_record(field.owner):
            return None
        for added in self._all_added(field.name):
            if _fills(added, field):
                return added
        return _annotated(field.owner.file, index, field.name)

    def declared_none(self, field: Field) -> Location | None:
        """Where an option's field is declared with None, which it is where the user gives nothing and nothing else fills it in."""
        index = self.program.classes.declaration(field.owner, field.name)
        if index is None or not self.is_option(field):
            return None
        file = field.owner.file
        values = (b.value for b in file.statement(index).bindings)
        if any(isinstance(value, ir.Const) and value.value is None for value in values):
            return Location(file, index, file.statement(index).span)
        return None

    def named(self, name: str) -> Option | None:
        """The option of a name, of whatever record: one that a parser adds, or one that a field's annotation describes."""
        if name not in self._named:
            self._named[name] = self.added(name) or self._described(name)
        return self._named[name]

    def _described(self, name: str) -> Option | None:
        declared = re.compile(rf"^[ \t]+{re.escape(name)}[ \t]*:[ \t]*[\w.]+\[".encode(), re.MULTILINE)
        tree = self.program.files.tree
        for path in tree.mentioning(name):
            file = self.program.files.get(path) if declared.search(tree.read(path)) is not None else None
            for index in file.mentions(name) if file is not None else ():
                row = file.outline.statements[index] if file is not None else None
                if file is not None and row is not None and row.kind == "annotate" and file.scope(row.scope).kind == "class":
                    option = _annotated(file, index, name)
                    if option is not None:
                        return option
        return None

    def added(self, name: str) -> Option | None:
        """The option that some parser adds for a name: by its flag, or by `dest`."""
        return next(iter(self._all_added(name)), None)

    def _all_added(self, name: str) -> tuple[Option, ...]:
        if name not in self._found:
            self._found[name] = tuple(self._added(name))
        return self._found[name]

    def _added(self, name: str) -> Iterator[Option]:
        flag = "--" + name.replace("_", "-")
        spelled = (f'"{flag}"', f"'{flag}'", f'dest="{name}"', f"dest='{name}'")
        files = self.program.files
        for path in sorted({path for text in spelled for path in files.containing("add_argument", text)}):
            file = files.get(path)
            if file is None:
                continue
            for index in file.mentions("add_argument"):
                found = _of_statement(file, index, name, flag)
                if found is not None:
                    yield found


def _fills(option: Option, field: Field) -> bool:
    """Whether an option is one of this record: added where the record is defined, or with a default taken from it."""
    at = option.location
    return at.file is field.owner.file or field.owner.name in at.file.source.slice(at.span)


def _of_statement(file: File, index: int, name: str, flag: str) -> Option | None:
    if name not in (text := file.own_text(index)) and flag not in text:
        return None
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and node.func.attr == "add_argument":
                flags = [a.value.value for a in node.args if a.keyword is None and isinstance(a.value, ir.Const)]
                dest = next((a.value for a in node.args if a.keyword == "dest"), None)
                told = isinstance(dest, ir.Const) and dest.value == name
                if told or (dest is None and flag in flags):
                    first = next((one for one in flags if isinstance(one, str) and one.startswith("--")), flag)
                    shown = flag if flag in flags else first
                    described = next((a.value for a in node.args if a.keyword == "help"), None)
                    return Option(shown, _text(described), Location(file, index, node.span))
    return None


def _annotated(file: File, index: int, name: str) -> Option | None:
    """A field whose annotation holds its help text, from which a parser is generated."""
    annotation = file.statement(index).annotation
    if not isinstance(annotation, ir.Subscript) or not isinstance(annotation.index, ir.Collection):
        return None
    for item in annotation.index.items[1:]:
        described: Expr | None = item
        if isinstance(item, ir.Call):
            described = next((a.value for a in item.args if a.keyword == "help"), None)
        text = _text(described)
        if text:
            return Option("--" + name.replace("_", "-"), text, Location(file, index, file.statement(index).span))
    return None


def _text(expr: Expr | None) -> str:
    """The literal text of an expression, on one line."""
    if expr is None:
        return ""
    parts = [node.value for node in ir.walk(expr) if isinstance(node, ir.Const) and isinstance(node.value, str)]
    return " ".join(" ".join(parts).split())
