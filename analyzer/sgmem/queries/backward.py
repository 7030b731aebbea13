"""The backward part of a slice: births and the hops that lead from them, as sites and flows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sgmem.flow.births import Birth, Births, Hop, assigned, unpacking
from sgmem.flow.graph import Role, SiteKey, SliceSite, describe
from sgmem.flow.measurements import Measurements
from sgmem.flow.places import ANY, Parameter, Path
from sgmem.flow.slicer import Slicer
from sgmem.flow.steps import Kind
from sgmem.flow.uses import Stack
from sgmem.models.load import Models
from sgmem.program.calls import bind
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_ROLES: dict[str, Role] = {"measurement": "measurement", "declaration": "declaration", "constant": "write", "computed": "formula"}

Led = tuple[Birth, SiteKey, list[SiteKey]]
"""A birth, its site, and the sites of the hops from it, the nearest to where it leads first."""


class BackwardSlice:
    """Adds births to the slice."""

    def __init__(self, program: Program, slicer: Slicer, models: Models) -> None:
        self.program = program
        self.slicer = slicer
        self.measurements = Measurements(program, models)
        self.births = Births(program, slicer.occurrences, slicer.order, self.measurements.measures)

    def of(
        self, expr: Expr, file: File, statement: int, stack: Stack = (), path: Path = (), hops: int = 0
    ) -> list[Led]:
        """The births of an expression's value, each with its site and the sites of the hops, the nearest to the expression first.
        `hops` is how far the expression is from the parameter."""
        found = []
        for birth in self.births.of(expr, file, statement, stack, path):
            via = [self._hop(hop, hops + number) for number, hop in enumerate(birth.hops, 1)]
            key = self._birth(birth, hops + len(via) + 1)
            for source, target in pairwise((key, *reversed(via))):
                self.slicer.slice.lead(source, target, "assign")
            found.append((birth, key, via))
        return found

    def lead(
        self, expr: Expr, into: SiteKey, statement: int, kind: Kind = "assign", stack: Stack = (), path: Path = ()
    ) -> list[Led]:
        """Follow an expression back and lead its births to a site of the same statement."""
        slice_ = self.slicer.slice
        found = self.of(expr, into.file, statement, stack, path, slice_.sites[into].hops)
        for _, born, via in found:
            slice_.lead(via[0] if via else born, into, kind)
        return found

    def follow_seeds(self) -> None:
        """Follow the values written under the parameter's name back to their births."""
        for key, site in list(self.slicer.slice.sites.items()):
            if site.derived or not (key.role in ("store", "write", "declaration") or key in self.slicer.slice.entries):
                continue
            if isinstance(site.place, Parameter) and key.role == "declaration":
                self._arguments(site.place, key)
            for value, path in written(site):
                if not isinstance(value, ir.Const):
                    self.lead(value, key, site.statement, path=path)

    def _arguments(self, place: Parameter, key: SiteKey) -> None:
        """What the callers hand in for a parameter that bears the name."""
        for site in self.program.calls.callers(place.function):
            for filled in bind(site, place.function.parameters):
                if filled.parameter == place.name and filled.key is None:
                    known = self.slicer.slice.at(site.file, filled.argument.span)
                    passing = known[0] if known else SiteKey(site.file, filled.argument.span, "pass", describe(place))
                    if not known:
                        self.slicer.slice.add(SliceSite(passing, site.statement, place, False, hops=1))
                    self.slicer.slice.lead(passing, key, "argument")
                    self.lead(filled.argument.value, passing, site.statement)

    def _birth(self, birth: Birth, hops: int) -> SiteKey:
        role: Role = _ROLES.get(birth.kind, "read")
        slot = str(birth.place) if birth.place is not None else self._text(birth)
        if birth.kind == "parameter":
            role = "declaration"
        for known in self.slicer.slice.at(birth.file, birth.span):
            if known.role == role or (birth.kind == "computed" and known.role in ("formula", "store", "write")):
                return known
        key = SiteKey(birth.file, birth.span, role, slot)
        derived = birth.kind == "computed"
        self.slicer.slice.add(SliceSite(key, birth.statement, birth.place, derived, kind=birth.kind, hops=hops))
        return key

    def _text(self, birth: Birth) -> str:
        expression = birth.expression
        if isinstance(expression, ir.Call):
            return f"{dotted(expression.func) or 'a call'}()"
        if isinstance(expression, ir.Const):
            return f"the constant {expression.text}"
        return birth.file.source.slice(birth.span).partition("\n")[0][:60]

    def _hop(self, hop: Hop, hops: int) -> SiteKey:
        """A hop is a rename on the way; where the forward slice knows the statement already, its site serves."""
        known = self.slicer.slice.at(hop.file, hop.span)
        if known:
            return known[0]
        key = SiteKey(hop.file, hop.span, "read", hop.text)
        self.slicer.slice.add(SliceSite(key, hop.statement, None, False, kind="rename", hops=hops))
        return key


def written(site: SliceSite) -> Iterator[tuple[Expr, Path]]:
    """The expressions whose value a site writes, each with the path to that value in it: of the bindings of its name, of an argument or
    dictionary entry, of `setattr`, of a return."""
    file, span = site.key.file, site.key.span
    statement = file.statement(site.statement)
    name = getattr(site.place, "name", None)
    for binding in statement.bindings:
        if binding.value is None or binding.how in ("augment", "catch") or span != statement.span:
            continue
        element: Path = (ANY,) if binding.how == "iterate" else ()
        for target in assigned(binding.target):
            if name is None or name in (getattr(target, "attr", None), getattr(target, "id", None)):
                for path in unpacking(binding.target, target):
                    yield binding.value, (*element, *path)
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Walrus) and node.span == span:
                yield node.value, ()
            elif isinstance(node, ir.Call):
                yield from ((argument.value, ()) for argument in node.args if argument.span == span)
                if node.span == span and dotted(node.func) == "setattr" and len(node.args) == 3:
                    yield node.args[2].value, ()
            elif isinstance(node, ir.Dict):
                yield from ((value, ()) for entry, value in node.items if entry is not None and entry.span == span)
