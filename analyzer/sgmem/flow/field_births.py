"""Births of what fields and globals hold: by their declarations, and by what is assigned to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sgmem.flow.arithmetic import is_text
from sgmem.flow.aside import distance
from sgmem.flow.birth import At, Birth, BirthKind, unpacking
from sgmem.flow.made import Made
from sgmem.flow.occurrences import Occurrence, Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import Field, GlobalVariable, LooseField, Path, Place
from sgmem.flow.published import Published
from sgmem.program.calls import CallSite
from sgmem.program.entities import Class, Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

MAX_FILES = 16
"""A field that its own class never assigns, of a name that more files than this mention, is left unresolved."""

Seen = set[tuple[object, Path]]
"""What the way back has passed already."""


class FieldBirths:
    """Finds the births of what fields and globals hold. `measures` says whether a call (in its file, scope) reads a memory gauge."""

    def __init__(
        self, program: Program, occurrences: Occurrences, order: Order, measures: Callable[[ir.Call, File, int], bool]
    ) -> None:
        self.program = program
        self.occurrences = occurrences
        self.order = order
        self.measures = measures
        self.published = Published(program, occurrences)
        self.made = Made(program, occurrences)
        self._nearest: dict[Function | Class, tuple[CallSite, ...]] = {}

    def _expression(self, expr: Expr, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        """The births of an expression's value, or of what `path` leads to in it."""
        raise NotImplementedError

    def _field(self, expr: ir.Attribute, place: Place, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        """An attribute read in a function that assigns it as well: by what reaches the read, and from elsewhere where that may be."""
        text = dotted(expr)
        assigned_here = self.order.assignments(at.file, at.scope, text) if text is not None else {}
        if text is None or not assigned_here or not isinstance(place, Field | LooseField):
            yield from self._writes(place, path, at, seen, made=self.made.by(expr.base, at))
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

    def _set_by_callees(self, place: Field | LooseField, at: At, since: int) -> bool:
        """Whether the function that reads a field mentions, between an assignment and the read, another that assigns it."""
        around = (self.program.calls.inside(store.file, store.statement) for store in self._stores(place))
        names = {
            function.name for function in around if function is not None and (function.file, function.index) != (at.file, at.scope)
        }
        return any(since < index < at.statement for name in names for index in at.file.mentions_in(at.scope, name))

    def _writes(
        self, place: Place, path: Path, at: At, seen: Seen, hidden: frozenset[int] = frozenset(), made: CallSite | None = None
    ) -> Iterator[Birth]:
        """A field or global: its declaration if it is a record's, else what is assigned to it anywhere but by `hidden` statements;
        `made` is the call that made the object, if that is known."""
        key = (place, made), path
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
                yield from self._store(store, place, path, at, () if made is None else (made,), seen)
        if not stores and isinstance(place, Field):
            for copy in self.published.sources(place):
                write = copy.write
                onward = at.hop(write.file, write.statement, write.call.span, str(place), ())
                yield from self._writes(copy.source, path, onward, seen)

    def _store(self, store: Occurrence, place: Place, path: Path, at: At, stack: tuple[CallSite, ...], seen: Seen) -> Iterator[Birth]:
        """What one store puts into a field or global."""
        binding = store.binding
        if binding is None or binding.value is None:
            return
        span = store.file.statement(store.statement).span
        if binding.how == "augment":
            kind: BirthKind = "built" if is_text(binding.value) else "computed"
            yield Birth(kind, store.file, store.statement, binding.value, span, place, at.hops, at.converted, stack)
            return
        onward = at.hop(store.file, store.statement, span, str(place), stack)
        inner = next(iter(unpacking(binding.target, store.node)), ())
        yield from self._expression(binding.value, (*inner, *path), onward, seen)

    def _declared(self, place: Field, path: Path, at: At) -> Birth | None:
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

    def _constructed(self, place: Field, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        """A field without a default, or one of None, hands on what its record is built with: follow the constructor's argument."""
        owner = place.owner
        if self.program.calls.constructor(owner) is not None:
            return
        for site in self._callers_of(owner):
            positional = [argument for argument in site.arguments if argument.keyword is None and not argument.star]
            fields = self.program.classes.record_fields(owner) if positional else ()
            for argument in site.arguments:
                name = argument.keyword
                if name is None and argument in positional and positional.index(argument) + site.filled < len(fields):
                    name = fields[positional.index(argument) + site.filled]
                if name == place.name:
                    onward = at.hop(site.file, site.statement, argument.span, str(place), ())
                    yield from self._expression(argument.value, path, onward, seen)

    def _callers_of(self, target: Function | Class) -> tuple[CallSite, ...]:
        """Every call that may enter a function. The way by the program proper, which is the one to tell, comes first."""
        found = self._nearest.get(target)
        if found is None:
            callers = self.program.calls.callers(target)
            found = self._nearest[target] = tuple(sorted(callers, key=lambda site: distance(site.file, site.statement)))
        return found

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
