"""The backward part of a slice: births and the hops that lead from them, as sites and flows."""

from __future__ import annotations

from sgmem.flow.births import Birth, Births, Hop
from sgmem.flow.graph import Role, SiteKey, SliceSite, describe
from sgmem.flow.measurements import Measurements
from sgmem.flow.places import Parameter
from sgmem.flow.slicer import Slicer
from sgmem.flow.uses import Stack
from sgmem.models.load import Models
from sgmem.program.calls import bind
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_ROLES: dict[str, Role] = {"measurement": "measurement", "declaration": "declaration", "constant": "write", "computed": "formula"}


class BackwardSlice:
    """Adds births to the slice."""

    def __init__(self, program: Program, slicer: Slicer, models: Models) -> None:
        self.program = program
        self.slicer = slicer
        self.measurements = Measurements(program, models)
        self.births = Births(program, slicer.occurrences, slicer.order, self.measurements.measures)

    def of(self, expr: Expr, file: File, statement: int, stack: Stack = ()) -> list[tuple[Birth, SiteKey, list[SiteKey]]]:
        """The births of an expression, each with its site and the sites of the hops, the nearest to the expression first."""
        found = []
        for birth in self.births.of(expr, file, statement, stack):
            via = [self._hop(hop) for hop in birth.hops]
            key = self._birth(birth)
            chain = [key, *reversed(via)]
            for source, target in zip(chain, chain[1:], strict=False):
                self.slicer.slice.connect(source, target, "assign")
            found.append((birth, key, via))
        return found

    def follow_seeds(self) -> None:
        """Follow the values written under the parameter's name back to their births."""
        slice_ = self.slicer.slice
        for key, site in list(slice_.sites.items()):
            if site.derived or key.role not in ("store", "write", "declaration"):
                continue
            if isinstance(site.place, Parameter):
                self._arguments(site.place, key)
                continue
            for binding in key.file.statement(site.statement).bindings:
                if binding.value is None or binding.how == "augment" or isinstance(binding.value, ir.Const):
                    continue
                for _, born, via in self.of(binding.value, key.file, site.statement):
                    slice_.connect(via[0] if via else born, key, "assign")

    def _arguments(self, place: Parameter, key: SiteKey) -> None:
        """What the callers hand in for a parameter that bears the name."""
        for site in self.program.calls.callers(place.function):
            for filled in bind(site, place.function.parameters):
                if filled.parameter == place.name and filled.key is None:
                    passing = SiteKey(site.file, filled.argument.span, "pass", describe(place))
                    known = [k for k in self.slicer.slice.sites if k.file is site.file and k.span == filled.argument.span]
                    if not known:
                        self.slicer.slice.add(SliceSite(passing, site.statement, place, False))
                    passing = known[0] if known else passing
                    self.slicer.slice.connect(passing, key, "argument")
                    for _, born, via in self.of(filled.argument.value, site.file, site.statement):
                        self.slicer.slice.connect(via[0] if via else born, passing, "assign")

    def _birth(self, birth: Birth) -> SiteKey:
        role: Role = _ROLES.get(birth.kind, "read")
        slot = str(birth.place) if birth.place is not None else self._text(birth)
        if birth.kind == "parameter":
            role = "declaration"
        for known in (k for k in self.slicer.slice.sites if k.file is birth.file and k.span == birth.span):
            if known.role == role or (birth.kind == "computed" and known.role in ("formula", "store", "write")):
                return known
        key = SiteKey(birth.file, birth.span, role, slot)
        derived = birth.kind == "computed"
        self.slicer.slice.add(SliceSite(key, birth.statement, birth.place, derived, kind=birth.kind))
        return key

    def _text(self, birth: Birth) -> str:
        expression = birth.expression
        if isinstance(expression, ir.Call):
            return f"{dotted(expression.func) or 'a call'}()"
        if isinstance(expression, ir.Const):
            return f"the constant {expression.text}"
        return birth.file.source.slice(birth.span).partition("\n")[0][:60]

    def _hop(self, hop: Hop) -> SiteKey:
        """A hop is a rename on the way; where the forward slice knows the statement already, its site serves."""
        for known in self.slicer.slice.sites:
            if known.file is hop.file and known.span == hop.span:
                return known
        key = SiteKey(hop.file, hop.span, "read", hop.text)
        self.slicer.slice.add(SliceSite(key, hop.statement, None, False, kind="rename"))
        return key
