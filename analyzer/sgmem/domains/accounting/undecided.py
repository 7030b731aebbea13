"""Amounts of memory whose unit nothing decides, and what would: the function, parameter or field that the value comes from.

A value is an amount where it meets one (it is added to, subtracted from or compared with a value in a unit of memory), or where the
program says so: by the name it is stored under, the parameter it is handed to, the label it is printed with, the function it leaves.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Literal, TypeGuard

import msgspec

from sgmem.domains.accounting.claims import Claim, Claims
from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.accounting.units import gives_text, wrapped
from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.units.infer import compared
from sgmem.domains.units.unit import CONVERSIONS, Unit
from sgmem.flow.birth import unpacking
from sgmem.flow.naming import call_names
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.domains.units.evidence import Evidence
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 6
MAX_ROOTS = 6
_ONE_VALUE = frozenset({"name", "parameter", "label", "result", "docstring"})
_NO_AMOUNT = frozenset(
    {"time", "perf_counter", "monotonic", "field", "data_ptr", *dir(builtins), *dir(str), *dir(bytes), *dir(list), *dir(dict)}
)
"""Functions about whose result a row can say nothing: it depends on what they are given, or is no amount."""

RootKind = Literal["result", "parameter", "field"]


class Root(msgspec.Struct, frozen=True):
    """What a value comes from: `name` is qualified (`pkg.module:Class.field`, `pkg.module:function.parameter`), or as the source spells
    it where its owner is not known.
    """

    kind: RootKind
    name: str
    location: Location


class Origin(msgspec.Struct, frozen=True):
    """A root of a value; `same`: the value is in the root's own unit, nothing multiplies or divides on the way."""

    root: Root
    same: bool


class AmountSite(msgspec.Struct, frozen=True):
    """A value that is an amount of memory: `needed` is the unit in which it should be, `unit` the one in which it is, if that is known.

    `origins`: what it comes from, where it is not; () where nothing that a row can name decides it.
    """

    location: Location
    needed: Unit
    unit: Unit | None
    origins: tuple[Origin, ...] = ()


def amount_sites(facts: ProgramFacts) -> Iterator[AmountSite]:
    """Every amount of a program, each once, in the order of its source."""
    seen: set[Location] = set()
    roots, claims = _Roots(facts), Claims(facts.program, facts.models)
    for file, statement in facts.candidates.touched:
        for value, needed in _amounts(facts, claims, file, statement):
            at = Location(file, statement, value.span)
            if at in seen or isinstance(value, ir.Const):
                continue
            seen.add(at)
            known = facts.units.infer(value, file, statement, deep=True)
            unit = _amount_unit(known) if known is not None else None
            if unit is not None:
                yield AmountSite(at, needed, unit)
                continue
            if known is not None and known.scaled:
                yield AmountSite(at, needed, None)
                continue
            found = {origin.root: origin for origin in roots.of(value, file, statement, True, 0) if not _counts(facts, origin)}
            if found or not _is_number(facts, value, file, statement):
                yield AmountSite(at, needed, None, tuple(found.values())[:MAX_ROOTS])


def _amount_unit(known: Evidence) -> Unit | None:
    """The unit of an amount that is known for sure, what unknown counts leave of a quotient aside."""
    if not known.scaled or (known.counted and known.unit.memory_per != 1):
        return None
    return Unit((("bytes", 1),), known.unit.scale, None, known.unit.loose) if known.counted else known.unit


def _amounts(facts: ProgramFacts, claims: Claims, file: File, statement: int) -> Iterator[tuple[Expr, Unit]]:
    """The values of one statement that are amounts, each with the unit that it is taken for."""
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            for left, right in compared(node):
                for one, other in ((left, right), (right, left)):
                    against = facts.units.infer(other, file, statement, deep=True)
                    if _is_amount(against):
                        yield one, against.unit
    for claim in claims.of(file, statement):
        if claim.kind in _ONE_VALUE and claim.evidence.unit.is_amount and not _may_be_data(claim):
            yield claim.value, claim.evidence.unit


def _may_be_data(claim: Claim) -> bool:
    """Whether what is called bytes may be the bytes themselves (`chunk_bytes = read()`): unless it is calculated."""
    value = claim.value
    counted = isinstance(value, ir.Binary) or (isinstance(value, ir.Call) and arithmetic.function_name(value) is not None)
    return claim.evidence.unit.scale == 1 and claim.kind != "docstring" and not counted


def _counts(facts: ProgramFacts, origin: Origin) -> bool:
    """Whether the models know a root as a number of ranks or of things: it is a factor, and no row of a unit is missing."""
    last = origin.root.name.rpartition(".")[2].rpartition(":")[2]
    return bool(facts.models.groups.rows_for_name(last) or facts.models.counts.rows_for_name(last))


def _is_amount(evidence: Evidence | None) -> TypeGuard[Evidence]:
    return evidence is not None and evidence.scaled and evidence.unit.is_amount


