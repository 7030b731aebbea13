"""Evaluates an expression on numbers, exactly, as Python would: floors, rounding, conditionals, min and max included.

The judge of every witness: whatever the algebra concluded, a value is shown only if this says so.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.forms import Unsupported
from sgmem.syntax import ir

LeafValue = Callable[[ir.Expr], "Fraction | None"]
"""The number that a leaf stands for, or None."""

_ORDER: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def value_of(expr: ir.Expr, leaf: LeafValue, depth: int = 0) -> Fraction:
    """The number. Raises Unsupported for what is not arithmetic, has no number, or would fail (division by zero)."""
    if depth > arithmetic.MAX_DEPTH:
        raise Unsupported("nested too deep")

    def inner(node: ir.Expr) -> Fraction:
        return value_of(node, leaf, depth + 1)

    match expr:
        case ir.Const():
            known = arithmetic.constant(expr)
            if known is not None:
                return known
        case ir.Binary(operator=operator, left=left, right=right):
            return arithmetic.binary(operator, inner(left), inner(right))
        case ir.Unary(operator="-" | "+" as operator, operand=operand):
            return -inner(operand) if operator == "-" else inner(operand)
        case ir.Conditional(test=test, body=body, orelse=orelse):
            return inner(body) if truth_of(test, leaf, depth + 1) else inner(orelse)
        case ir.Boolean(operator=operator, values=values):
            for value in values[:-1]:
                number = inner(value)
                if bool(number) == (operator == "or"):
                    return number
            return inner(values[-1])
        case ir.Walrus(value=value):
            return inner(value)
        case ir.Call():
            name, parts = arithmetic.function_name(expr), arithmetic.operands(expr)
            if name is not None and parts is not None:
                return _apply(name, [inner(part) for part in parts])
    known = leaf(expr)
    if known is None:
        raise Unsupported("a value that is not known")
    return known


def truth_of(test: ir.Expr, leaf: LeafValue, depth: int = 0) -> bool:
    """Whether a condition on numbers holds. Raises Unsupported when that cannot be told."""
    if depth > arithmetic.MAX_DEPTH:
        raise Unsupported("nested too deep")
    match test:
        case ir.Compare(operators=operators, operands=operands):
            if any(operator not in _ORDER for operator in operators):
                raise Unsupported("a comparison of other things than numbers")
            numbers = [value_of(operand, leaf, depth + 1) for operand in operands]
            return all(_ORDER[operator](a, b) for operator, a, b in zip(operators, numbers, numbers[1:], strict=False))
        case ir.Unary(operator="not", operand=operand):
            return not truth_of(operand, leaf, depth + 1)
        case ir.Boolean(operator="and", values=values):
            return all(truth_of(value, leaf, depth + 1) for value in values)
        case ir.Boolean(values=values):
            return any(truth_of(value, leaf, depth + 1) for value in values)
        case ir.Const(value=bool() as value):
            return value
    return bool(value_of(test, leaf, depth + 1))


def _apply(name: str, numbers: list[Fraction]) -> Fraction:
    match name:
        case "float":
            return numbers[0]
        case "int":
            return Fraction(arithmetic.ROUNDING["truncate"](numbers[0]))
        case "floor" | "ceil":
            return Fraction(arithmetic.ROUNDING[name](numbers[0]))
        case "round":
            digits = numbers[1] if len(numbers) == 2 else Fraction(0)
            if digits.denominator != 1:
                raise Unsupported("round() to a fractional number of digits")
            return arithmetic.round_to(numbers[0], int(digits))
        case "abs":
            return abs(numbers[0])
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
    return sum(numbers, Fraction(0))
