"""What is known of the units of values in a program: models, conversions, names that spell a unit, and definitions.

`Units` answers for one expression in its place. A quick answer looks at the expression and its own function; a deep one
also follows parameters to the callers, fields to what is stored in them and calls to what they return. Where several
definitions meet, the claim is only as good as the worst of them.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.constants import Constants
from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.units.evidence import Evidence, model_evidence, suffix_evidence
from sgmem.domains.units.infer import check, infer
from sgmem.flow.birth import unpacking
from sgmem.flow.naming import call_names
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Field
from sgmem.program.calls import bind
from sgmem.program.entities import Function, Global
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sgmem.domains.accounting.gauges import Gauges
    from sgmem.domains.units.infer import Checked
    from sgmem.flow.birth import Birth
    from sgmem.flow.order import Order
    from sgmem.flow.places import Path
    from sgmem.models.load import Models
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 8
MAX_CALLERS = 6
MAX_FILES = 4
"""A function whose name more files than this mention is not followed to its callers: it costs much and rarely decides.
"""
_KEYED = frozenset({"get", "pop", "getattr"})
_SAME_METHODS = frozenset({"item", "cpu", "clone", "tolist", "get"})
"""Methods that give back the amount they are called on; `get` where it is given nothing, as of an environment variable."""
_MEMORY = re.compile(r"(?:^|_)(?:mem|memory|host|budget|capacity)(?:_|$)")
_WORDED = re.compile(r"_*(?:format|fmt|render|describe|humanize|pretty|print)_")
_SAME_FUNCTIONS = frozenset({"tensor", "as_tensor", "Tensor", "array", "Decimal"})


class Known(msgspec.Struct, frozen=True):
    """The unit of a value; `at` is where its evidence stands."""

    evidence: Evidence
    at: Location


def names_memory(name: str) -> bool:
    """Whether a variable is called like an amount of memory, in whatever unit: then its callers are worth asking."""
    return _MEMORY.search(name) is not None


class Units:
    """Answers are memoised per leaf expression, quick and deep ones apart."""

    def __init__(self, program: Program, models: Models, gauges: Gauges, order: Order) -> None:
        self.program = program
        self.models = models
        self.gauges = gauges
        self.order = order
        self.constants = Constants(program, order)
        self._known: dict[tuple[Expr, bool], Known | None] = {}
        self._open: set[Expr] = set()
        self.born: Callable[[Expr, File, int], tuple[Birth, ...]] | None = None
        """Where values come from, however far; asked only for parameters that are called like an amount of memory."""

    def infer(self, expr: Expr, file: File, statement: int, deep: bool = False, depth: int = 0) -> Evidence | None:
        """The unit of an expression."""
        return infer(
            expr,
            lambda leaf: self._evidence(leaf, file, statement, deep, depth),
            lambda leaf: self.constant(leaf, file, statement),
        )

    def check(self, expr: Expr, file: File, statement: int, deep: bool = False) -> tuple[Checked, ...]:
        """Every operation below `expr` whose sides disagree, both with strong evidence."""
        return check(
            expr,
            lambda leaf: self._evidence(leaf, file, statement, deep, 0),
            lambda leaf: self.constant(leaf, file, statement),
        )

    def known(self, leaf: Expr, file: File, statement: int, deep: bool = False, depth: int = 0) -> Known | None:
        """What is known of a leaf: an expression that is no arithmetic itself."""
        key = (leaf, deep)
        if key not in self._known:
            self._known[key] = None  # cuts cycles
            if depth <= MAX_DEPTH:
                self._open.add(leaf)
                self._known[key] = self._find(leaf, file, statement, deep, depth + 1)
                self._open.discard(leaf)
        return self._known[key]

    def constant(self, leaf: Expr, file: File, statement: int) -> Fraction | None:
        """The number that a name stands for, where its only definition is a literal.

        A value that is being worked out already, in a loop or a function that is handed its own result, is neutral, as 0 is: it has
        the unit that its other definitions give it.
        """
        if leaf in self._open:
            return Fraction(0)
        return self.constants.of(leaf, file, statement)

    # -- leaves -------------------------------------------------------------------------------------------------------

    def _evidence(self, leaf: Expr, file: File, statement: int, deep: bool, depth: int) -> Evidence | None:
        known = self.known(leaf, file, statement, deep, depth)
        return known.evidence if known is not None else None

    def _find(self, leaf: Expr, file: File, statement: int, deep: bool, depth: int) -> Known | None:
        gauge = self.gauges.of(leaf, file, statement)
        if gauge is not None:
            evidence = gauge.measured.evidence()
            return Known(evidence, gauge.location) if evidence is not None else None
        here = Location(file, statement, leaf.span)
        match leaf:
            case ir.Name():
                return self._variable(leaf, here, deep, depth)
            case ir.Attribute():
                return self._field(leaf, here, deep, depth)
            case ir.Call():
                return self._called(leaf, here, deep, depth)
            case ir.Subscript():
                return _spelled(leaf.index, here)
            case ir.Await():
                return self.known(leaf.value, file, statement, deep, depth)
        return None

    def _variable(self, leaf: ir.Name, here: Location, deep: bool, depth: int) -> Known | None:
        file, scope = here.file, here.file.outline.statements[here.statement].scope
        name = _named(suffix_evidence(leaf.id, leaf.span), here)
        if file.binder(leaf) is not None:
            return name
        qualname = file.scope(scope).qualname
        modelled = self._modelled((f"{file.module}:{qualname}.{leaf.id}",), ("local",), here) if qualname else None
        if modelled is not None:
            return modelled
        names = self.program.names
        if not names.bindings(file, scope, leaf.id) and all(p.name != leaf.id for p in file.scope(scope).parameters):
            return name if name is not None or not deep else self._global(leaf, file, scope, depth)
        definitions = self.order.reaching(file, scope, leaf.id, here.statement)
        found = [self._defined(leaf.id, file, index, deep, depth) for index in sorted(definitions - {ENTRY})]
        if ENTRY in definitions and file.scope(scope).kind == "function":
            given = self._parameter(Function(file, scope), leaf.id, deep, depth)
            found.append(given if given is not None or not deep else self._brought(leaf, here))
        return _reconciled(_met(found), name)

    def _global(self, leaf: ir.Name, file: File, scope: int, depth: int) -> Known | None:
        """What a module's variable is given, where that happens once."""
        entity = self.program.names.entity(leaf, file, scope)
        if not isinstance(entity, Global):
            return None
        found = self.program.names.bindings(entity.file, 0, entity.name)
        defined = self._defined(entity.name, entity.file, next(iter(found)), True, depth) if len(found) == 1 else None
        return defined if isinstance(defined, Known) else None

    def _defined(self, name: str, file: File, index: int, deep: bool, depth: int) -> Known | Fraction | None:
        """What one definition gives a variable: its unit, the number of a literal, or nothing that is known."""
        statement = file.statement(index)
        for binding in statement.bindings:
            if binding.value is None or binding.how not in ("assign", "annotate", "augment"):
                continue
            for path in unpacking(binding.target, name):
                value: Expr = binding.value
                if binding.how == "augment" and binding.operator is not None:
                    value = ir.Binary(statement.span, binding.operator, binding.target, binding.value)
                return self._part(value, path, file, index, deep, depth)
        return None

    def _part(self, value: Expr, path: Path, file: File, index: int, deep: bool, depth: int) -> Known | Fraction | None:
        if path:
            if isinstance(value, ir.Collection) and isinstance(path[0], int) and path[0] < len(value.items):
                return self._part(value.items[path[0]], path[1:], file, index, deep, depth)
            part = path[0] if isinstance(path[0], int) and len(path) == 1 else None
            gauge = self.gauges.part(value, part, file, index) if isinstance(value, ir.Call) and part is not None else None
            evidence = gauge.measured.evidence() if gauge is not None else None
            return Known(evidence, gauge.location) if gauge is not None and evidence is not None else None
        evidence = self.infer(value, file, index, deep, depth)
        if evidence is None:
            try:
                return value_of(value, lambda leaf: self.constant(leaf, file, index))
            except Unsupported:
                return None
        return Known(evidence, self._where(value, file, index, deep, depth))

    def _where(self, value: Expr, file: File, index: int, deep: bool, depth: int) -> Location:
        """Where the unit of a defining expression comes from: its only leaf's source, or the expression itself."""
        inner = self._known.get((value, deep))
        return inner.at if inner is not None else Location(file, index, value.span)

    def _parameter(self, function: Function, name: str, deep: bool, depth: int) -> Known | Fraction | None:
        owner = function.owner
        called = owner.name if function.name == "__init__" and owner is not None else function.name
        if not deep or len(self.program.files.tree.mentioning(called)) > MAX_FILES:
            return None
        found: list[Known | Fraction | None] = []
        for site in self.program.calls.callers(function)[: MAX_CALLERS + 1]:
            for filled in bind(site, function.parameters):
                if filled.parameter == name and filled.key is None:
                    found.append(self._part(filled.argument.value, (), site.file, site.statement, deep, depth))
                elif filled.parameter is None:
                    return None
        return _met(found) if len(found) <= MAX_CALLERS else None

    def _brought(self, leaf: ir.Name, here: Location) -> Known | None:
        """The unit of a reading or of a setting that a parameter brings, from whichever callers, where all bring the same."""
        if self.born is None or not names_memory(leaf.id):
            return None
        found = [self._at_birth(birth) for birth in self.born(leaf, here.file, here.statement) if birth.kind != "constant"]
        first = found[0] if found else None
        if first is None or any(one is None or not one.evidence.unit.agrees(first.evidence.unit) for one in found):
            return None
        return first

    def _at_birth(self, birth: Birth) -> Known | None:
        if birth.converted:
            return None
        gauge = self.gauges.of_birth(birth)
        if gauge is not None:
            evidence = gauge.measured.evidence()
            return Known(evidence, gauge.location) if evidence is not None else None
        if birth.kind == "declaration" and isinstance(birth.place, Field):
            evidence = declared(self.models, f"{birth.place.owner.qualified}.{birth.place.name}")
            return Known(evidence, Location(birth.file, birth.statement, birth.span)) if evidence is not None else None
        return None

    def _field(self, leaf: ir.Attribute, here: Location, deep: bool, depth: int) -> Known | None:
        file, scope = here.file, here.file.outline.statements[here.statement].scope
        name = _named(suffix_evidence(leaf.attr, leaf.attr_span), here)
        modelled = self._modelled((dotted(leaf) or f"_.{leaf.attr}",), ("field",), here)
        if modelled is not None:
            return modelled
        rows = self.models.units.rows_for_name(leaf.attr)
        if not rows and (not deep or name is not None or not isinstance(leaf.base, ir.Name)):
            return name
        owners = tuple(self.program.values.types(leaf.base, file, scope))
        if rows:
            family = dict.fromkeys(each for owner in owners for each in self.program.classes.mro(owner))
            modelled = self._modelled([f"{each.qualified}.{leaf.attr}" for each in family], ("field",), here)
        if modelled is not None or not deep:
            return modelled or name
        return _reconciled(_met(self._stored(owners, leaf.attr, depth)), name)

    def _stored(self, owners: Iterable[Class], name: str, depth: int) -> list[Known | Fraction | None]:
        """What the methods of the owners store in a field; a field that is declared may be filled from anywhere."""
        found: list[Known | Fraction | None] = []
        for owner in owners:
            for each in self.program.classes.mro(owner):
                if self.program.classes.declaration(each, name) is not None:
                    return [None]
                for _, index in self.program.classes.stores(each, name):
                    for binding in each.file.statement(index).bindings:
                        if isinstance(binding.target, ir.Attribute) and binding.target.attr == name and binding.value is not None:
                            if binding.how == "augment":
                                continue
                            found.append(self._part(binding.value, (), each.file, index, True, depth))
                        elif binding.value is not None and isinstance(binding.target, ir.Collection):
                            found.append(None)
        return found

    def _called(self, leaf: ir.Call, here: Location, deep: bool, depth: int) -> Known | None:
        last = last_name(leaf)
        inner = wrapped(leaf, last)
        if inner is not None:
            evidence = self.infer(inner, here.file, here.statement, deep, depth)
            return Known(evidence, self._where(inner, here.file, here.statement, deep, depth)) if evidence is not None else None
        if last in _KEYED and leaf.args:
            key = leaf.args[1 if last == "getattr" and len(leaf.args) > 1 else 0].value
            spelled = _spelled(key, here)
            if spelled is not None:
                return spelled
        scope = here.file.outline.statements[here.statement].scope
        if self.models.units.rows_for_name(last):
            # The spelling is enough for most rows; what is called is only worked out where they ask for its module.
            text = dotted(leaf.func) or f"_.{last}"
            modelled = self._modelled((text,), ("result",), here) or self._modelled(
                call_names(self.program, leaf, here.file, scope), ("result",), here
            )
            if modelled is not None:
                return modelled
        name = _named(suffix_evidence(last, leaf.func.span), here)
        if name is not None and self._is_text(leaf, here.file, scope):
            return None
        if not deep or len(self.program.files.tree.mentioning(last)) > MAX_FILES:
            return name
        found: list[Known | Fraction | None] = []
        for target, _, _ in self.program.calls.targets(leaf, here.file, scope):
            if isinstance(target, Function) and not target.scope.is_async:
                found += self._returned(target, depth)
            else:
                found.append(None)
        return _reconciled(_met(found), name)

    def _is_text(self, call: ir.Call, file: File, scope: int) -> bool:
        """Whether a function puts an amount into words: `format_gib(x)` gives "3.2 GiB", which is in no unit."""
        if _WORDED.match(last_name(call)):
            return True
        targets = self.program.calls.targets(call, file, scope)
        return any(isinstance(target, Function) and gives_text(target) for target, _, _ in targets)

    def _returned(self, function: Function, depth: int) -> list[Known | Fraction | None]:
        file = function.file
        return [
            self._part(value, (), file, index, True, depth)
            for index in file.own_statements(function.index, "return")
            for value in file.statement(index).values
            if not (isinstance(value, ir.Const) and value.value is None)
        ]

    def _modelled(self, names: Iterable[str], kinds: tuple[str, ...], here: Location) -> Known | None:
        for name in names:
            for row in self.models.units.find_all(name):
                if row.kind in kinds:
                    evidence = model_evidence(row.unit, row.why, here.span, row.scope)
                    if evidence is None:
                        continue
                    return Known(evidence.weakened("the name is used loosely") if row.hint else evidence, here)
        return None


