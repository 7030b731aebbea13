"""The inputs of a symbolic execution: what is given, what the source declares as a default, and what is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import one_line
from sgmem.domains.execution.values import UNKNOWN, Input, Known, Unknown, Value, constant
from sgmem.flow.places import Field
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.domains.execution.context import Context
    from sgmem.program.entities import Function
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span


LENGTH = "len("
"""How an input is called that is the length of something: a length has no name of its own in the source."""


class Inputs:
    """Names inputs, each spelling once. `initials` holds what fields hold before anything was executed."""

    def __init__(self, context: Context, given: Mapping[str, Known]) -> None:
        self.context = context
        self.given = given
        self.labels: dict[str, str] = {}
        """What given inputs are called in formulas, where that is not what they are given by."""
        self.used: set[str] = set()
        self.all: dict[str, Input] = {}
        self.initials: dict[str, Value] = {}
        self._names: dict[str, str] = {}
        self._configured: set[str] = set()
        self._judged: set[str] = set()
        self.readings: set[str] = set()
        """The names of those that a gauge said."""

    def parameter(self, function: Function, name: str) -> Value:
        """A parameter of the function that was asked about: an object to look into, or an input."""
        row = function.parameter(name)
        leaf = ir.Name(row.span if row is not None else function.scope.span, name)
        return self.opaque(name, function.file, first_statement(function), leaf)

    def override(self, path: str, file: File, statement: int, leaf: Expr) -> Value | None:
        """The value that is given for a name, if one is."""
        key = self.key_of(path)
        if key is None:
            return None
        self.used.add(key)
        known = self.given[key]
        name = self.labels.get(key, key)
        row = self.all.setdefault(name, Input(name, path, file, statement, leaf, known, key))
        return Value(ir.Name(leaf.span, row.name), known, None, frozenset({row.name}))

    def key_of(self, path: str) -> str | None:
        """The given name that means this place: its last part, or more parts of it."""
        if path in self.given:
            return path
        parts = [part.lstrip("_") for part in parts_of(path)]
        for key in self.given:
            wanted = [part.lstrip("_") for part in key.split(".")]
            if parts[-len(wanted) :] == wanted:
                return key
        return None

    def opaque(
        self, path: str, file: File, statement: int, leaf: Expr, default: Known = UNKNOWN, hint: str = "", identity: str = ""
    ) -> Value:
        """An input: what is given for it, else its declared default, else not known.

        One spelling is one input, unless an `identity` tells what is spelled alike apart.
        """
        given = self.override(path, file, statement, leaf)
        if given is not None:
            return given
        name = self._name(hint or path, identity or path)
        if name not in self.all:
            self.all[name] = Input(name, path, file, statement, leaf, default, None, not isinstance(default, Unknown))
        known = self.all[name].known
        return Value(ir.Name(leaf.span, name), known, path, frozenset({name}))

    def reading(self, function: Function, file: File, statement: int, leaf: Expr, hint: str) -> Value:
        """What a gauge says at one place, called `hint` there: at another place the same call reads something else."""
        path = f"{function.name}.{hint}" if hint else one_line(file.source.slice(leaf.span))
        value = self.opaque(path, file, statement, leaf, identity=f"{file.path}:{leaf.span}")
        self.readings |= value.inputs
        return value

    def note_readings(self, test: Expr) -> None:
        """Find out which of the inputs that a test compares with None came from a gauge, by way of a parameter or field."""
        for node in ir.walk(test):
            if isinstance(node, ir.Compare) and any(isinstance(side, ir.Const) and side.value is None for side in node.operands):
                for side in node.operands:
                    row = self.all.get(side.id) if isinstance(side, ir.Name) else None
                    if row is not None and row.name not in self._judged:
                        self._judged.add(row.name)
                        births = self.context.facts.births.of(row.leaf, row.file, row.statement)
                        if births[0].kind == "measurement":
                            self.readings.add(row.name)

    def local(self, function: Function, name: str, file: File, statement: int, leaf: Expr) -> Value:
        """A local that is set in a way that is not followed: one of its name in another function is another input."""
        return self.opaque(f"{function.name}.{name}", file, statement, leaf, identity=f"{file.path}:{function.index}:{name}")

    def nothing(self, span: Span) -> Value:
        return constant(span, None)

    def default_of(self, field: Field) -> Known:
        """What a record's field holds where nobody sets it; not known where it is no literal."""
        classes = self.context.program.classes
        index = classes.declaration(field.owner, field.name)
        if index is None or not classes.is_record(field.owner):
            return UNKNOWN
        file = field.owner.file
        for binding in file.statement(index).bindings:
            if binding.value is not None:
                return self.context.literals.of(binding.value, file, index)
        return UNKNOWN

    def configured(self, path: str) -> None:
        self._configured.add(path)

    def is_configured(self, path: str) -> bool:
        """Whether a path is an option of the program: what is given for it is what it begins with, and code may change it."""
        return path in self._configured

    def _name(self, wanted: str, path: str) -> str:
        """The shortest end of a path that no other path has taken."""
        if path in self._names:
            return self._names[path]
        parts = parts_of(wanted)
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[-count:])
            if name not in self._names.values() and name not in self.given:
                self._names[path] = name
                return name
        name = f"{wanted} ({len(self._names)})"
        self._names[path] = name
        return name


def first_statement(function: Function) -> int:
    """The statement where a parameter's value is still the one it came in with."""
    return next(iter(function.file.own_statements(function.index)), function.scope.statement)


def parts_of(path: str) -> list[str]:
    """The names of a path, without the brackets of calls: `group().size` is group, size."""
    bare = _without_arguments(path)
    if path.startswith(LENGTH):
        return [path]
    if not bare.replace(".", "").isidentifier():
        return [path]
    parts = bare.split(".")
    while len(parts) > 1 and parts[-1] == "get":
        parts.pop()
    return parts


def _without_arguments(path: str) -> str:
    kept, depth = [], 0
    for character in path:
        depth += character in "(["
        if not depth:
            kept.append(character)
        depth -= character in ")]"
    return "".join(kept)
