"""Intervals: the values that an expression can take, from proven bounds of its leaves, without any algebra.

Coarser than `proof` (two uses of one name are treated as unrelated), but it goes through everything: min, max, modulo,
floors, conditionals. Bounds are closed and exact; None is unbounded.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.forms import Form, Ratio, Unsupported
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.algebra.lift import SymbolOf
    from sgmem.domains.ranges.facts import Facts


class Interval(msgspec.Struct, frozen=True):
    """low <= value <= high."""

    low: Fraction | None = None
    high: Fraction | None = None

    @property
    def never_negative(self) -> bool:
        return self.low is not None and self.low >= 0

    @property
    def never_positive(self) -> bool:
        return self.high is not None and self.high <= 0

    def __add__(self, other: Interval) -> Interval:
        return Interval(
            None if self.low is None or other.low is None else self.low + other.low,
            None if self.high is None or other.high is None else self.high + other.high,
        )

    def __neg__(self) -> Interval:
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)

    def __sub__(self, other: Interval) -> Interval:
        return self + (-other)

    def __mul__(self, other: Interval) -> Interval:
        if _ZERO in (self, other):
            return _ZERO
        if self.never_positive:
            return -((-self) * other)
        if other.never_positive:
            return -(self * (-other))
        if self.low is None or self.high is None or other.low is None or other.high is None:
            if self.low is None or other.low is None or self.low < 0 or other.low < 0:
                return Interval()
            high = None if self.high is None or other.high is None else self.high * other.high
            return Interval(self.low * other.low, high)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def inverse(self) -> Interval:
        """1 / value, for the values that are not zero."""
        if self.low is not None and self.low >= 0:
            return Interval(1 / self.high if self.high else Fraction(0), 1 / self.low if self.low else None)
        if self.never_positive:
            return -((-self).inverse())
        return Interval()

    def joined(self, other: Interval) -> Interval:
        """The values of either."""
        return Interval(
            None if self.low is None or other.low is None else min(self.low, other.low),
            None if self.high is None or other.high is None else max(self.high, other.high),
        )


_ZERO = Interval(Fraction(0), Fraction(0))


def interval_of(expr: ir.Expr, symbol: SymbolOf, facts: Facts, depth: int = 0) -> Interval:
    """The values that `expr` can take; unbounded where nothing is known."""
    if depth > arithmetic.MAX_DEPTH:
        return Interval()

    def inner(node: ir.Expr) -> Interval:
        return interval_of(node, symbol, facts, depth + 1)

    match expr:
        case ir.Const():
            known = arithmetic.constant(expr)
            return Interval(known, known) if known is not None else Interval()
        case ir.Binary(operator=operator, left=left, right=right):
            return _binary(operator, inner(left), inner(right))
        case ir.Unary(operator="-", operand=operand):
            return -inner(operand)
        case ir.Unary(operator="+", operand=operand) | ir.Walrus(value=operand):
            return inner(operand)
        case ir.Unary() | ir.Compare():
            return Interval(Fraction(0), Fraction(1))
        case ir.Conditional(body=body, orelse=orelse):
            return inner(body).joined(inner(orelse))
        case ir.Boolean(values=values):
            result = inner(values[0])
            for value in values[1:]:
                result = result.joined(inner(value))
            return result
        case ir.Call():
            name, parts = arithmetic.function_name(expr), arithmetic.operands(expr)
            if name is not None and parts is not None:
                return _called(name, [inner(part) for part in parts])
    return _leaf(symbol(expr), facts)


def interval_of_form(form: Form, facts: Facts) -> Interval:
    total = _ZERO
    for monomial, coefficient in form.terms:
        term = Interval(coefficient, coefficient)
        for name in monomial:
            fact = facts.fact(name)
            term = term * Interval(fact.low, fact.high)
        total = total + term
    return total


def _leaf(named: str | int | Fraction | Ratio | None, facts: Facts) -> Interval:
    match named:
        case None:
            return Interval()
        case str():
            return Interval(facts.fact(named).low, facts.fact(named).high)
        case Ratio(numerator=numerator, denominator=denominator):
            return interval_of_form(numerator, facts) * interval_of_form(denominator, facts).inverse()
    return Interval(Fraction(named), Fraction(named))


def _binary(operator: str, left: Interval, right: Interval) -> Interval:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left * right.inverse()
        case "//":
            return _floor(left * right.inverse())
    if left.low is not None and left.low == left.high and right.low is not None and right.low == right.high:
        try:
            value = arithmetic.binary(operator, left.low, right.low)
        except Unsupported:
            return Interval()
        return Interval(value, value)
    if operator == "%" and right.never_negative:
        return Interval(Fraction(0), right.high)
    if operator in ("<<", ">>", "**", "&", "|", "^") and left.never_negative and right.never_negative:
        return Interval(Fraction(0))
    return Interval()


def _called(name: str, parts: list[Interval]) -> Interval:
    first = parts[0]
    match name:
        case "int":
            return _monotone(first, "truncate")
        case "floor" | "ceil":
            return _monotone(first, name)
        case "round":
            # The number of digits is not looked at: only the sign survives rounding to any of them.
            low = Fraction(0) if first.never_negative else None
            return Interval(low, Fraction(0) if first.never_positive else None)
        case "abs":
            if first.never_negative:
                return first
            high = None if first.low is None or first.high is None else max(-first.low, first.high)
            return Interval(Fraction(0), high)
        case "min":
            return -_largest([-part for part in parts])
        case "max":
            return _largest(parts)
        case "sum":
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            return total
    return first


def _largest(parts: list[Interval]) -> Interval:
    lows = [part.low for part in parts if part.low is not None]
    highs = [part.high for part in parts if part.high is not None]
    return Interval(max(lows, default=None), max(highs) if len(highs) == len(parts) else None)


def _floor(value: Interval) -> Interval:
    return _monotone(value, "floor")


def _monotone(value: Interval, rounding: str) -> Interval:
    step = arithmetic.ROUNDING[rounding]
    return Interval(
        None if value.low is None else Fraction(step(value.low)),
        None if value.high is None else Fraction(step(value.high)),
    )