def declared(models: Models, slot: str) -> Evidence | None:
    """What the models, or else its name, say of a field, a parameter or a variable, by its qualified name."""
    for row in models.units.find_all(slot):
        if row.kind in ("field", "local"):
            evidence = model_evidence(row.unit, row.why, None, row.scope)
            if evidence is not None:
                return evidence.weakened("the name is used loosely") if row.hint else evidence
    return suffix_evidence(slot.rpartition(".")[2])


def gives_text(function: Function) -> bool:
    """Whether a function is declared to return text, or returns nothing but templates and literal text."""
    file = function.file
    if function.scope.returns is not None and file.source.slice(function.scope.returns).strip("\"' ") == "str":
        return True
    values = [value for index in file.own_statements(function.index, "return") for value in file.statement(index).values]
    return bool(values) and all(isinstance(value, ir.Format) or _is_literal_text(value) for value in values)


def _is_literal_text(value: Expr) -> bool:
    return isinstance(value, ir.Const) and isinstance(value.value, str)


def wrapped(call: ir.Call, last: str) -> Expr | None:
    """The amount that a call only wraps or unwraps: `torch.tensor(x)`, `x.item()`, `envs.CACHE_MB.get()`."""
    if isinstance(call.func, ir.Attribute) and last in _SAME_METHODS and not call.args:
        return call.func.base
    if last in _SAME_FUNCTIONS and call.args and not call.args[0].star and not isinstance(call.args[0].value, ir.Collection):
        return call.args[0].value
    return None


