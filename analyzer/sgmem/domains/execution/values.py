"""Values of a symbolic execution: what is known of them, and how they are made of inputs.

A value has two sides. `expr` is its formula, over names of inputs; `known` is the number, text, flag or list that it is
for the inputs that have one. Numbers are exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import msgspec

from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span


class Unknown:
    """The one value that says: not known."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

Items = tuple["Value", ...]
Known = Fraction | bool | str | None | Items | Unknown
"""A number, flag, text, nothing, a list of values; or not known."""


class Value(msgspec.Struct, frozen=True):
    """`path` names the object or field that it stands for, where it is one that was not computed here. `inputs` are the
    names of all inputs that it depends on, through `expr` or otherwise; `steps` are the numbers of the assignments.
    """

    expr: Expr
    known: Known = UNKNOWN
    path: str | None = None
    inputs: frozenset[str] = frozenset()
    steps: frozenset[int] = frozenset()
    outcome: bool | None = None
    """What it counts as in a test, where that is known of something that is not."""

    @property
    def number(self) -> Fraction | None:
        return self.known if isinstance(self.known, Fraction) else None

    @property
    def truth(self) -> bool | None:
        """Whether it counts as true in a test; None where that is not known."""
        return self.outcome if isinstance(self.known, Unknown) else bool(self.known)

    @property
    def items(self) -> Items | None:
        return self.known if isinstance(self.known, tuple) else None

    def after(self, *others: Value) -> Value:
        """The same value, which came about by way of others too."""
        steps = self.steps.union(*(other.steps for other in others))
        return msgspec.structs.replace(self, steps=steps, inputs=self.inputs.union(*(other.inputs for other in others)))


class Step(msgspec.Struct, frozen=True):
    """An assignment (or return) that was executed. `text` is its source, `arithmetic` the same with numbers for names."""

    file: File
    statement: int
    target: str
    value: Value
    node: Expr
    arithmetic: str
    level: int
    """How many calls it lies below the function that was asked about."""


class Input(msgspec.Struct):
    """A value that the execution started from. `path` is how the source spells it, `leaf` the expression that reads it.

    `given`: the caller of the analysis set it; `default`: it is what the source declares where nothing is set.
    """

    name: str
    path: str
    file: File
    statement: int
    leaf: Expr
    known: Known = UNKNOWN
    given: str | None = None
    default: bool = False


class Guard(msgspec.Struct, frozen=True):
    """A test met on the way whose one outcome raises. `outcome`: whether it raises for these inputs, None if not known."""

    file: File
    statement: int
    test: Value
    raises_at: int
    raises_when: bool
    outcome: bool | None


class Decision(msgspec.Struct, frozen=True):
    """A test that the inputs do not decide, and the outcome that was assumed."""

    file: File
    statement: int
    test: Value
    holds: bool


def constant(span: Span, known: Known) -> Value:
    """A value that depends on nothing."""
    return Value(literal(span, known), known)


def literal(span: Span, known: Known) -> Expr:
    match known:
        case bool() | None:
            return ir.Const(span, known, str(known))
        case str():
            return ir.Const(span, known, repr(known))
        case Fraction():
            return number_literal(span, known)
    return ir.Opaque(span, "...")


def number_literal(span: Span, value: Fraction) -> Expr:
    """An exact literal: an integer, a decimal, or else a quotient of integers."""
    if value.denominator == 1:
        return ir.Const(span, int(value), str(int(value)))
    text = _decimal(value)
    if text is not None:
        return ir.Const(span, float(value), text)
    return ir.Binary(
        span,
        "/",
        ir.Const(span, value.numerator, str(value.numerator)),
        ir.Const(span, value.denominator, str(value.denominator)),
    )


def _decimal(value: Fraction) -> str | None:
    scaled = value * 10**12
    if scaled.denominator != 1 or abs(value) >= 10**15:
        return None
    digits = f"{abs(scaled.numerator):013d}"
    return f"{'-' if value < 0 else ''}{digits[:-12]}.{digits[-12:].rstrip('0') or '0'}"


def same(left: Known, right: Known) -> bool:
    """Whether two known values are one and the same; never for what is not known."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return False
    if isinstance(left, tuple) or isinstance(right, tuple):
        return left is right
    return type(left) is type(right) and left == right
