"""Where the value at a place is read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from sgmem.flow.listed import listed_reads
from sgmem.flow.occurrences import Grade, Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import Field, GlobalVariable, LooseField, Parameter, Path, Place, Result, Variable
from sgmem.program.calls import CallSite
from sgmem.program.contexts import loaded, occurs
from sgmem.program.entities import Class, Function, Local
from sgmem.program.files import File
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

Stack = tuple[CallSite, ...]
"""The calls a value came in through, outermost first; empty means: by a field or from anywhere."""


class Use(msgspec.Struct, frozen=True):
    """An expression that reads a place."""

    file: File
    statement: int
    node: Expr
    ancestors: tuple[Expr, ...]
    grade: Grade
    stack: Stack = ()
    inside: Path = ()
    """Where in the expression's value the place stands, for a record that is read as the tuple it is."""
    key: str | None = None
    """The field's name, where the expression reads it by a variable that runs over names: `getattr(record, name)`."""


class Uses:
    """Finds the uses of places."""

    def __init__(self, program: Program, occurrences: Occurrences, order: Order) -> None:
        self.program = program
        self.occurrences = occurrences
        self.order = order

    def of(self, place: Place, path: Path, stack: Stack) -> Iterator[Use]:
        """Every read of `place`; what a function returns is read at the call it was entered by, or at all its calls."""
        match place:
            case Field() | LooseField():
                yield from self._field(place)
            case GlobalVariable():
                for seen in self.occurrences.reads(place.name):
                    if seen.place == place:
                        yield Use(seen.file, seen.statement, seen.node, seen.ancestors, "same")
            case Parameter():
                function = place.function
                yield from self._local(function.file, function.index, place.name, ENTRY, stack)
            case Variable():
                yield from self._local(place.file, place.scope, place.name, place.definition, stack)
            case Result():
                yield from self._result(place, stack)

    def _field(self, place: Field | LooseField) -> Iterator[Use]:
        if not place.name.isidentifier():
            return  # whatever an open spread sets: nothing reads it by that name
        for seen in self.occurrences.field_reads(place.name):
            if seen.place == place:
                yield Use(seen.file, seen.statement, seen.node, seen.ancestors, seen.grade)
            elif isinstance(seen.place, LooseField) and self._is_lonely(place):
                # Only one class has such a field, so an object of unknown type that is asked for it is probably one.
                yield Use(seen.file, seen.statement, seen.node, seen.ancestors, "name")

        if isinstance(place, Field) and self._position(place) is not None:
            yield from self._by_index(place)
        if isinstance(place, Field):
            for use in listed_reads(self.program, self.occurrences, place.name):
                if use.owner == place:
                    yield Use(use.file, use.statement, use.node, use.ancestors, use.grade, key=place.name)

    def _position(self, place: Field) -> int | None:
        """The index of a field that can also be read by position, as in a NamedTuple."""
        classes = self.program.classes
        if not any(base.rpartition(".")[2] == "NamedTuple" for base in classes.external_bases(place.owner)):
            return None
        fields = classes.record_fields(place.owner)
        return fields.index(place.name) if place.name in fields else None

    def _by_index(self, place: Field) -> Iterator[Use]:
        """Reads such as `plan[1]` and `limit, budget = plan`, in the files that name the class."""
        position = self._position(place)
        for file in self.program.files.mentioning(place.owner.name):
            for index, row in enumerate(file.outline.statements):
                text = file.own_text(index)
                if f"[{position}]" not in text and "," not in text.partition("=")[0]:
                    continue
                for node, ancestors in _positional_reads(file, index, position):
                    if place.owner in self.program.values.types(node, file, row.scope):
                        yield Use(file, index, ancestors[-1] if ancestors else node, ancestors[:-1], "same")
                for binding in file.statement(index).bindings:
                    if isinstance(binding.target, ir.Collection) and binding.value is not None and binding.how == "assign":
                        if place.owner in self.program.values.types(binding.value, file, row.scope):
                            yield Use(file, index, binding.value, (), "same", inside=(position or 0,))

    def _is_lonely(self, place: Field | LooseField) -> bool:
        return isinstance(place, Field) and self.occurrences.is_lonely(place.name)

    def _local(self, file: File, scope: int, name: str, definition: int, stack: Stack) -> Iterator[Use]:
        row = file.scope(scope)
        own: list[Use] = []
        mentions = file.mentions(name)
        for index in mentions[bisect_left(mentions, row.first) : bisect_left(mentions, row.last)]:
            inner = file.outline.statements[index].scope
            if inner == scope:
                own += self._reads_at(file, index, name, stack)
            elif self._is_free(file, inner, scope, name):
                yield from self._reads_at(file, index, name, stack)
        if scope == 0 or row.kind == "class" or definition == -2:
            yield from own
            return
        if definition == ENTRY and self._is_unordered(file, scope, name):
            yield from own
            return
        reached = self.order.reached(file, scope, name, definition, frozenset(use.statement for use in own))
        walrus = definition >= 0 and any(
            isinstance(node, ir.Walrus) for root in file.statement(definition).expressions() for node in ir.walk(root)
        )
        # A statement that binds by a walrus may read the name further on in itself.
        yield from (use for use in own if use.statement in reached or (walrus and use.statement == definition))

    def _is_unordered(self, file: File, scope: int, name: str) -> bool:
        """Whether `ENTRY` means any definition: a variable that no parameter starts and that an inner function writes."""
        return not any(parameter.name == name for parameter in file.scope(scope).parameters)

    def _is_free(self, file: File, inner: int, scope: int, name: str) -> bool:
        entity = self.program.names.lookup(file, inner, name)
        return isinstance(entity, Local) and entity.index == scope and entity.file is file

    def _reads_at(self, file: File, index: int, name: str, stack: Stack) -> Iterator[Use]:
        for seen in self.occurrences.reads_in_statement(file, index, name):
            if isinstance(seen.place, Variable):
                yield Use(file, index, seen.node, seen.ancestors, "same", stack)

    def _result(self, place: Result, stack: Stack) -> Iterator[Use]:
        function = place.function
        if function.is_property:
            yield from self._property(function)
            return
        for site, outer in self.left(function, stack):
            for node, ancestors in calls_in(site.file, site.statement):
                if node is site.call:
                    yield Use(site.file, site.statement, node, ancestors, "same" if site.certain else "instance", outer)

    def left(self, function: Function, stack: Stack) -> Iterator[tuple[CallSite, Stack]]:
        """The calls at which a value leaves a function, each with the calls it is still inside of."""
        entered = self._entered(stack)
        if function in entered:
            yield stack[-1], stack[:-1]
            return
        # The value did not come in by a call of this function: by a field, or through a function around it.
        for site in self.program.calls.callers(function):
            around = self.program.calls.inside(site.file, site.statement)
            yield site, stack if around in entered else ()

    def _entered(self, stack: Stack) -> tuple[Function | Class, ...]:
        """The functions that the innermost call of a stack may enter."""
        if not stack:
            return ()
        site = stack[-1]
        return tuple(target for target, _, _ in self.program.calls.targets(site.call, site.file, site.scope))

    def _property(self, function: Function) -> Iterator[Use]:
        program = self.program
        for file in program.files.mentioning(function.name, loaded):
            for index in file.mentions(function.name):
                if not occurs(file.own_text(index), function.name, loaded):
                    continue
                scope = file.outline.statements[index].scope
                for root in file.statement(index).expressions():
                    for node, ancestors in ir.paths(root):
                        if isinstance(node, ir.Attribute) and node.attr == function.name:
                            owners = program.values.types(node.base, file, scope)
                            if any(program.classes.method(owner, function.name) == function for owner in owners):
                                yield Use(file, index, node, ancestors, "same")


def _positional_reads(file: File, index: int, position: int | None) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Objects read at an index, each with its ancestors (the subscript last)."""
    for root in file.statement(index).expressions():
        for node, ancestors in ir.paths(root):
            if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const) and node.index.value == position:
                yield node.base, (*ancestors, node)


def calls_in(file: File, statement: int) -> Iterator[tuple[ir.Call, tuple[Expr, ...]]]:
    """The call expressions of a statement with their ancestors."""
    for root in file.statement(statement).expressions():
        for node, ancestors in ir.paths(root):
            if isinstance(node, ir.Call):
                yield node, ancestors