def _spelled(key: Expr, here: Location) -> Known | None:
    """A literal key or attribute name that ends in a unit: `usage["peak_mb"]`."""
    if isinstance(key, ir.Const) and isinstance(key.value, str):
        return _named(suffix_evidence(key.value, key.span), here)
    return None


def _named(evidence: Evidence | None, here: Location) -> Known | None:
    return Known(evidence, here) if evidence is not None else None


def _met(found: list[Known | Fraction | None]) -> Known | None:
    """What holds whichever definition was taken. Literals are neutral; an unknown or another unit makes it weak."""
    known = [one for one in found if isinstance(one, Known)]
    if not known:
        return None
    first = max(known, key=lambda one: one.evidence.rank)
    if all(one.evidence.unit.agrees(first.evidence.unit) for one in known):
        if any(one is None for one in found):
            return Known(first.evidence.weakened("another definition of it has no known unit"), first.at)
        weakest = min(known, key=lambda one: one.evidence.rank)
        return first if weakest.evidence.strong else weakest
    return Known(first.evidence.weakened("its definitions are in different units"), first.at)


def _reconciled(found: Known | None, name: Known | None) -> Known | None:
    """A definition proves more than a name; where they contradict each other neither is sure."""
    if found is None or name is None:
        return found or name
    if found.evidence.weak:
        return name
    if found.evidence.unit.agrees(name.evidence.unit):
        return found
    return Known(found.evidence.weakened("its name spells another unit"), found.at)
