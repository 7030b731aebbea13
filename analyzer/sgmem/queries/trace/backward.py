"""The backward part of a slice: births and the hops that lead from them, as sites and flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

from sgmem.flow.birth import RANK, Birth, Hop, unpacking
from sgmem.flow.births import Births
from sgmem.flow.graph import LEVELS, FormulaSite, Role, SiteKey, SliceSite, describe
from sgmem.flow.guards import Conditions
from sgmem.flow.measurements import Measurements
from sgmem.flow.places import ANY, Parameter, Path, Variable
from sgmem.flow.slicer import Slicer
from sgmem.flow.step import Kind
from sgmem.flow.uses import Stack
from sgmem.models.load import Models
from sgmem.program.calls import CallSite, bind
from sgmem.program.classes import assigned
from sgmem.program.entities import Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

_ROLES: dict[str, Role] = {"measurement": "measurement", "declaration": "declaration", "constant": "write", "computed": "formula"}

Led = tuple[Birth, SiteKey, list[SiteKey]]
"""A birth, its site, and the sites of the hops from it, the nearest to where it leads first."""

SiteOfCall = tuple[str, Span]

MAX_ALTERNATIVES = 4
"""Of the births of a formula's input as many are shown, all as telling as the first."""


MANY_SEEDS = 300
"""From so many places that bear the parameter's name on, what one of them gets from another is not followed back."""


