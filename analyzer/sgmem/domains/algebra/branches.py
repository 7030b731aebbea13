"""Splits an expression into its alternatives: conditional expressions, `or`, min, max and abs, each with the choices
that select it.

The alternatives are free of them, so each has an exact ratio. Leaves keep their identity; only the nodes above a choice
are new. What constants decide (`1.05 > 0.8`, of `max(0.8, min(1.05, factor))`) is no choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import truth_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.syntax import ir
from sgmem.syntax.unparse import Replace, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BRANCHES = 64


class Choice(msgspec.Struct, frozen=True):
    """`test` came out true (`holds`) or false."""

    test: ir.Expr
    holds: bool

    @property
    def text(self) -> str:
        """The condition as Python, negated where it came out false."""
        return self.written(None)

    def written(self, replace: Replace | None) -> str:
        """`text` with other words for its leaves, see `text_of`."""
        test = self.test
        if self.holds:
            return text_of(test, replace)
        if isinstance(test, ir.Compare) and len(test.operators) == 1 and test.operators[0] in _NEGATED:
            return text_of(ir.Compare(test.span, (_NEGATED[test.operators[0]],), test.operands), replace)
        return text_of(ir.Unary(test.span, "not", test), replace)


class Branch(msgspec.Struct, frozen=True):
    """One alternative, and what selects it, outermost first."""

    expr: ir.Expr
    choices: tuple[Choice, ...] = ()


_NEGATED = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in",
    "not in": "in",
}  # fmt: skip


def branches(expr: ir.Expr) -> tuple[Branch, ...]:
    """The alternatives of `expr`, contradictory ones left out. Raises Unsupported beyond `MAX_BRANCHES`."""
    found = ((alternative, _open(choices)) for alternative, choices in _split(expr, 0))
    return tuple(Branch(alternative, choices) for alternative, choices in found if choices is not None)


def _open(choices: tuple[Choice, ...]) -> tuple[Choice, ...] | None:
    """The choices that constants do not decide; None where one of them comes out the other way."""
    kept = []
    for choice in choices:
        truth = _settled(choice.test)
        if truth is None:
            kept.append(choice)
        elif truth != choice.holds:
            return None
    return tuple(kept)


def _settled(test: ir.Expr) -> bool | None:
    """What a test of nothing but constants comes out as."""
    try:
        return truth_of(test, lambda leaf: None)
    except Unsupported:
        return None


_Alternative = tuple[ir.Expr, tuple[Choice, ...]]


def _split(expr: ir.Expr, depth: int) -> list[_Alternative]:
    if depth > arithmetic.MAX_DEPTH:
        raise Unsupported("nested too deep")
    match expr:
        case ir.Binary(left=left, right=right):
            return [
                (expr if parts == (left, right) else ir.Binary(expr.span, expr.operator, *parts), choices)
                for parts, choices in _together((left, right), depth)
            ]
        case ir.Unary(operator="-" | "+", operand=operand):
            return [
                (expr if parts == (operand,) else ir.Unary(expr.span, expr.operator, *parts), choices)
                for parts, choices in _together((operand,), depth)
            ]
        case ir.Walrus(value=value):
            return _split(value, depth + 1)
        case ir.Conditional(test=test, body=body, orelse=orelse):
            return _limited(
                (alternative, joined)
                for part, holds in ((body, True), (orelse, False))
                for alternative, choices in _split(part, depth + 1)
                if (joined := _joined((Choice(test, holds),), choices)) is not None
            )
        case ir.Boolean():
            return _limited(_either(expr, depth))
        case ir.Call():
            parts = arithmetic.operands(expr)
            if arithmetic.function_name(expr) is not None and parts is not None:
                return _limited(_call(expr, parts, depth))
    return [(expr, ())]


def _either(expr: ir.Boolean, depth: int) -> Iterator[_Alternative]:
    """`a or b`: a when a is true, else b; `a and b`: a when a is false, else b."""
    before: tuple[Choice, ...] = ()
    for index, value in enumerate(expr.values):
        last = index == len(expr.values) - 1
        own = before if last else (*before, Choice(value, expr.operator == "or"))
        for alternative, choices in _split(value, depth + 1):
            joined = _joined(own, choices)
            if joined is not None:
                yield alternative, joined
        before = (*before, Choice(value, expr.operator == "and"))


def _call(expr: ir.Call, operands: tuple[ir.Expr, ...], depth: int) -> Iterator[_Alternative]:
    called = arithmetic.function_name(expr)
    for parts, choices in _together(operands, depth):
        if called in ("min", "max"):
            yield from _extreme(expr, parts, choices, "<" if called == "min" else ">")
        elif called == "abs":
            zero = ir.Const(expr.span, 0, "0")
            test = ir.Compare(expr.span, (">=",), (parts[0], zero))
            yield parts[0], (*choices, Choice(test, True))
            yield ir.Unary(expr.span, "-", parts[0]), (*choices, Choice(test, False))
        elif parts == operands:
            yield expr, choices
        elif called == "sum":
            display = ir.Collection(expr.span, "tuple", parts)
            yield ir.Call(expr.span, expr.func, (ir.Argument(expr.span, display),)), choices
        else:
            yield ir.Call(expr.span, expr.func, tuple(ir.Argument(part.span, part) for part in parts)), choices


def _extreme(expr: ir.Call, parts: tuple[ir.Expr, ...], choices: tuple[Choice, ...], operator: str) -> Iterator[_Alternative]:
    """min or max is its argument i when that is beyond the earlier ones and not short of the later ones."""
    for index, part in enumerate(parts):
        own = choices
        for other_index, other in enumerate(parts):
            if other_index != index:
                relation = operator if other_index < index else f"{operator}="
                own = (*own, Choice(ir.Compare(expr.span, (relation,), (part, other)), True))
        yield part, own


def _together(parts: tuple[ir.Expr, ...], depth: int) -> list[tuple[tuple[ir.Expr, ...], tuple[Choice, ...]]]:
    """Every combination of the alternatives of several operands."""
    found: list[tuple[tuple[ir.Expr, ...], tuple[Choice, ...]]] = [((), ())]
    for part in parts:
        longer = [
            ((*before, alternative), joined)
            for alternative, choices in _split(part, depth + 1)
            for before, chosen in found
            if (joined := _joined(chosen, choices)) is not None
        ]
        if len(longer) > MAX_BRANCHES:
            raise Unsupported("too many alternatives")
        found = longer
    return found


def _joined(left: tuple[Choice, ...], right: tuple[Choice, ...]) -> tuple[Choice, ...] | None:
    """Both lists of choices without repetition; None when they contradict: one test, true and false."""
    if not left or not right:
        return left or right
    known = {text_of(choice.test): choice.holds for choice in left}
    joined = list(left)
    for choice in right:
        text = text_of(choice.test)
        if text not in known:
            joined.append(choice)
        elif known[text] != choice.holds:
            return None
    return tuple(joined)


def _limited(alternatives: Iterator[_Alternative]) -> list[_Alternative]:
    found: list[_Alternative] = []
    for alternative in alternatives:
        found.append(alternative)
        if len(found) > MAX_BRANCHES:
            raise Unsupported("too many alternatives")
    return found
