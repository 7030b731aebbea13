"""How a test usually comes out when nothing is known of its inputs: options are off, special cases do not apply, gauges answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Collection

    from sgmem.syntax.ir import Expr


def presumption(test: Expr, readings: Collection[str] = ()) -> bool | None:
    """The usual outcome: an unknown flag is off, an unknown object is None, an unknown text is not the one asked for; one of the
    `readings`, what a gauge said, is something.

    None where numbers would decide.
    """
    match test:
        case ir.Const():
            return bool(test.value)
        case ir.Unary(operator="not", operand=operand):
            inner = presumption(operand, readings)
            return None if inner is None else not inner
        case ir.Boolean(operator=operator, values=values):
            outcomes = [presumption(value, readings) for value in values]
            stops = operator == "or"
            return stops if stops in outcomes else None if None in outcomes else not stops
        case ir.Compare(operators=(operator,), operands=(left, right)):
            found = _compared(operator, left, right)
            return not found if found is not None and asks_for_none(test, readings) else found
        case ir.Compare() | ir.Binary():
            return None
        case ir.Name(id=name) if name in readings:
            return True
        case ir.Name(id=name):
            return name.rpartition(".")[2] == "is_none"
    return False


def asks_for_none(test: Expr, readings: Collection[str]) -> bool:
    """Whether a comparison asks whether a reading is None."""
    if not isinstance(test, ir.Compare) or not any(_is_none(side) for side in test.operands):
        return False
    return any(isinstance(side, ir.Name) and side.id in readings for side in test.operands)


def _compared(operator: str, left: Expr, right: Expr) -> bool | None:
    none = any(_is_none(side) for side in (left, right))
    if operator in ("is", "=="):
        return none
    if operator in ("is not", "!="):
        return not none
    if operator in ("in", "not in"):
        return operator == "not in"
    return None


def _is_none(side: Expr) -> bool:
    """None itself, or a member of that name."""
    if isinstance(side, ir.Const):
        return side.value is None
    return isinstance(side, ir.Name) and side.id.rpartition(".")[2] == "NONE"