def _is_number(facts: ProgramFacts, value: Expr, file: File, statement: int) -> bool:
    """Whether a value is a literal, or a name for one."""
    try:
        value_of(value, lambda leaf: facts.units.constant(leaf, file, statement))
    except Unsupported:
        return False
    return True


class _Roots:
    """Follows a value back through locals and arithmetic to what a row could name."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self.names = facts.program.names

    def of(self, value: Expr, file: File, statement: int, same: bool, depth: int) -> Iterator[Origin]:
        if depth > MAX_DEPTH or _is_number(self.facts, value, file, statement):
            return
        known = self.facts.units.infer(value, file, statement, deep=True)
        if known is not None and known.scaled:
            return
        match value:
            case ir.Binary(operator=operator, left=left, right=right):
                if operator in ("+", "-") or self._converts(left, right, file, statement):
                    for side in (left, right):
                        yield from self.of(side, file, statement, same and operator in ("+", "-"), depth + 1)
            case ir.Unary(operand=operand):
                yield from self.of(operand, file, statement, same, depth + 1)
            case ir.Conditional(body=body, orelse=orelse):
                for side in (body, orelse):
                    yield from self.of(side, file, statement, same, depth + 1)
            case ir.Boolean(values=values):
                for side in values:
                    yield from self.of(side, file, statement, same, depth + 1)
            case ir.Walrus(value=inner) | ir.Await(value=inner):
                yield from self.of(inner, file, statement, same, depth + 1)
            case ir.Call():
                yield from self._call(value, file, statement, same, depth)
            case ir.Name():
                yield from self._variable(value, file, statement, same, depth)
            case ir.Attribute():
                yield from self._field(value, file, statement, same)

    def _converts(self, left: Expr, right: Expr, file: File, statement: int) -> bool:
        """Whether a product or quotient is in a unit once its sides are: not so where one is a number that converts nothing."""
        for side in (left, right):
            if _is_number(self.facts, side, file, statement):
                return value_of(side, lambda leaf: self.facts.units.constant(leaf, file, statement)) in CONVERSIONS
        return True

    def _call(self, call: ir.Call, file: File, statement: int, same: bool, depth: int) -> Iterator[Origin]:
        last = last_name(call)
        inner = wrapped(call, last)
        parts = (inner,) if inner is not None else arithmetic.operands(call) if arithmetic.function_name(call) else None
        if parts is not None:
            for part in parts:
                yield from self.of(part, file, statement, same, depth + 1)
            return
        if not last or last in _NO_AMOUNT or arithmetic.function_name(call) or last[:1].isupper():
            return
        at, scope = Location(file, statement, call.span), file.outline.statements[statement].scope
        targets = [target for target, _, _ in self.facts.program.calls.targets(call, file, scope)]
        functions = [target for target in targets if isinstance(target, Function) and target.name != "__init__"]
        if functions and not any(gives_text(one) for one in functions):
            yield Origin(Root("result", functions[0].qualified, _header(functions[0])), same)
        elif not targets:
            name = next((name for name in call_names(self.facts.program, call, file, scope) if "(" not in name and "[" not in name), "")
            if name:
                yield Origin(Root("result", name, at), same)

    def _variable(self, leaf: ir.Name, file: File, statement: int, same: bool, depth: int) -> Iterator[Origin]:
        scope = file.outline.statements[statement].scope
        if file.binder(leaf) is not None:
            return
        reaching = self.facts.order.reaching(file, scope, leaf.id, statement)
        for index in sorted(reaching - {ENTRY}):
            for binding in file.statement(index).bindings:
                plain = binding.value is not None and binding.how in ("assign", "annotate", "augment")
                if plain and binding.value is not None and () in unpacking(binding.target, leaf.id):
                    yield from self.of(binding.value, file, index, same, depth + 1)
        row = file.scope(scope)
        taken = next((one for one in row.parameters if one.name == leaf.id and one.kind in ("normal", "keyword", "positional")), None)
        if ENTRY in reaching and taken is not None:
            header = Location(file, row.statement, taken.span)
            yield Origin(Root("parameter", f"{file.module}:{row.qualname}.{leaf.id}", header), same)

    def _field(self, leaf: ir.Attribute, file: File, statement: int, same: bool) -> Iterator[Origin]:
        scope = file.outline.statements[statement].scope
        at = Location(file, statement, leaf.span)
        owners = tuple(self.facts.program.values.types(leaf.base, file, scope))
        for owner in owners[:1]:
            holders = self.facts.program.classes.owners(owner, leaf.attr)
            yield Origin(Root("field", f"{(holders or (owner,))[-1].qualified}.{leaf.attr}", at), same)
        if not owners and dotted(leaf) is not None:
            yield Origin(Root("field", f"*.{leaf.attr}", at), same)


def _header(function: Function) -> Location:
    statement = function.scope.statement
    return Location(function.file, statement, function.file.outline.statements[statement].span)
