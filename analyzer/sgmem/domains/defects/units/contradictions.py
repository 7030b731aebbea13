"""Values that are not in the unit that the program says they are in, and conversions that lead to no unit at all."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.claims import Claim
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.units.mismatches import Side, side_of
from sgmem.domains.units.evidence import Evidence, Mismatch, Strength, disagreement
from sgmem.domains.units.infer import infer
from sgmem.domains.units.unit import BYTES
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.claims import Claims
    from sgmem.domains.accounting.units import Units
    from sgmem.domains.units.unit import Unit
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_CONVERTS = re.compile(r"1024|<< *[23]0")
_THOUSANDS = Fraction(1024, 1000)
_FACTORS = frozenset({"*", "/", "//", "<<", ">>"})
_KEEPS = frozenset({"int", "float", "round", "floor", "ceil", "abs"})


class Contradiction(msgspec.Struct, frozen=True):
    """`value` is in one unit and `claim` says another; `details` says in what they differ, the value's side first. `elsewhere`: the
    argument of another call that the claim rests on.
    """

    claim: Claim
    value: Side
    details: Mismatch
    elsewhere: Location | None = None


class LostConversion(msgspec.Struct, frozen=True):
    """Products, quotients and conversions whose result is in no unit: GiB divided by bytes per token, bytes by 2**60."""

    location: Location
    evidence: Evidence
    parts: tuple[Side, ...]


def is_share(found: Contradiction) -> bool:
    """Whether one side is a share and the other an amount."""
    units = (found.claim.evidence.unit, found.value.evidence.unit)
    return any(unit.fraction for unit in units) and any(unit.memory_per for unit in units)


def is_mixed_thousands(unit: Unit) -> bool:
    """Whether a scale without a name comes from mixing 1000 and 1024: a power of 1.024 is left of it."""
    scale = max(unit.scale, 1 / unit.scale)
    return any(scale == _THOUSANDS**power for power in (1, 2, 3, 4))


def contradictions(units: Units, claims: Claims, file: File, statement: int) -> Iterator[Contradiction]:
    """The claims of one statement that what is known of the value disproves."""
    for claim in claims.of(file, statement):
        if isinstance(claim.value, ir.Const):
            continue
        value = units.infer(claim.value, file, statement)
        if value is None or not value.strong:
            deep = claim.kind in ("size", "result", "parameter")
            value = units.infer(claim.value, file, statement, deep=True) if deep else None
        if (value is None or value.weak) and claim.kind in ("label", "name"):
            value = _by_use(units, claim.value, file, statement) or value
        if value is None or not value.scaled or (not value.strong and claim.kind == "size"):
            continue
        details = _contradicts(claim, value)
        if details is not None:
            yield Contradiction(claim, side_of(units, claim.value, value, file, statement), details)


def _by_use(units: Units, value: Expr, file: File, statement: int) -> Evidence | None:
    """The unit of a value, or of one that is divided by constants, by what its function does with it elsewhere."""
    base = _divided(value) if isinstance(value, ir.Binary) else value
    held = converted_elsewhere(units, base, file, statement)
    if held is None:
        return None
    return infer(value, lambda leaf: held if leaf is base else None, lambda leaf: units.constant(leaf, file, statement))


def converted_elsewhere(units: Units, value: Expr, file: File, statement: int) -> Evidence | None:
    """That a variable or field holds bytes, where its function divides it by 2**20 or 2**30 elsewhere and sets it once."""
    text, scope = dotted(value), file.outline.statements[statement].scope
    if text is None or file.scope(scope).kind != "function":
        return None
    name = text.rpartition(".")[2]
    set_at = units.order.definitions(file, scope, text) if name == text else units.order.assignments(file, scope, text)
    if len(set_at) > 1 or statement in set_at:
        return None
    for index in file.mentions_in(scope, name):
        if index not in set_at and _CONVERTS.search(file.own_text(index)):
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if node is not value and dotted(_divided(node)) == text and _is_binary(units.infer(node, file, index)):
                        return Evidence(BYTES, Strength.CONVERSION, "converted elsewhere in the function", node.span)
    return None


def _divided(node: Expr) -> Expr:
    """What is divided by constants."""
    inner = node
    while isinstance(inner, ir.Binary) and inner.operator in ("/", "//") and _is_number(inner.right):
        inner = inner.left
    return inner if inner is not node else ir.Opaque(node.span, "no division")


def _is_number(node: Expr) -> bool:
    return not any(isinstance(one, ir.Name | ir.Attribute | ir.Call) for one in ir.walk(node))


def _is_binary(found: Evidence | None) -> bool:
    return found is not None and found.strong and found.unit.is_amount and found.unit.scale in (2**20, 2**30)


def _contradicts(claim: Claim, value: Evidence) -> Mismatch | None:
    unit = value.unit
    if claim.kind == "size":
        return None if not unit.is_amount or unit.scale == 1 else Mismatch("scale", value, claim.evidence, "a shape counts elements")
    if unit.dimensionless and not unit.fraction:
        return None  # a plain number may count anything
    if claim.kind == "label" and not unit.memory_per:
        return None
    details = disagreement(value, claim.evidence)
    if details is None or details.kind == "scope":
        return None
    if details.kind == "dimension" and "elements" in dict(unit.powers):
        return None  # elements of a byte tensor are bytes
    return details


def lost_conversions(units: Units, file: File, statement: int) -> Iterator[LostConversion]:
    """The outermost products and quotients of a statement whose unit is sure and has no name."""
    for root in file.statement(statement).expressions():
        for node, ancestors in ir.paths(root):
            if not _is_product(node) or _goes_on(ancestors):
                continue
            evidence = units.infer(node, file, statement)
            if evidence is None or not evidence.strong:
                evidence = _looked_further(units, node, evidence, file, statement)
            if evidence is not None and evidence.scaled and not _has_name(evidence):
                yield LostConversion(Location(file, statement, node.span), evidence, tuple(_parts(units, node, file, statement)))


def _has_name(evidence: Evidence) -> bool:
    """Whether a result is in some unit; where only the scale is sure, only amounts are judged."""
    return evidence.unit.recognised or (not evidence.strong and evidence.unit.memory_per != 1)


def _looked_further(units: Units, node: Expr, near: Evidence | None, file: File, statement: int) -> Evidence | None:
    """What is known a little is worth a far look, and a quotient of two amounts of which one is known nearby."""
    if near is not None and near.unit.memory_per:
        return units.infer(node, file, statement, deep=True)
    known = [units.infer(leaf, file, statement) for leaf in _leaves(node)]
    if len(known) > 1 and any(one is not None and one.strong and one.unit.memory_per for one in known):
        return units.infer(node, file, statement, deep=True)
    return None


def _is_product(node: Expr) -> bool:
    return isinstance(node, ir.Binary) and node.operator in _FACTORS


def _goes_on(ancestors: tuple[Expr, ...]) -> bool:
    """Whether the arithmetic around goes on multiplying and dividing, roundings and signs aside."""
    for above in reversed(ancestors):
        if isinstance(above, ir.Unary) or (isinstance(above, ir.Call) and arithmetic.function_name(above) in _KEEPS):
            continue
        return _is_product(above)
    return False


def _leaves(node: Expr) -> Iterator[Expr]:
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, ir.Call) and arithmetic.function_name(one) is not None:
            pending += [argument.value for argument in reversed(one.args)]
        elif isinstance(one, ir.Binary | ir.Unary):
            pending += reversed(one.children())
        elif not isinstance(one, ir.Const):
            yield one


def _parts(units: Units, node: Expr, file: File, statement: int) -> Iterator[Side]:
    """The factors whose unit is known."""
    for leaf in _leaves(node):
        evidence = units.infer(leaf, file, statement, deep=True)
        if evidence is not None:
            yield side_of(units, leaf, evidence, file, statement)
