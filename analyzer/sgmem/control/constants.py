"""Constant and place operands of a test: `20 * 1024` as a number, `self.server_args.page_size` as a place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.control.predicates import Constant, Scalar

_MAX_BITS = 63
_MAX_DEPTH = 12


def place_of(expr: ir.Expr) -> str | None:
    """The dotted text of a name, an attribute chain or a call without arguments; None for anything else."""
    suffixes: list[str] = []
    while True:
        match expr:
            case ir.Attribute():
                suffixes.append(f".{expr.attr}")
                expr = expr.base
            case ir.Call(args=()):
                suffixes.append("()")
                expr = expr.func
            case ir.Name():
                return expr.id + "".join(reversed(suffixes))
            case ir.Walrus() if not suffixes:
                return expr.target.id  # the name holds the value from here on
            case _:
                return None


def scalar_of(expr: ir.Expr) -> tuple[Scalar, str] | None:
    """The value of a literal or of arithmetic on numbers, with the spelling of a number; None for anything else."""
    if isinstance(expr, ir.Const):
        value = expr.value
        if value is None or isinstance(value, bool):
            return value, ""
        if isinstance(value, str):
            return None if value == expr.text == "..." else (value, "")
    return _number(expr, 0)


def members_of(expr: ir.Expr) -> tuple[Scalar, ...] | None:
    """The constants of a tuple, list or set display, without repetition; None where one is not constant."""
    if not isinstance(expr, ir.Collection):
        return None
    members = [scalar_of(item) for item in expr.items]
    if any(member is None for member in members):
        return None
    return tuple(dict.fromkeys(member[0] for member in members if member is not None))


def is_number(constant: Constant) -> bool:
    """Whether a constant is an int or a float (not a bool)."""
    return isinstance(constant, int | float) and not isinstance(constant, bool)


def _number(expr: ir.Expr, depth: int) -> tuple[int | float, str] | None:
    if depth > _MAX_DEPTH:
        return None
    match expr:
        case ir.Const():
            value = expr.value
            return (value, expr.text) if isinstance(value, int | float) and _representable(value) else None
        case ir.Unary(operator="-"):
            inner = _number(expr.operand, depth + 1)
            strong = isinstance(expr.operand, ir.Const)
            return None if inner is None else (-inner[0], f"-{inner[1]}" if strong else f"-({inner[1]})")
        case ir.Binary():
            left, right = _number(expr.left, depth + 1), _number(expr.right, depth + 1)
            if left is None or right is None:
                return None
            value = _arithmetic(left[0], expr.operator, right[0])
            if value is None:
                return None
            return value, f"{_grouped(expr.left, left[1])} {expr.operator} {_grouped(expr.right, right[1])}"
        case _:
            return None


def _grouped(expr: ir.Expr, spelling: str) -> str:
    return f"({spelling})" if isinstance(expr, ir.Binary) else spelling


def _arithmetic(left: int | float, operator: str, right: int | float) -> int | float | None:
    try:
        match operator, left, right:
            case "+", _, _:
                value = left + right
            case "-", _, _:
                value = left - right
            case "*", _, _:
                value = left * right
            case "/", _, _:
                value = left / right
            case "//", _, _:
                value = left // right
            case "<<", int(), int() if 0 <= right <= _MAX_BITS:
                value = left << right
            case "**", int(), int() if 0 <= right <= _MAX_BITS:
                value = left**right
            case _:
                return None
    except (ArithmeticError, ValueError):
        return None
    return value if _representable(value) else None


def _representable(value: int | float) -> bool:
    """Whether a number survives being stored: machine-sized and finite."""
    return value.bit_length() <= _MAX_BITS if isinstance(value, int) else math.isfinite(value)
