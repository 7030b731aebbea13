"""Puts definitions in place of names: with `slack = total * (1 - f)`, `available - slack` becomes one formula of three
inputs.

Only arithmetic is rebuilt; every other expression stays the node it was, so what is known of a leaf by identity still
holds.
"""

from __future__ import annotations

from collections.abc import Callable

from sgmem.domains.algebra import arithmetic
from sgmem.syntax import ir

DefinitionOf = Callable[[ir.Expr], "ir.Expr | None"]
"""The expression that alone defines the value of a leaf, or None."""

MAX_STEPS = 12
MAX_NODES = 400


def inlined(expr: ir.Expr, definition_of: DefinitionOf) -> ir.Expr:
    """`expr` with the definitions of its leaves, and of theirs, in their place; a definition that leads back to itself
    ends it.

    Stops where the formula would pass `MAX_NODES` nodes or a chain `MAX_STEPS` definitions; those leaves stay as they
    are.
    """
    return _Inliner(definition_of).rebuild(expr, (), 0)


class _Inliner:
    def __init__(self, definition_of: DefinitionOf) -> None:
        self.definition_of = definition_of
        self.nodes = 0

    def rebuild(self, expr: ir.Expr, chain: tuple[ir.Expr, ...], depth: int) -> ir.Expr:
        self.nodes += 1
        if depth > arithmetic.MAX_DEPTH or self.nodes > MAX_NODES:
            return expr

        def inner(node: ir.Expr) -> ir.Expr:
            return self.rebuild(node, chain, depth + 1)

        match expr:
            case ir.Const():
                return expr
            case ir.Binary(operator=operator, left=left, right=right):
                a, b = inner(left), inner(right)
                return expr if a is left and b is right else ir.Binary(expr.span, operator, a, b)
            case ir.Unary(operator="-" | "+" as operator, operand=operand):
                a = inner(operand)
                return expr if a is operand else ir.Unary(expr.span, operator, a)
            case ir.Walrus(value=value):
                return inner(value)
            case ir.Conditional(test=test, body=body, orelse=orelse):
                a, b = inner(body), inner(orelse)
                return expr if a is body and b is orelse else ir.Conditional(expr.span, test, a, b)
            case ir.Boolean(operator=operator, values=values):
                parts = tuple(inner(value) for value in values)
                return expr if parts == values else ir.Boolean(expr.span, operator, parts)
            case ir.Call() if arithmetic.function_name(expr) is not None:
                return self.call(expr, inner)
        definition = self.definition_of(expr)
        if definition is None or definition in chain or len(chain) >= MAX_STEPS:
            return expr
        return self.rebuild(definition, (*chain, definition), depth + 1)

    def call(self, expr: ir.Call, inner: Callable[[ir.Expr], ir.Expr]) -> ir.Call:
        operands = arithmetic.operands(expr)
        if operands is None:
            return expr
        parts = tuple(inner(part) for part in operands)
        if parts == operands:
            return expr
        if arithmetic.function_name(expr) == "sum":
            display = ir.Collection(expr.span, "tuple", parts)
            return ir.Call(expr.span, expr.func, (ir.Argument(expr.span, display),))
        return ir.Call(expr.span, expr.func, tuple(ir.Argument(part.span, part) for part in parts))
