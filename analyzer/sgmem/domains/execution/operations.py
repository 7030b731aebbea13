"""Operators, comparisons and builtin functions on values of a symbolic execution."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.execution.values import UNKNOWN, Known, Unknown, Value, constant, same
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.syntax.ir import Span

MAX_ITEMS = 20_000
_ORDER: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def binary(span: Span, operator: str, left: Value, right: Value) -> Value:
    """`left operator right`; a sum of lists is a list, an operation on what is not known is not known."""
    if operator == "+" and left.items is not None and right.items is not None:
        return Value(ir.Opaque(span, "..."), left.items + right.items).after(left, right)
    if operator in ("+", "-") and _is_nothing(right.expr) and not isinstance(left.expr, ir.Const):
        return Value(left.expr, left.known).after(left, right)  # what is not charged here is not shown
    known: Known = UNKNOWN
    a, b = _numeric(left.known), _numeric(right.known)
    if a is not None and b is not None:
        try:
            known = arithmetic.binary(operator, a, b)
        except Unsupported:
            known = UNKNOWN
    return Value(ir.Binary(span, operator, left.expr, right.expr), known).after(left, right)


def _is_nothing(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and isinstance(expr.value, int | float) and not isinstance(expr.value, bool) and expr.value == 0


def negative(span: Span, operator: str, operand: Value) -> Value:
    number = _numeric(operand.known)
    known: Known = UNKNOWN if number is None or operator == "~" else -number if operator == "-" else number
    return Value(ir.Unary(span, operator, operand.expr), known).after(operand)


def inverted(span: Span, operand: Value) -> Value:
    truth = operand.truth
    return Value(ir.Unary(span, "not", operand.expr), UNKNOWN if truth is None else not truth).after(operand)


def comparison(span: Span, operators: Sequence[str], operands: Sequence[Value]) -> Value:
    """A chain of comparisons: known when one link fails, or all are known to hold."""
    results = [compared(operator, a, b) for operator, a, b in zip(operators, operands, operands[1:], strict=False)]
    known: Known = False if False in results else UNKNOWN if None in results else True
    expr = ir.Compare(span, tuple(operators), tuple(operand.expr for operand in operands))
    return Value(expr, known).after(*operands)


def compared(operator: str, left: Value, right: Value) -> bool | None:
    """One comparison; None where it cannot be told. The result of arithmetic is never None."""
    a, b = left.known, right.known
    if operator in ("is", "is not", "==", "!="):
        equal = _equal(left, right)
        return None if equal is None else equal == (operator in ("is", "=="))
    if operator in ("in", "not in"):
        if right.items is None or isinstance(a, Unknown) or any(isinstance(item.known, Unknown) for item in right.items):
            return None
        return any(same(a, item.known) for item in right.items) == (operator == "in")
    first, second = _numeric(a), _numeric(b)
    if first is None or second is None or operator not in _ORDER:
        return None
    return _ORDER[operator](first, second)


def _equal(left: Value, right: Value) -> bool | None:
    a, b = left.known, right.known
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        other = left if isinstance(a, Unknown) else right
        constant_side = b if isinstance(a, Unknown) else a
        return False if constant_side is None and isinstance(other.expr, ir.Binary) else None
    first, second = _numeric(a), _numeric(b)
    if first is not None and second is not None:
        return first == second
    return same(a, b)


def builtin(call: ir.Call, name: str, arguments: Sequence[Value]) -> Value | None:
    """An arithmetic function or one that makes or measures a list; None for any other call."""
    if name in ("min", "max", "sum") and len(arguments) == 1 and arguments[0].items is not None:
        arguments = arguments[0].items
        if not arguments and name != "sum":
            return None
    if name == "len" and len(arguments) == 1:
        items = arguments[0].items
        return constant(call.span, Fraction(len(items))).after(arguments[0]) if items is not None else None
    if name in ("list", "tuple", "sorted", "reversed", "set") and len(arguments) == 1:
        return arguments[0] if arguments[0].items is not None else None
    if name == "range":
        return _range(call.span, arguments)
    if name == "bool" and len(arguments) == 1:
        truth = arguments[0].truth
        return None if truth is None else constant(call.span, truth).after(arguments[0])
    if arithmetic.function_name(call) is None:
        return None
    return _arithmetic(call, arguments)


def _arithmetic(call: ir.Call, arguments: Sequence[Value]) -> Value:
    parts = tuple(ir.Argument(argument.expr.span, argument.expr) for argument in arguments)
    if arithmetic.function_name(call) == "sum":
        parts = (ir.Argument(call.span, ir.Collection(call.span, "tuple", tuple(part.value for part in parts))),)
    whole = ir.Call(call.span, call.func, parts)
    numbers = [_numeric(argument.known) for argument in arguments]
    known = _on_numbers(call, [number for number in numbers if number is not None]) if None not in numbers else UNKNOWN
    return Value(whole, known).after(*arguments)


def _on_numbers(call: ir.Call, numbers: Sequence[Fraction]) -> Known:
    """What the function gives for plain numbers."""
    plain = tuple(ir.Argument(call.span, constant(call.span, number).expr) for number in numbers)
    try:
        return value_of(ir.Call(call.span, call.func, plain), lambda _: None)
    except Unsupported:
        return UNKNOWN


def _range(span: Span, arguments: Sequence[Value]) -> Value | None:
    numbers = [argument.number for argument in arguments]
    if not 1 <= len(numbers) <= 3 or any(number is None or number.denominator != 1 for number in numbers):
        return None
    whole = [int(number) for number in numbers if number is not None]
    if len(whole) == 3 and whole[2] == 0:
        return None
    members = range(*whole)
    if len(members) > MAX_ITEMS:
        return None
    return Value(ir.Opaque(span, "..."), tuple(constant(span, Fraction(member)) for member in members)).after(*arguments)


def _numeric(known: Known) -> Fraction | None:
    if isinstance(known, bool):
        return Fraction(known)
    return known if isinstance(known, Fraction) else None
