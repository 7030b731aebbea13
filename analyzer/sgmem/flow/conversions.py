"""Arithmetic that leaves a value what it was: a change of unit, a rounding to whole pages."""

from __future__ import annotations

from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_CONVERSIONS = frozenset({*(2**n for n in (3, 10, 20, 30, 40)), *(10**n for n in (3, 6, 9, 12))})

_ROUNDINGS = frozenset({"int", "float", "round", "math.ceil", "math.floor"})


def unconverted(expr: ir.Binary) -> Expr | None:
    """The amount that an expression only converts to another unit (`x * (1 << 30)`, `x / 1024`); None for other arithmetic."""
    if expr.operator in ("*", "/", "//"):
        if literal(expr.right) in _CONVERSIONS:
            return expr.left
        if expr.operator == "*" and literal(expr.left) in _CONVERSIONS:
            return expr.right
    return None


def is_same_amount(expr: Expr) -> bool:
    """Whether arithmetic gives back the amount it takes: in another unit, as a whole number, rounded to whole pages."""
    while isinstance(expr, ir.Call) and dotted(expr.func) in _ROUNDINGS and expr.args:
        expr = expr.args[0].value
    return isinstance(expr, ir.Binary) and (unconverted(expr) is not None or aligned(expr) is not None)


def literal(expr: Expr) -> int | float | None:
    """The value of a number written as a literal or as a power or product of literals."""
    if isinstance(expr, ir.Const):
        return expr.value if isinstance(expr.value, int | float) else None
    if not isinstance(expr, ir.Binary):
        return None
    left, right = literal(expr.left), literal(expr.right)
    if left is None or right is None:
        return None
    if expr.operator == "*":
        return left * right
    if expr.operator == "<<" and isinstance(left, int) and isinstance(right, int) and 0 <= right <= 64:
        return left << right
    if expr.operator == "**" and abs(left) <= 1024 and 0 <= right <= 12:
        return left**right
    return None


def aligned(expr: ir.Binary) -> Expr | None:
    """The count that an expression only rounds to a multiple of another value: `x // p * p`, `(x + p - 1) // p * p`, `x - x % p`;
    None for other arithmetic."""
    if expr.operator == "*":
        for whole, factor in ((expr.left, expr.right), (expr.right, expr.left)):
            if isinstance(whole, ir.Binary) and whole.operator == "//" and _same(whole.right, factor):
                return _unpadded(whole.left, factor)
    if expr.operator == "-" and isinstance(expr.right, ir.Binary) and expr.right.operator == "%" and _same(expr.left, expr.right.left):
        return expr.left
    return None


def _unpadded(expr: Expr, step: Expr) -> Expr:
    """`x` of `x + p - 1`, the usual way to round up; other expressions as they are."""
    if isinstance(expr, ir.Binary) and expr.operator == "-" and literal(expr.right) == 1:
        inner = expr.left
        if isinstance(inner, ir.Binary) and inner.operator == "+" and _same(inner.right, step):
            return inner.left
    return expr


def _same(one: Expr, other: Expr) -> bool:
    """Whether two expressions are spelled alike, as names or as numbers."""
    name, number = dotted(one), literal(one)
    return (name is not None and name == dotted(other)) or (number is not None and number == literal(other))