class BackwardSlice:
    """Adds births to the slice."""

    def __init__(self, program: Program, slicer: Slicer, models: Models) -> None:
        self.program = program
        self.slicer = slicer
        self.measurements = Measurements(program, models)
        self.births = Births(program, slicer.occurrences, slicer.order, self.measurements.measures)
        self.conditions = Conditions(program, slicer.order)
        self._chains: list[Led] = []

    def of(self, births: Iterable[Birth], hops: int = 0) -> list[Led]:
        """Births with their sites and the sites of their hops, which become part of the slice. `hops` is how far what they lead to is
        from the parameter."""
        found = []
        for birth in births:
            via = [self._hop(hop, hops + number) for number, hop in enumerate(birth.hops, 1)]
            key = self._birth(birth, hops + len(via) + 1)
            for source, target in pairwise((key, *reversed(via))):
                self.slicer.slice.lead(source, target, "assign")
            found.append((birth, key, via))
        self._chains += found
        return found

    def derive(self) -> None:
        """Mark the hops that only the backward search found and that hand on what is computed from the parameter, never the parameter
        itself: they are as derived as what lies on the way forward."""
        slice_ = self.slicer.slice
        ahead = {*slice_.entries, *(key for move in slice_.moves for key in move.sites)}
        raw = {hop for _, born, via in self._chains if born in ahead and not slice_.sites[born].derived for hop in via}
        entered: dict[Function, set[SiteOfCall]] = {}
        for move in slice_.moves:
            if move.target is not None and isinstance(move.target.place, Parameter) and move.target.stack:
                entered.setdefault(move.target.place.function, set()).add(_where(move.target.stack[-1]))
        chains = [led for led in self._chains if not self._is_shared(led[0], entered)]
        changed = True
        while changed:
            changed = False
            for _, born, via in chains:
                for hop in via if slice_.sites[born].derived else ():
                    if not slice_.sites[hop].derived and hop not in ahead and hop not in raw:
                        slice_.sites[hop].derived = changed = True

    def _is_shared(self, birth: Birth, entered: dict[Function, set[SiteOfCall]]) -> bool:
        """Whether a value was born inside a call of a function that only other calls hand the parameter: what it computes from its
        arguments is derived for them, and need not be for this one."""
        function = self.program.calls.inside(birth.file, birth.statement) if birth.stack else None
        return function in entered and _where(birth.stack[-1]) not in entered[function]

    def lead(self, expr: Expr, into: SiteKey, statement: int, kind: Kind = "assign", stack: Stack = (), path: Path = ()) -> list[Led]:
        """Follow an expression back and lead its births to a site of the same statement; for an operand the most telling ones."""
        slice_ = self.slicer.slice
        births = self.births.of(expr, into.file, statement, stack, path)
        found = self.of(self._telling(births) if kind == "operand" else births, slice_.sites[into].hops)
        for _, born, via in found:
            slice_.lead(via[0] if via else born, into, kind)
        return found

    def _telling(self, births: tuple[Birth, ...]) -> list[Birth]:
        """The births to name as an input's origin: what the trace computes from the parameter, or the parameter from, tells more than
        the declaration of a cap beside it."""

        def rank(birth: Birth) -> tuple[bool, int]:
            sites = self.slicer.slice.at(birth.file, birth.span) if birth.kind == "computed" else ()
            known = any(key in self.slicer.slice.formulas for key in sites)
            return self.births.is_aside(birth), 0 if birth.kind == "measurement" else 1 if known else 2 + RANK[birth.kind]

        best = min(map(rank, births))
        alike = [birth for birth in births if rank(birth) == best]
        # What is always done comes before what is done under conditions.
        return sorted(alike, key=lambda birth: (self._conditions(birth), len(birth.hops)))[:MAX_ALTERNATIVES]

    def _conditions(self, birth: Birth) -> int:
        """Under how many conditions a value is born and comes to where it is used, each function taken by itself."""
        places = dict.fromkeys([(birth.file, birth.statement), *((hop.file, hop.statement) for hop in birth.hops)])
        found = [condition for file, index in places for condition in self.conditions.own(file, index)]
        return sum(condition.how != "check" for condition in found)

    def formula_of(self, led: Led, levels: int) -> FormulaSite | None:
        """The computation that a value was born of, as a formula of the slice; None where it is no computation or known already."""
        birth, key, _ = led
        if birth.kind != "computed" or birth.expression is None or key.role != "formula" or key in self.slicer.slice.formulas:
            return None
        statement = birth.file.statement(birth.statement)
        target = "an argument"
        if statement.kind == "return":
            target = f"{birth.file.scope(birth.file.outline.statements[birth.statement].scope).name}()"
        for binding in statement.bindings:
            if birth.span == statement.span:
                target = dotted(binding.target) or birth.file.source.slice(binding.target.span)
        formula = FormulaSite(key, birth.file, birth.statement, birth.expression, target, birth.place, 0, birth.stack, levels)
        self.slicer.slice.formulas[key] = formula
        return formula

    def follow_seeds(self) -> None:
        """Follow the values written under the parameter's name back to their births."""
        for key, site in list(self.slicer.slice.sites.items()):
            if site.derived or not (key.role in ("store", "write", "declaration") or key in self.slicer.slice.entries):
                continue
            if key not in self.slicer.slice.entries and not self._is_named(site):
                continue  # where else a place of another name gets its values from tells nothing about the parameter
            if isinstance(site.place, Parameter) and key.role == "declaration":
                self._arguments(site.place, key)
            for value, path in written(site):
                if not isinstance(value, ir.Const) and (path or not self._is_told(value, key.file, site.statement)):
                    for led in self.lead(value, key, site.statement, path=path):
                        self.formula_of(led, LEVELS)

    def _is_named(self, site: SliceSite) -> bool:
        """Whether what a site writes bears the parameter's name, by its place or by the entry of it."""
        name = getattr(site.place, "name", None)
        entry = site.key.slot.rpartition("['")[2].removesuffix("']") if site.key.slot.endswith("']") else ""
        return name is None or self.slicer.slice.bears_name(name, (entry,))

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
                    value = filled.argument.value
                    for led in () if self._is_told(value, site.file, site.statement) else self.lead(value, passing, site.statement):
                        self.formula_of(led, LEVELS)

    def _is_told(self, value: Expr, file: File, statement: int) -> bool:
        """Whether, in a trace of many places of the name, a value is what another one holds: the way on from there tells of it, and the
        way back from each to all the writes of all the others would tell it over and over."""
        seeds = self.slicer.slice.seeds
        if len(seeds) < MANY_SEEDS or not isinstance(value, ir.Name | ir.Attribute):
            return False
        name = value.id if isinstance(value, ir.Name) else value.attr
        places = [seen.place for seen in self.slicer.occurrences.reads_in_statement(file, statement, name) if seen.node is value]
        return bool(places) and all(place in self._locals if isinstance(place, Variable) else place in seeds for place in places)

    @cached_property
    def _locals(self) -> frozenset[Variable]:
        """The variables and parameters that bear the name, each by its name alone, not as one statement defines it."""
        seeds = self.slicer.slice.seeds
        variables = (Variable(one.file, one.scope, one.name, -1) for one in seeds if isinstance(one, Variable))
        handed_in = (Variable(one.function.file, one.function.index, one.name, -1) for one in seeds if isinstance(one, Parameter))
        return frozenset((*variables, *handed_in))

    def _birth(self, birth: Birth, hops: int) -> SiteKey:
        role: Role = _ROLES.get(birth.kind, "read")
        slot = str(birth.place) if birth.place is not None else self._text(birth)
        if birth.kind == "parameter":
            role = "declaration"
        for known in self.slicer.slice.at(birth.file, birth.span):
            if known.role == role:
                return known
        key = SiteKey(birth.file, birth.span, role, slot)
        derived = role == "formula" and (birth.file.path, birth.span) in self.slicer.slice.left_out
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
        statement = hop.file.statement(hop.statement)
        known = self.slicer.slice.at(hop.file, hop.span)
        named = [key for key in known if key.slot == hop.text or key.slot.endswith(f".{hop.text}")]
        unpacks = hop.span == statement.span and any(isinstance(binding.target, ir.Collection) for binding in statement.bindings)
        # A statement that writes many fields (it copies them by name) has a site for each; one for another field does not serve.
        is_place = ":" in hop.text
        if named or (known and not unpacks and not is_place):
            return (named or known)[0]
        role: Role = "read"
        if hop.file.scope(hop.file.outline.statements[hop.statement].scope).kind == "class":
            role = "declaration"
        elif hop.span != statement.span:
            role = "pass"
        elif is_place:
            role = "store"
        key = SiteKey(hop.file, hop.span, role, hop.text)
        self.slicer.slice.add(SliceSite(key, hop.statement, None, False, kind="rename" if role == "read" else "copy", hops=hops))
        return key


def _where(site: CallSite) -> SiteOfCall:
    return site.file.path, site.call.span


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
    if statement.kind == "return" and span == statement.span:
        yield from ((value, ()) for value in statement.values)
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Walrus | ir.Yield) and node.span == span and node.value is not None:
                yield node.value, ()
            elif isinstance(node, ir.Call):
                held: Path = (str(name),) if site.kind == "decided" else ()  # in a container, under the field's name
                given = (argument for argument in node.args if argument.span == span)
                yield from ((argument.value, () if argument.keyword is not None else held) for argument in given)
                if node.span == span and dotted(node.func) == "setattr" and len(node.args) == 3:
                    yield node.args[2].value, ()
            elif isinstance(node, ir.Dict):
                yield from ((value, ()) for entry, value in node.items if entry is not None and entry.span == span)
