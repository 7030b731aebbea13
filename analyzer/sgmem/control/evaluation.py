"""Under which conditions a sub-expression is evaluated, given that its expression is."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from sgmem.control.conditions import Condition
from sgmem.control.expressions import comparison, from_expression
from sgmem.control.predicates import TRUE, Predicate, negate
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Found = tuple[Predicate, ir.Span]


def expression_conditions(node: ir.Expr, ancestors: Sequence[ir.Expr], statement: int = -1) -> tuple[Condition, ...]:
    """The conditions from `a if t else b`, `x and y`, `x or y`, chained comparisons and comprehensions, outermost
    first.

    `node` and `ancestors` are as `ir.paths` gives them; `statement` is handed on into the conditions. Inside a lambda
    the conditions are those of its creation.
    """
    path = (*ancestors, node)
    return tuple(
        Condition(predicate, span, statement, "expression")
        for parent, child in pairwise(path)
        for predicate, span in _step(parent, child)
        if predicate != TRUE
    )


def _step(parent: ir.Expr, child: ir.Expr) -> Iterator[_Found]:
    """What must have held for `parent` to evaluate `child`."""
    match parent:
        case ir.Conditional():
            if child is parent.body:
                yield _positive(parent.test)
            elif child is parent.orelse:
                yield _negative(parent.test)
        case ir.Boolean():
            outcome = _positive if parent.operator == "and" else _negative
            for value in parent.values:
                if value is child:
                    break
                yield outcome(value)
        case ir.Compare():
            links = zip(parent.operands, parent.operators, parent.operands[1:], strict=False)
            for left, operator, right in links:
                if left is child or right is child:
                    break
                yield (
                    comparison(left, operator, right),
                    ir.Span(left.span.line, left.span.column, right.span.end_line, right.span.end_column),
                )
        case ir.Comprehension():
            yield from _filters(parent, child)


def _filters(parent: ir.Comprehension, child: ir.Expr) -> Iterator[_Found]:
    for clause in parent.clauses:
        if child is clause.target or child is clause.iterable:
            return
        for condition in clause.conditions:
            if child is condition:
                return
            yield _positive(condition)


def _positive(test: ir.Expr) -> _Found:
    return from_expression(test), test.span


def _negative(test: ir.Expr) -> _Found:
    return negate(from_expression(test)), test.span
