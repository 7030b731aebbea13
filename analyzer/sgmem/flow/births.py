"""Backward: where a value was born (a measurement, a declaration, a constant), through renames, calls, returns and fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

import msgspec

from sgmem.flow.arithmetic import is_text
from sgmem.flow.aside import is_aside
from sgmem.flow.birth import RANK, At, Birth, BirthKind, unpacking
from sgmem.flow.call_births import CallBirths
from sgmem.flow.conversions import aligned, unconverted
from sgmem.flow.field_births import Seen
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import ANY, MAX_PATH, GlobalVariable, LooseField, Parameter, Path, Variable
from sgmem.program.calls import CallSite
from sgmem.program.entities import Function
from sgmem.program.files import File
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

MAX_DEPTH = 40
MAX_BIRTHS = 24


class Births(CallBirths):
    """Finds births over one program. `measures` says whether a call reads a memory gauge: `(call, file, scope) -> bool`."""

    def __init__(
        self, program: Program, occurrences: Occurrences, order: Order, measures: Callable[[ir.Call, File, int], bool]
    ) -> None:
        super().__init__(program, occurrences, order, measures)
        self._found: dict[tuple[Expr, tuple[CallSite, ...], Path], tuple[Birth, ...]] = {}

    def of(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...] = (), path: Path = ()) -> tuple[Birth, ...]:
        """The births of an expression's value, or of what `path` leads to in it; the most telling first."""
        key = (expr, stack, path)
        if key not in self._found:
            self._found[key] = self._find(expr, file, statement, stack, path)
        return self._found[key]

    def _find(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...], path: Path) -> tuple[Birth, ...]:
        found = tuple(self._distinct(expr, file, statement, stack, path))
        if not found:
            return (Birth("unresolved", file, statement, expr, expr.span),)
        return self._ranked(found)

    def only(self, kinds: Collection[BirthKind], expr: Expr, file: File, statement: int) -> tuple[Birth, ...]:
        """The births of an expression's value where all are of some kinds, else none: the search ends with the first that is not."""
        known = self._found.get((expr, (), ()))
        if known is not None:
            return known if all(birth.kind in kinds for birth in known) else ()
        found = []
        for birth in self._distinct(expr, file, statement, (), ()):
            if birth.kind not in kinds:
                return ()
            found.append(birth)
        return self._ranked(found)

    def _distinct(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...], path: Path) -> Iterator[Birth]:
        seen: Seen = set()
        told: set[tuple[str, Span, str]] = set()
        for birth in self._expression(expr, path, At(file, statement, stack), seen):
            key = (birth.file.path, birth.span, birth.kind)
            if key not in told:
                told.add(key)
                yield birth
                if len(told) >= MAX_BIRTHS:
                    return

    def _ranked(self, births: Iterable[Birth]) -> tuple[Birth, ...]:
        return tuple(sorted(births, key=lambda birth: (self.is_aside(birth), RANK[birth.kind], len(birth.hops))))

    def is_aside(self, birth: Birth) -> bool:
        """Whether a birth lies, or its value comes by, in code beside the program: tests, and what only a file run by itself does."""
        places = [(birth.file, birth.statement), *((hop.file, hop.statement) for hop in birth.hops)]
        return any(is_aside(file, statement) for file, statement in places)

    def _expression(self, expr: Expr, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        if len(at.hops) > MAX_DEPTH or (expr, path) in seen:
            return
        seen.add((expr, path))
        match expr:
            case ir.Const():
                yield at.born("constant", expr)
            case ir.Name():
                yield from self._name(expr, path, at, seen)
            case ir.Attribute():
                yield from self._attribute(expr, path, at, seen)
            case ir.Call():
                yield from self._call(expr, path, at, seen)
            case ir.Conditional():
                yield from self._expression(expr.body, path, at, seen)
                yield from self._expression(expr.orelse, path, at, seen)
            case ir.Boolean():
                for value in expr.values:
                    yield from self._expression(value, path, at, seen)
            case ir.Walrus() | ir.Await():
                yield from self._expression(expr.value, path, at, seen)
            case ir.Subscript() if len(path) >= MAX_PATH:
                yield at.born("unresolved", expr)
            case ir.Subscript():
                key = expr.index.value if isinstance(expr.index, ir.Const) else ANY
                yield from self._expression(expr.base, (key if isinstance(key, str | int) else ANY, *path), at, seen)
            case ir.Collection() if path:
                for position, item in enumerate(expr.items):
                    if path[0] in (position, ANY):
                        yield from self._expression(item, path[1:], at, seen)
            case ir.Dict() if path:
                for entry, item in expr.items:
                    if entry is None:
                        yield from self._expression(item, path, at, seen)
                    elif path[0] == ANY or (isinstance(entry, ir.Const) and entry.value == path[0]):
                        yield from self._expression(item, path[1:], at, seen)
            case ir.Binary() if (converted := unconverted(expr)) is not None:
                yield from self._expression(converted, path, msgspec.structs.replace(at, converted=True), seen)
            case ir.Binary() if (rounded := aligned(expr)) is not None:
                yield from self._expression(rounded, path, at, seen)
            case ir.Binary() | ir.Unary() if not is_text(expr):
                yield at.born("computed", expr)
            case _:
                yield at.born("built", expr)

    def _name(self, expr: ir.Name, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        for place in self.occurrences.variable(at.file, at.scope, expr.id):
            if isinstance(place, Variable):
                yield from self._variable(place, path, at, seen)
            elif isinstance(place, GlobalVariable):
                yield from self._writes(place, path, at, seen)
            return
        yield at.born("unresolved", expr)

    def _variable(self, place: Variable, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        file, scope = place.file, place.scope
        definitions = self.order.definitions(file, scope, place.name)
        reaching = frozenset(definitions) | {ENTRY}
        if at.scope == scope and at.file is file:
            reaching = self.order.reaching(file, scope, place.name, at.statement)
        for index in sorted(reaching - {ENTRY}):
            yield from self._definition(file, index, place.name, path, at, seen)
        if ENTRY in reaching:
            row = file.scope(scope)
            if row.kind == "function" and any(parameter.name == place.name for parameter in row.parameters):
                yield from self._parameter(Parameter(Function(file, scope), place.name), path, at, seen)

    def _definition(self, file: File, index: int, name: str, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        statement = file.statement(index)
        onward = at.hop(file, index, statement.span, name, at.stack)
        for binding in statement.bindings:
            for inner in unpacking(binding.target, name):
                if binding.how == "augment":
                    kind: BirthKind = "built" if is_text(binding.value) else "computed"
                    yield Birth(kind, file, index, binding.value, statement.span, None, at.hops, at.converted, at.stack)
                elif binding.value is not None:
                    element = (ANY,) if binding.how == "iterate" else ()
                    yield from self._expression(binding.value, (*element, *inner, *path), onward, seen)
        for root in statement.expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Walrus) and node.target.id == name:
                    yield from self._expression(node.value, path, onward, seen)

    def _attribute(self, expr: ir.Attribute, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        if isinstance(expr.base, ir.Call) and self.measures(expr.base, at.file, at.scope):
            yield at.born("measurement", expr.base)  # psutil.virtual_memory().available
            return
        values = self.program.values
        for owner in values.types(expr.base, at.file, at.scope):
            method = self.program.classes.method(owner, expr.attr)
            if method is not None and method.is_property:
                yield from self._returns(method, path, at, at.stack, seen)
                return
        found = False
        for seen_place in self.occurrences.reads_in_statement(at.file, at.statement, expr.attr):
            if seen_place.node is expr:
                # A field of an unknown class that nothing is known to set is as good as not found.
                found = found or not isinstance(seen_place.place, LooseField) or (seen_place.place, path) in seen
                for birth in self._field(expr, seen_place.place, path, at, seen):
                    found = True
                    yield birth
        if not found:
            yield at.born("unresolved", expr)
