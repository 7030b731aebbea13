"""What the functions and operators that occur in memory formulas do to numbers, in one place for all domains.

Functions are recognised by name: the builtins, and `ceil`, `floor` of `math`, `numpy` or `torch`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.algebra.forms import MAX_BITS, Unsupported
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 100
"""Levels of nesting that the recursive functions of this package follow; some take four frames for one."""

_BUILTINS = frozenset({"int", "float", "round", "abs", "min", "max", "sum"})
_MODULES = frozenset({"math", "np", "numpy", "torch"})


def function_name(call: ir.Call) -> str | None:
    """The arithmetic function that a call names: int, float, round, abs, min, max, sum, floor or ceil; else None."""
    match call.func:
        case ir.Name(id=name) if name in _BUILTINS or name in ("floor", "ceil"):
            return name
        case ir.Attribute(base=ir.Name(id=module), attr=attr) if module in _MODULES and attr in ("floor", "ceil"):
            return attr
    return None


def operands(call: ir.Call) -> tuple[ir.Expr, ...] | None:
    """The numbers that an arithmetic call combines; None when they cannot be told (stars, keywords, an iterable).

    `min((a, b))` and `sum([a, b])` combine the members of the display.
    """
    values = tuple(argument.value for argument in call.args)
    if any(argument.star or argument.keyword for argument in call.args):
        return None
    name = function_name(call)
    if name in ("min", "max", "sum") and len(values) == 1:
        display = values[0]
        if not isinstance(display, ir.Collection) or any(isinstance(item, ir.Starred) for item in display.items):
            return None
        return display.items or None
    if name == "sum":
        return None
    if name in ("min", "max"):
        return None if any(isinstance(value, ir.Starred) for value in values) else values
    wanted = (1, 2) if name == "round" else (1,)
    return values if len(values) in wanted else None


def constant(node: ir.Const) -> Fraction | None:
    """The exact number that a literal spells (0.55 is 55/100, not the nearest double); None for anything else."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return Fraction(value) if value.bit_length() <= MAX_BITS else None
    if not math.isfinite(value):
        return None
    if value == 0 or len(node.text) > 40:
        return Fraction(value)
    try:
        exact = Fraction(node.text)
    except ValueError:
        return Fraction(value)
    # A text that does not spell this value (a literal rewritten on the way) is no evidence.
    return exact if abs(exact - Fraction(value)) * 10**12 <= abs(exact) else Fraction(value)


def round_to(value: Fraction, digits: int) -> Fraction:
    """Python's round: to the nearest, ties to even."""
    if abs(digits) > 30:
        raise Unsupported("round() to that many digits")
    return Fraction(round(value, digits))


ROUNDING: dict[str, Callable[[Fraction], int]] = {"floor": math.floor, "ceil": math.ceil, "truncate": math.trunc}


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """base ** exponent for an integer exponent of sensible size. Raises Unsupported."""
    if exponent.denominator != 1:
        raise Unsupported("a power with a fractional exponent")
    count = int(exponent)
    size = max(base.numerator.bit_length(), base.denominator.bit_length(), 1)
    if abs(count) * size > MAX_BITS:
        raise Unsupported("a power that is too large")
    if count < 0 and not base:
        raise Unsupported("division by zero")
    return base**count


def binary(operator: str, left: Fraction, right: Fraction) -> Fraction:
    """`left operator right` on numbers, exact. Raises Unsupported where Python would fail, or for a bit operator on
    fractions.
    """
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "**":
            return power(left, right)
        case "/" | "//" | "%":
            if not right:
                raise Unsupported("division by zero")
            if operator == "/":
                return left / right
            return Fraction(left // right) if operator == "//" else left % right
    if left.denominator != 1 or right.denominator != 1:
        raise Unsupported(f"{operator} on a fraction")
    return Fraction(_bits(operator, int(left), int(right)))


def _bits(operator: str, left: int, right: int) -> int:
    match operator:
        case "<<" | ">>":
            if right < 0 or right > MAX_BITS or (operator == "<<" and left.bit_length() + right > MAX_BITS):
                raise Unsupported("a shift that is too large")
            return left << right if operator == "<<" else left >> right
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
    raise Unsupported(f"operator {operator}")
