"""Amounts that are added, subtracted or compared although their units disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.units import Units
    from sgmem.domains.units.evidence import Evidence, Mismatch
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_COMPARES = frozenset({"==", "!=", "<", "<=", ">", ">="})


class Side(msgspec.Struct, frozen=True):
    """One side of a mismatch: its expression, what is claimed of its unit, and where the claim comes from."""

    text: str
    evidence: Evidence
    at: Location
    origin: Location


class UnitMismatch(msgspec.Struct, frozen=True):
    """`left` and `right` meet in `operation` and disagree; `details` says in what."""

    operation: Location
    left: Side
    right: Side
    details: Mismatch


def mismatches(units: Units, file: File, statement: int) -> Iterator[UnitMismatch]:
    """The mismatches in one statement, each operation once."""
    lowered = file.statement(statement)
    added = [
        ir.Binary(lowered.span, binding.operator, binding.target, binding.value)
        for binding in lowered.bindings
        if binding.how == "augment" and binding.operator in ("+", "-") and binding.value is not None
    ]
    for root in (*lowered.expressions(), *added):
        for node, ancestors in ir.paths(root):
            for left, right in _pairs(node):
                found = _disagree(units, node, left, right, ancestors, file, statement)
                if found is not None:
                    yield found
                    break


def _pairs(node: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The pairs of values that an operation requires to be in one unit."""
    match node:
        case ir.Binary(operator="+" | "-", left=left, right=right):
            yield left, right
        case ir.Compare(operators=operators, operands=operands):
            for operator, left, right in zip(operators, operands, operands[1:], strict=False):
                if operator in _COMPARES:
                    yield left, right
        case ir.Call() if arithmetic.function_name(node) in ("min", "max", "sum"):
            parts = arithmetic.operands(node) or ()
            yield from ((parts[0], part) for part in parts[1:])


def _disagree(
    units: Units, node: Expr, left: Expr, right: Expr, ancestors: tuple[Expr, ...], file: File, statement: int
) -> UnitMismatch | None:
    if not _both_strong(units, left, right, file, statement):
        return None
    checked = next((one for one in units.check(node, file, statement, deep=True) if one.operation is node), None)
    if checked is None or _harmless(checked.mismatch, node, left, right, ancestors, file):
        return None
    details = checked.mismatch
    return UnitMismatch(
        Location(file, statement, node.span),
        side_of(units, left, details.left, file, statement),
        side_of(units, right, details.right, file, statement),
        details,
    )


def _both_strong(units: Units, left: Expr, right: Expr, file: File, statement: int) -> bool:
    """Whether both sides have strong evidence. The far look, which is dear, is taken where the near one shows an amount on one side."""
    found = [units.infer(side, file, statement) for side in (left, right)]
    near = [_strong(evidence) for evidence in found]
    if all(near):
        return True
    if not any(near):
        amount = any(evidence is not None and evidence.unit.memory_per for evidence in found)
        return amount and all(_strong(units.infer(side, file, statement, deep=True)) for side in (left, right))
    other = right if near[0] else left
    return not isinstance(other, ir.Const) and _strong(units.infer(other, file, statement, deep=True))


def _strong(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.scaled


def _harmless(wrong: Mismatch, node: Expr, left: Expr, right: Expr, ancestors: tuple[Expr, ...], file: File) -> bool:
    """What looks wrong and is not: elements of byte tensors, and rounding up before a division."""
    dimensions = {dict(side.unit.powers).get("elements", 0) for side in (wrong.left, wrong.right)}
    if wrong.kind == "dimension" and dimensions == {0, 1} and _counts_bytes(wrong):
        return True  # a buffer of bytes has as many elements as bytes
    return isinstance(node, ir.Binary) and node.operator == "+" and _rounds_up(left, right, ancestors, file)


def _counts_bytes(wrong: Mismatch) -> bool:
    return any(side.unit.is_amount and side.unit.scale == 1 for side in (wrong.left, wrong.right))


def _rounds_up(left: Expr, right: Expr, ancestors: tuple[Expr, ...], file: File) -> bool:
    """`(x + step - 1) // step`, in either order of the summands."""
    steps = {_text(left, file), _text(right, file)}
    return any(
        isinstance(above, ir.Binary) and above.operator in ("//", "/") and _text(above.right, file) in steps for above in ancestors[-2:]
    )


def _text(expr: Expr, file: File) -> str:
    return "".join(file.source.slice(expr.span).split())


def side_of(units: Units, side: Expr, evidence: Evidence, file: File, statement: int) -> Side:
    origin = Location(file, statement, side.span)
    for leaf in ir.walk(side):
        known = units.known(leaf, file, statement, deep=True) if isinstance(leaf, _LEAVES) else None
        if known is not None and known.evidence.strong:
            origin = known.at
            break
    here = Location(file, statement, side.span)
    return Side(here.code, evidence, here, origin)


_LEAVES = ir.Name | ir.Attribute | ir.Call | ir.Subscript
