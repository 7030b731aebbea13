"""Guards that can never fire: a reading of one rank compared with the least reading of all ranks, the wrong way round.

The least of all ranks is never more than the reading of any one. So `mine < k * least` is false for every k up to 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MAX_APART = 12
"""Statements between two readings that still count as one moment."""


class Reading(msgspec.Struct, frozen=True):
    """One side of a comparison: what it is called, and the measurement it was born as."""

    text: str
    gauge: Gauge


class DeadGuard(msgspec.Struct, frozen=True):
    """A test that is the same whatever is measured. `always`: it always holds, as the test of an assert."""

    test: Location
    own: Reading
    least: Reading
    always: bool


def dead_guards(facts: ProgramFacts) -> Iterator[DeadGuard]:
    """Every test of a program that compares a rank's reading with the minimum over ranks and cannot come out otherwise."""
    rows = (row for row in facts.models.measurements.rows if row.reduction is not None)
    words = {pattern.rpartition(":")[2].rpartition(".")[2] for row in rows for pattern in row.names}
    tests: dict[tuple[str, int], tuple[File, int]] = {}
    for word in sorted(word for word in words if word.isidentifier()):
        for file in facts.program.files.focused(word):
            scopes = {file.outline.statements[index].scope for index in file.mentions(word)}
            for scope in scopes:
                for index in file.own_statements(scope):
                    if file.outline.statements[index].kind in ("if", "assert"):
                        tests[(file.path, index)] = (file, index)
    for _, (file, index) in sorted(tests.items(), key=lambda one: one[0]):
        text = file.own_text(index)
        if "<" in text or ">" in text:
            yield from _in_test(facts, file, index)


def _in_test(facts: ProgramFacts, file: File, index: int) -> Iterator[DeadGuard]:
    test = file.test(index)
    for node in ir.walk(test) if test is not None else ():
        if not isinstance(node, ir.Compare) or len(node.operators) != 1 or node.operators[0] not in _NEGATED:
            continue
        left, right = _scaled(node.operands[0]), _scaled(node.operands[1])
        if left is None or right is None:
            continue
        found = _dead(facts, file, index, node, left, right)
        if found is not None:
            yield found


_Scaled = tuple[Fraction, "Expr"]


def _dead(facts: ProgramFacts, file: File, index: int, node: ir.Compare, left: _Scaled, right: _Scaled) -> DeadGuard | None:
    operator = node.operators[0]
    own, least = _reading(facts, left[1], file, index), _reading(facts, right[1], file, index)
    factor = right[0] / left[0]
    if own is None or least is None:
        return None
    if own.gauge.frame.reduction == "min":
        own, least, operator, factor = least, own, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[operator], 1 / factor
    if not _comparable(own, least) or factor > 1:
        return None
    if operator == "<" or (operator == "<=" and factor < 1):
        return DeadGuard(Location(file, index, node.span), own, least, False)
    if operator == ">=":
        return DeadGuard(Location(file, index, node.span), own, least, True)
    return None


def _comparable(own: Reading, least: Reading) -> bool:
    """Whether one is a rank's own reading, the other the least over ranks, of the same quantity at one moment."""
    a, b = own.gauge, least.gauge
    if a.frame.reduction != "none" or b.frame.reduction != "min" or a.frame.quantity != b.frame.quantity:
        return False
    if a.measured.result.unit != b.measured.result.unit or a.frame.scope != b.frame.scope:
        return False
    here, there = a.location, b.location
    return here.file is there.file and abs(here.statement - there.statement) <= MAX_APART


def _reading(facts: ProgramFacts, leaf: Expr, file: File, index: int) -> Reading | None:
    """The measurement that a side is: a call, or a local or field that was set to one in the same function."""
    text = Location(file, index, leaf.span).code
    call, at = leaf, index
    name = dotted(leaf)
    if name is not None:
        scope = file.outline.statements[index].scope
        if isinstance(leaf, ir.Name):
            reaching = facts.order.reaching(file, scope, name, index)
        else:
            reaching = facts.order.reaching_assignments(file, scope, name, index)
        if len(reaching) != 1 or ENTRY in reaching:
            return None
        at = next(iter(reaching))
        found = [b.value for b in file.statement(at).bindings if dotted(b.target) == name and b.how in ("assign", "annotate")]
        if len(found) != 1 or found[0] is None:
            return None
        call = found[0]
    gauge = facts.gauges.of(call, file, at)
    return Reading(text, gauge) if gauge is not None else None


def _scaled(expr: Expr) -> _Scaled | None:
    """`factor * leaf`, for a positive factor."""
    if isinstance(expr, ir.Binary) and expr.operator in ("*", "/"):
        for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
            number = arithmetic.constant(other) if isinstance(other, ir.Const) else None
            if number is not None and number > 0 and not (expr.operator == "/" and side is expr.right):
                inner = _scaled(side)
                factor = number if expr.operator == "*" else 1 / number
                return (inner[0] * factor, inner[1]) if inner is not None else None
        return None
    return (Fraction(1), expr) if isinstance(expr, ir.Name | ir.Attribute | ir.Call) else None
