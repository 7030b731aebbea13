"""From an expression to its exact ratio, through names that the caller gives to the leaves.

`int(rest * (1 << 30)) // cell` is not a ratio, but it differs from one by a bounded amount: each rounding step becomes
a name of its own with known bounds, so that a proof stays sound, while thresholds and inverses read the ratio with
those names at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.forms import Ratio, Unsupported, name, number
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

SymbolOf = Callable[[ir.Expr], "str | int | Fraction | Ratio | None"]
"""Names a leaf expression: its symbol, its known value, its known form, or None when it has none of them.

Asked for every expression that is not arithmetic by itself, so a whole call, attribute or conditional may be one
symbol.
"""

RoundingKind = Literal["floor", "ceil", "truncate", "round"]

_ERROR: dict[RoundingKind, tuple[Fraction, Fraction]] = {
    "floor": (Fraction(-1), Fraction(0)),
    "ceil": (Fraction(0), Fraction(1)),
    "truncate": (Fraction(-1), Fraction(1)),
    "round": (Fraction(-1, 2), Fraction(1, 2)),
}
"""How far each step moves a value, at most, in units of its last digit."""


class Rounding(msgspec.Struct, frozen=True):
    """result = exact value + `name`, where low <= `name` <= high."""

    name: str
    kind: RoundingKind
    low: Fraction
    high: Fraction
    expr: ir.Expr

    @property
    def direction(self) -> Literal["down", "up", "either"]:
        return "down" if self.high == 0 else "up" if self.low == 0 else "either"


class Lifted(msgspec.Struct, frozen=True):
    """The ratio of an expression. `exact` holds a name for each rounding step; `value` leaves them out."""

    exact: Ratio
    roundings: tuple[Rounding, ...] = ()

    @property
    def value(self) -> Ratio:
        return self.exact.substituted({step.name: 0 for step in self.roundings}) if self.roundings else self.exact

    @property
    def approximate(self) -> bool:
        return bool(self.roundings)


def lift(expr: ir.Expr, symbol: SymbolOf) -> Lifted:
    """The exact ratio of `expr`. Raises Unsupported, with the reason, for what is not arithmetic and has no symbol.

    Conditionals, min and max have no ratio: split them with `branches` first, or give them a symbol.
    """
    lifter = _Lifter(symbol)
    exact = lifter.lift(expr, 0)
    used = frozenset(exact.symbols)
    return Lifted(exact, tuple(step for step in lifter.roundings if step.name in used))


class _Lifter:
    def __init__(self, symbol: SymbolOf) -> None:
        self.symbol = symbol
        self.roundings: list[Rounding] = []

    def lift(self, expr: ir.Expr, depth: int) -> Ratio:
        if depth > arithmetic.MAX_DEPTH:
            raise Unsupported("nested too deep")
        match expr:
            case ir.Const():
                known = arithmetic.constant(expr)
                if known is not None:
                    return number(known)
            case ir.Binary(operator="+" | "-" | "*" | "/" | "//" | "**" | "<<" | ">>"):
                return self.binary(expr, depth + 1)
            case ir.Binary(operator=operator, left=ir.Const() as left, right=ir.Const() as right):
                a, b = arithmetic.constant(left), arithmetic.constant(right)
                if a is not None and b is not None:
                    return number(arithmetic.binary(operator, a, b))
            case ir.Unary(operator="-", operand=operand):
                return -self.lift(operand, depth + 1)
            case ir.Unary(operator="+", operand=operand):
                return self.lift(operand, depth + 1)
            case ir.Walrus(value=value):
                return self.lift(value, depth + 1)
            case ir.Call():
                called = self.call(expr, depth + 1)
                if called is not None:
                    return called
        return self.leaf(expr, depth)

    def binary(self, expr: ir.Binary, depth: int) -> Ratio:
        left, right = self.lift(expr.left, depth), self.lift(expr.right, depth)
        a, b = left.constant, right.constant
        if a is not None and b is not None:
            return number(arithmetic.binary(expr.operator, a, b))
        match expr.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                return left / right
            case "//":
                return self.rounded(left / right, "floor", expr)
        if b is None:
            raise Unsupported(f"{expr.operator} by a value that is not a constant")
        factor = arithmetic.binary("<<", Fraction(1), b) if expr.operator in ("<<", ">>") else Fraction(0)
        match expr.operator:
            case "<<":
                return left * number(factor)
            case ">>":
                return self.rounded(left / number(factor), "floor", expr)
        return _power(left, b)

    def call(self, expr: ir.Call, depth: int) -> Ratio | None:
        """The arithmetic of a known function; None for a call that is none, or that needs `branches` first."""
        called, parts = arithmetic.function_name(expr), arithmetic.operands(expr)
        if called is None or parts is None or called in ("min", "max", "abs"):
            return None
        if called == "sum":
            total = number(0)
            for part in parts:
                total = total + self.lift(part, depth)
            return total
        inner = self.lift(parts[0], depth)
        match called:
            case "float":
                return inner
            case "int":
                return self.rounded(inner, "truncate", expr)
            case "floor" | "ceil":
                return self.rounded(inner, "floor" if called == "floor" else "ceil", expr)
        digits = self.lift(parts[1], depth).constant if len(parts) == 2 else Fraction(0)
        if digits is None or digits.denominator != 1:
            raise Unsupported("round() to a number of digits that is not a constant")
        return self.rounded(inner, "round", expr, int(digits))

    def rounded(self, exact: Ratio, kind: RoundingKind, expr: ir.Expr, digits: int = 0) -> Ratio:
        known = exact.constant
        if known is not None:
            return number(arithmetic.round_to(known, digits) if kind == "round" else arithmetic.ROUNDING[kind](known))
        arithmetic.round_to(Fraction(0), digits)  # refuses an absurd number of digits
        down, up = _ERROR[kind]
        unit = arithmetic.power(Fraction(10), Fraction(-digits))
        step = Rounding(f"rounding#{len(self.roundings) + 1}", kind, down * unit, up * unit, expr)
        self.roundings.append(step)
        return exact + name(step.name)

    def leaf(self, expr: ir.Expr, depth: int) -> Ratio:
        named = self.symbol(expr)
        if isinstance(named, str):
            return name(named)
        if isinstance(named, Ratio):
            return named
        if named is not None:
            return number(named)
        raise Unsupported(f"{_kind(expr)}: {text_of(expr)[:60]}")


def _power(base: Ratio, exponent: Fraction) -> Ratio:
    if exponent.denominator != 1 or not 0 <= exponent <= 8:
        raise Unsupported("a power other than a small integer")
    result = number(1)
    for _ in range(int(exponent)):
        result = result * base
    return result


def _kind(expr: ir.Expr) -> str:
    match expr:
        case ir.Conditional():
            return "a conditional expression"
        case ir.Boolean():
            return f"an {expr.operator!r} expression"
        case ir.Call() if arithmetic.function_name(expr) is not None:
            return f"a call of {arithmetic.function_name(expr)}"
        case ir.Binary():
            return f"operator {expr.operator}"
    return "a value without a name"
