"""Writes that name no field: a record built from a spread (`Record(**kwargs)`, `cls(**{f: getattr(args, f) ...})`) or by position,
and fields copied by a loop (`setattr(view, f.name, getattr(record, f.name))`)."""

from __future__ import annotations

from sgmem.flow.graph import Move, SiteKey, SliceSite, State, describe
from sgmem.flow.listed import runs_past
from sgmem.flow.places import Field, Parameter
from sgmem.flow.slicer import Slicer
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function, Local
from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_MAX_CARRIERS = 3
"""How many calls a carrier (a namespace of parsed flags) is followed back through."""


class BulkWrites:
    """Finds the constructions of a field's owner whose spread may hold the field, and what feeds the spread."""

    def __init__(self, slicer: Slicer, name: str) -> None:
        self.slicer = slicer
        self.program = slicer.program
        self.name = name

    def plant(self, place: Field) -> None:
        """Add a write for every construction by spread of the owner, with the calls that hand the spread in."""
        constructor: Function | Class = self.program.calls.constructor(place.owner) or place.owner
        if isinstance(constructor, Function) and not self._takes(constructor):
            return
        for site in self.program.calls.callers(constructor):
            if any(argument.keyword == self.name for argument in site.arguments):
                continue
            for argument in site.arguments:
                if argument.star == "**":
                    self._spread(site, argument.value, place)
            if isinstance(constructor, Class):
                self._position(site, place)
        if self.program.classes.is_record(place.owner):
            self._copies(place)

    def _position(self, site: CallSite, place: Field) -> None:
        """A record built by position writes the field with the argument of its index."""
        given = [argument for argument in site.arguments if argument.keyword is None and not argument.star]
        if not given:
            return
        fields = self.program.classes.record_fields(place.owner)
        for owner in (place.owner, *self.program.classes.subclasses(place.owner)):
            if self.program.calls.targets(site.call, site.file, site.scope)[:1] == ((owner, site.filled, site.certain),):
                fields = self.program.classes.record_fields(owner)
        index = fields.index(self.name) - site.filled if self.name in fields else len(given)
        if 0 <= index < len(given):
            key = SiteKey(site.file, given[index].span, "write", describe(place))
            self.slicer.slice.add(SliceSite(key, site.statement, place, False, "same", "constructor"))
            self.slicer.enter(State(place, (), False, ()), key, "argument")

    def _copies(self, place: Field) -> None:
        """Statements that copy every field of the record onto another object by name."""
        for copy in self.slicer.stepper.published.copies(self.name):
            scope = copy.write.file.outline.statements[copy.write.statement].scope
            listed = runs_past(self.program, copy.write.file, scope, copy.write.key, self.name)
            if copy.source == place and not listed:
                key = SiteKey(copy.write.file, copy.write.call.span, "write", describe(copy.onto))
                note = "copies every field by name"
                self.slicer.slice.add(SliceSite(key, copy.write.statement, copy.onto, False, copy.grade, "dynamic", note))
                came, goes = State(place, (), False, ()), State(copy.onto, (), False, ())
                self.slicer.slice.leaving.setdefault(came, {}).setdefault(key, copy.grade)
                self.slicer.slice.moves.append(Move(came, (key,), goes))
                self.slicer.reach(goes, key, "alias")

    def _takes(self, constructor: Function) -> bool:
        """Whether the constructor accepts the field by name."""
        return any(p.name == self.name or p.kind == "double-star" for p in constructor.parameters)

    def _spread(self, site: CallSite, spread: Expr, place: Field) -> None:
        key = SiteKey(site.file, site.call.span, "write", describe(place))
        note = "builds the record from a spread; the field is set when the spread holds it"
        self.slicer.slice.add(SliceSite(key, site.statement, place, False, "same", "dynamic", note))
        self.slicer.enter(State(place, (), False, ()), key, "keyword")
        source = _copied_from(spread)
        if source is not None:
            self._carrier(source, site, place, key, _MAX_CARRIERS)

    def _carrier(self, source: Expr, site: CallSite, place: Field, into: SiteKey, depth: int) -> None:
        """The namespace that the spread copies: a parameter's arguments at the callers, or what parsed the flags here."""
        scope = site.file.outline.statements[site.statement].scope
        entity = self.program.names.entity(source, site.file, scope)
        function = self.program.calls.inside(site.file, site.statement)
        if isinstance(entity, Local) and function is not None and function.parameter(entity.name) is not None and depth:
            self._renamed(entity.name, function, into)
            self._callers(Parameter(function, entity.name), place, into, depth)
        else:
            self._flags(into)

    def _renamed(self, carrier: str, function: Function, into: SiteKey) -> None:
        """`args.tp_size = args.tensor_parallel_size`: the flag has another name than the field until just before the spread."""
        slice_ = self.slicer.slice
        for index in function.file.mentions_in(function.index, self.name):
            statement = function.file.statement(index)
            for binding in statement.bindings:
                if dotted(binding.target) != f"{carrier}.{self.name}":
                    continue
                renamed = [key for key in slice_.at(function.file, statement.span) if key.role == "store"]
                for key in renamed:
                    slice_.lead(key, into, "assign")
                other = (dotted(binding.value) or "").removeprefix(f"{carrier}.") if binding.value is not None else ""
                for flag, site in list(slice_.sites.items()):
                    if site.kind == "flag" and f'"--{other.replace("_", "-")}"' in flag.file.source.slice(flag.span):
                        for key in renamed:
                            slice_.lead(flag, key, "assign")

    def _callers(self, carrier: Parameter, place: Field, into: SiteKey, depth: int) -> None:
        for caller in self.program.calls.callers(carrier.function):
            for filled in bind(caller, carrier.function.parameters):
                if filled.parameter != carrier.name:
                    continue
                key = SiteKey(caller.file, caller.call.span, "pass", describe(place))
                note = f"hands on the parsed flags as {carrier.name}"
                self.slicer.slice.add(SliceSite(key, caller.statement, place, False, "same", "carrier", note))
                self.slicer.slice.lead(key, into, "argument")
                self._carrier(filled.argument.value, caller, place, key, depth - 1)

    def _flags(self, into: SiteKey) -> None:
        for key, site in list(self.slicer.slice.sites.items()):
            if site.kind == "flag":
                self.slicer.slice.lead(key, into, "argument")


def _copied_from(spread: Expr) -> Expr | None:
    """The object whose attributes a spread copies: `{f: getattr(OBJECT, f) ...}`, `vars(OBJECT)`, `OBJECT.__dict__`."""
    if isinstance(spread, ir.Comprehension) and spread.kind == "dict" and spread.value is not None:
        value = spread.value
        if isinstance(value, ir.Call) and dotted(value.func) == "getattr" and value.args:
            return value.args[0].value
    if isinstance(spread, ir.Call) and dotted(spread.func) in ("vars", "dict") and spread.args:
        inner = spread.args[0].value
        return _copied_from(inner) or inner
    if isinstance(spread, ir.Attribute) and spread.attr == "__dict__":
        return spread.base
    return None
