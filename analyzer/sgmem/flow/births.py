"""Backward: where a value was born (a measurement, a declaration, a constant), through renames, calls, returns and fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from sgmem.flow.arithmetic import NUMERIC, formula_span, is_text
from sgmem.flow.aside import distance, is_aside
from sgmem.flow.calling import METHODS
from sgmem.flow.conversions import aligned, unconverted
from sgmem.flow.occurrences import Occurrence, Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import ANY, MAX_PATH, Field, GlobalVariable, LooseField, Parameter, Path, Place, Variable
from sgmem.flow.published import Published
from sgmem.program.calls import CallSite, bind
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

BirthKind = Literal["measurement", "declaration", "constant", "computed", "built", "call", "parameter", "unresolved"]
"""`computed` is arithmetic; `built` a display, comparison, text or function made there; `call` the result of one that is not known."""

# The most telling birth first, where a value has several.
RANK: dict[BirthKind, int] = {
    "measurement": 0, "declaration": 1, "computed": 2, "call": 3, "built": 4, "constant": 5, "parameter": 6, "unresolved": 7,
}  # fmt: skip
MAX_DEPTH = 40
MAX_BIRTHS = 24
MAX_FILES = 16
"""A field that its own class never assigns, of a name that more files than this mention, is left unresolved."""
_ZIPPED = {"zip", "product"}
_SAME_VALUE = {"copy", "deepcopy", "cast", "item", "clone", "cpu", "to", "detach"}


class Hop(msgspec.Struct, frozen=True):
    """One place a value passed on its way, nearest to its birth last."""

    file: File
    statement: int
    span: Span
    text: str


class Birth(msgspec.Struct, frozen=True):
    """Where and as what a value was born, and the hops back to it."""

    kind: BirthKind
    file: File
    statement: int
    expression: Expr | None
    span: Span
    place: Place | None = None
    hops: tuple[Hop, ...] = ()
    converted: bool = False
    """Whether the value was converted to another unit on the way."""
    stack: tuple[CallSite, ...] = ()
    """The calls by which the value came in where it was born."""


class _At(msgspec.Struct, frozen=True):
    file: File
    statement: int
    stack: tuple[CallSite, ...] = ()
    hops: tuple[Hop, ...] = ()
    converted: bool = False

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope


class Births:
    """Finds births over one program. `measures` says whether a call reads a memory gauge: `(call, file, scope) -> bool`."""

    def __init__(
        self, program: Program, occurrences: Occurrences, order: Order, measures: Callable[[ir.Call, File, int], bool]
    ) -> None:
        self.program = program
        self.occurrences = occurrences
        self.order = order
        self.measures = measures
        self.published = Published(program, occurrences)
        self._found: dict[tuple[Expr, tuple[CallSite, ...], Path], tuple[Birth, ...]] = {}

    def of(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...] = (), path: Path = ()) -> tuple[Birth, ...]:
        """The births of an expression's value, or of what `path` leads to in it; the most telling first."""
        key = (expr, stack, path)
        if key not in self._found:
            self._found[key] = self._find(expr, file, statement, stack, path)
        return self._found[key]

    def _find(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...], path: Path) -> tuple[Birth, ...]:
        seen: set[tuple[object, Path]] = set()
        found: dict[tuple[str, Span, str], Birth] = {}
        for birth in self._expression(expr, path, _At(file, statement, stack), seen):
            found.setdefault((birth.file.path, birth.span, birth.kind), birth)
            if len(found) >= MAX_BIRTHS:
                break
        if not found:
            return (Birth("unresolved", file, statement, expr, expr.span),)
        return tuple(sorted(found.values(), key=lambda birth: (self.is_aside(birth), RANK[birth.kind], len(birth.hops))))

    def is_aside(self, birth: Birth) -> bool:
        """Whether a birth lies, or its value comes by, in code beside the program: tests, and what only a file run by itself does."""
        places = [(birth.file, birth.statement), *((hop.file, hop.statement) for hop in birth.hops)]
        return any(is_aside(file, statement) for file, statement in places)

    # -- expressions ----------------------------------------------------------------------------------------------------------

    def _expression(self, expr: Expr, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        if len(at.hops) > MAX_DEPTH or (expr, path) in seen:
            return
        seen.add((expr, path))
        match expr:
            case ir.Const():
                yield self._birth("constant", expr, at)
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
                yield self._birth("unresolved", expr, at)
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
                yield self._birth("computed", expr, at)
            case _:
                yield self._birth("built", expr, at)

    def _birth(self, kind: BirthKind, expr: Expr, at: _At, place: Place | None = None) -> Birth:
        span = formula_span(at.file.statement(at.statement), expr) if kind == "computed" else expr.span
        return Birth(kind, at.file, at.statement, expr, span, place, at.hops, at.converted, at.stack)

    def _hop(self, at: _At, file: File, statement: int, span: Span, text: str, stack: tuple[CallSite, ...]) -> _At:
        return _At(file, statement, stack, (*at.hops, Hop(file, statement, span, text)), at.converted)

    def _name(self, expr: ir.Name, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        for place in self.occurrences.variable(at.file, at.scope, expr.id):
            if isinstance(place, Variable):
                yield from self._variable(place, path, at, seen)
            elif isinstance(place, GlobalVariable):
                yield from self._writes(place, path, at, seen)
            return
        yield self._birth("unresolved", expr, at)

    def _variable(self, place: Variable, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
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

    def _definition(self, file: File, index: int, name: str, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        statement = file.statement(index)
        onward = self._hop(at, file, index, statement.span, name, at.stack)
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

    def _attribute(self, expr: ir.Attribute, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        if isinstance(expr.base, ir.Call) and self.measures(expr.base, at.file, at.scope):
            yield self._birth("measurement", expr.base, at)  # psutil.virtual_memory().available
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
            yield self._birth("unresolved", expr, at)

    def _field(self, expr: ir.Attribute, place: Place, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        """An attribute read in a function that assigns it as well: by what reaches the read, and from elsewhere where that may be."""
        text = dotted(expr)
        assigned_here = self.order.assignments(at.file, at.scope, text) if text is not None else {}
        if text is None or not assigned_here or not isinstance(place, Field | LooseField):
            yield from self._writes(place, path, at, seen)
            return
        reaching = self.order.reaching_assignments(at.file, at.scope, text, at.statement)
        key = ((place, reaching), path)
        if key in seen:
            return
        seen.add(key)
        # First what is read directly: on the way back from an assignment it may be met again, by a detour.
        if ENTRY in reaching or self._set_by_callees(place, at, min(reaching, default=ENTRY)):
            yield from self._writes(place, path, at, seen, frozenset(assigned_here) - reaching)
        for index in sorted(reaching - {ENTRY}):
            for store in self.occurrences.writes_in_statement(at.file, index, place.name):
                if store.place == place:
                    yield from self._store(store, place, path, at, at.stack, seen)

    def _set_by_callees(self, place: Field | LooseField, at: _At, since: int) -> bool:
        """Whether the function that reads a field mentions, between an assignment and the read, another that assigns it."""
        around = (self.program.calls.inside(store.file, store.statement) for store in self._stores(place))
        names = {
            function.name for function in around if function is not None and (function.file, function.index) != (at.file, at.scope)
        }
        return any(since < index < at.statement for name in names for index in at.file.mentions_in(at.scope, name))

    def _writes(
        self, place: Place, path: Path, at: _At, seen: set[tuple[object, Path]], hidden: frozenset[int] = frozenset()
    ) -> Iterator[Birth]:
        """A field or global: its declaration if it is a record's, else what is assigned to it anywhere but by `hidden` statements."""
        key = (place, path)
        if key in seen:
            return
        seen.add(key)
        assert isinstance(place, Field | LooseField | GlobalVariable)
        declaration = self._declared(place, path, at) if isinstance(place, Field) else None
        if declaration is not None:
            assert isinstance(place, Field)
            default = self._default(place)
            if default is None:
                yield from list(self._constructed(place, path, at, seen)) or [declaration]
                return
            yield declaration
            if isinstance(default, ir.Const) and default.value is None and not self._is_common(place.owner.name):
                yield from self._constructed(place, path, at, seen)
            return
        stores = self._stores(place)
        for store in stores:
            if store.file is not at.file or store.statement not in hidden:
                yield from self._store(store, place, path, at, (), seen)
        if not stores and isinstance(place, Field):
            for copy in self.published.sources(place):
                write = copy.write
                onward = self._hop(at, write.file, write.statement, write.call.span, str(place), ())
                yield from self._writes(copy.source, path, onward, seen)

    def _store(
        self, store: Occurrence, place: Place, path: Path, at: _At, stack: tuple[CallSite, ...], seen: set[tuple[object, Path]]
    ) -> Iterator[Birth]:
        """What one store puts into a field or global."""
        binding = store.binding
        if binding is None or binding.value is None:
            return
        span = store.file.statement(store.statement).span
        if binding.how == "augment":
            kind: BirthKind = "built" if is_text(binding.value) else "computed"
            yield Birth(kind, store.file, store.statement, binding.value, span, place, at.hops, at.converted, stack)
            return
        onward = self._hop(at, store.file, store.statement, span, str(place), stack)
        inner = next(iter(unpacking(binding.target, store.node)), ())
        yield from self._expression(binding.value, (*inner, *path), onward, seen)

    def _declared(self, place: Field, path: Path, at: _At) -> Birth | None:
        """The declaration of a record's field, which is where a configured value is born."""
        index = self.program.classes.declaration(place.owner, place.name)
        if index is None or path or not self.program.classes.is_record(place.owner):
            return None
        span = place.owner.file.statement(index).span
        return Birth("declaration", place.owner.file, index, None, span, place, at.hops)

    def _default(self, place: Field) -> Expr | None:
        """What a record's field holds where it is not given."""
        index = self.program.classes.declaration(place.owner, place.name)
        bindings = place.owner.file.statement(index).bindings if index is not None else ()
        return next((binding.value for binding in bindings if binding.value is not None), None)

    def _is_common(self, name: str) -> bool:
        return len(self.program.files.tree.mentioning(name)) > MAX_FILES

    def _constructed(self, place: Field, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        """A field without a default, or one of None, hands on what its record is built with: follow the constructor's argument."""
        owner = place.owner
        if self.program.calls.constructor(owner) is not None:
            return
        fields = self.program.classes.record_fields(owner)
        for site in sorted(self.program.calls.callers(owner), key=lambda site: distance(site.file, site.statement)):
            positional = [argument for argument in site.arguments if argument.keyword is None and not argument.star]
            for argument in site.arguments:
                name = argument.keyword
                if name is None and argument in positional and positional.index(argument) + site.filled < len(fields):
                    name = fields[positional.index(argument) + site.filled]
                if name == place.name:
                    onward = self._hop(at, site.file, site.statement, argument.span, str(place), ())
                    yield from self._expression(argument.value, path, onward, seen)

    def _stores(self, place: Field | LooseField | GlobalVariable) -> list[Occurrence]:
        """What assigns a place: for a field the methods of its own hierarchy, and the rest of the program only where they do not."""
        if isinstance(place, Field):
            related = (*self.program.classes.mro(place.owner), *self.program.classes.subclasses(place.owner))
            own = [
                seen
                for owner in related
                for _, index in self.program.classes.stores(owner, place.name)
                for seen in self.occurrences.writes_in_statement(owner.file, index, place.name)
                if seen.place == place
            ]
            if own:
                return own
        if isinstance(place, GlobalVariable):  # set by its own module, as far as this looks
            mentions = place.file.mentions(place.name)
            seen = (s for index in mentions for s in self.occurrences.writes_in_statement(place.file, index, place.name))
            return [written for written in seen if written.place == place]
        if isinstance(place, LooseField) or len(self.program.files.tree.mentioning(place.name)) > MAX_FILES:
            return []  # a name is too little to say where a value was born
        return [seen for seen in self.occurrences.writes(place.name) if seen.place == place]

    # -- calls ----------------------------------------------------------------------------------------------------------------

    def _call(self, expr: ir.Call, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        if self.measures(expr, at.file, at.scope):
            yield self._birth("measurement", expr, at)
            return
        last = expr.func.attr if isinstance(expr.func, ir.Attribute) else expr.func.id if isinstance(expr.func, ir.Name) else ""
        if last == "dict" and path:
            for argument in expr.args:
                if argument.keyword == path[0]:
                    yield from self._expression(argument.value, path[1:], at, seen)
                elif argument.keyword is None:
                    yield from self._expression(argument.value, path, at, seen)
            return
        if isinstance(expr.func, ir.Attribute) and last in METHODS and not expr.args:
            yield from self._expression(expr.func.base, path, at, seen)
            return
        targets = self.program.calls.targets(expr, at.file, at.scope)
        functions = [(target, filled, certain) for target, filled, certain in targets if isinstance(target, Function)]
        if functions and not any(target.name == "__init__" for target, _, _ in functions):
            for target, filled, certain in functions:
                site = CallSite(at.file, at.statement, expr, filled, certain)
                yield from self._returns(target, path, at, (*at.stack, site), seen)
            return
        if last in _ZIPPED and len(path) > 1 and isinstance(path[1], int) and path[1] < len(expr.args):
            yield from self._expression(expr.args[path[1]].value, (ANY, *path[2:]), at, seen)
            return
        if last in NUMERIC and expr.args:
            for argument in expr.args:
                if argument.keyword is None and not (last == "round" and argument is not expr.args[0]):
                    yield from self._expression(argument.value, path, at, seen)
            return
        if last in _SAME_VALUE and expr.args:
            yield from self._expression(expr.args[-1 if last == "cast" else 0].value, path, at, seen)
            return
        if last == "getattr" and len(expr.args) >= 2:
            yield from self._getattr(expr, path, at, seen)
            return
        if isinstance(expr.func, ir.Attribute) and last in ("get", "pop") and expr.args:
            key = expr.args[0].value
            if isinstance(key, ir.Const) and isinstance(key.value, str | int):
                yield from self._expression(expr.func.base, (key.value, *path), at, seen)
                return
        yield self._birth("call", expr, at)

    def _getattr(self, expr: ir.Call, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        key = expr.args[1].value
        found = False
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            for place, grade in self.occurrences.fields(expr.args[0].value, key.value, at.file, at.scope):
                if grade != "name":
                    found = True
                    yield from self._writes(place, path, at, seen)
        for default in expr.args[2:3]:
            found = True
            yield from self._expression(default.value, path, at, seen)
        if not found:
            yield self._birth("call", expr, at)

    def _returns(
        self, function: Function, path: Path, at: _At, stack: tuple[CallSite, ...], seen: set[tuple[object, Path]]
    ) -> Iterator[Birth]:
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind == "return":
                statement = function.file.statement(index)
                for value in statement.values:
                    onward = self._hop(at, function.file, index, statement.span, f"{function.name}()", stack)
                    yield from self._expression(value, path, onward, seen)

    def _parameter(self, place: Parameter, path: Path, at: _At, seen: set[tuple[object, Path]]) -> Iterator[Birth]:
        """Back to the call the value came in by, or to every caller."""
        function = place.function
        stack = at.stack
        sites: tuple[CallSite, ...] = ()
        if stack and any(target == function for target, _, _ in self._targets(stack[-1])):
            sites, stack = (stack[-1],), stack[:-1]
        else:
            sites, stack = self._callers(function), ()
        row = function.parameter(place.name)
        found = False
        for site in sites:
            for birth in self._argument(site, place, path, at, stack, seen):
                found = True
                yield birth
        if not found and row is not None and (place, path) not in seen:
            seen.add((place, path))
            yield Birth("parameter", function.file, function.scope.statement, None, row.span, place, at.hops)

    def _callers(self, function: Function) -> tuple[CallSite, ...]:
        """The callers of a function; of one with an everyday name only those in its own file, where there are any."""
        owner = function.owner
        name = owner.name if owner is not None and function.name == "__init__" else function.name
        if len(self.program.files.tree.mentioning(name)) > MAX_FILES:
            near = self.program.calls.callers_in(function.file, function)
            if near:
                return near
        # The way by the program proper is the one to tell, where several lead to one birth.
        return tuple(sorted(self.program.calls.callers(function), key=lambda site: distance(site.file, site.statement)))

    def _targets(self, site: CallSite) -> tuple[tuple[Function | Class, int, bool], ...]:
        return self.program.calls.targets(site.call, site.file, site.scope)

    def _argument(
        self, site: CallSite, place: Parameter, path: Path, at: _At, stack: tuple[CallSite, ...], seen: set[tuple[object, Path]]
    ) -> Iterator[Birth]:
        for filled in bind(site, place.function.parameters):
            onward = self._hop(at, site.file, site.statement, filled.argument.span, place.name, stack)
            if filled.parameter == place.name:
                inner = path
                if filled.key is not None:
                    if not path or path[0] not in (filled.key, ANY):
                        continue
                    inner = path[1:]
                yield from self._expression(filled.argument.value, inner, onward, seen)
            elif filled.parameter is None and filled.argument.star == "**":
                yield from self._expression(filled.argument.value, (place.name, *path), onward, seen)


def unpacking(target: Expr, name: str | Expr) -> Iterator[Path]:
    """The paths by which unpacking a value into `target` gives the part that lands in a variable or target node."""
    if isinstance(target, ir.Name):
        if target is name or target.id == name:
            yield ()
    elif isinstance(target, ir.Collection):
        for position, item in enumerate(target.items):
            for inner in unpacking(item, name):
                yield (position, *inner)
    elif isinstance(target, ir.Starred):
        yield from ((ANY, *inner) for inner in unpacking(target.value, name))
    elif target is name:
        yield ()


__all__ = ["Birth", "Births", "Hop", "assigned", "dotted"]
