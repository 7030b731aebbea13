"""What counts as arithmetic, and how much of its statement a formula takes up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.syntax.ir import Expr, Span, Statement

ARITHMETIC = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "@", "&", "|", "^"}
NUMERIC = {"int", "float", "round", "abs", "min", "max", "sum", "ceil", "floor", "pow", "tensor", "as_tensor", "align_up", "cdiv"}
"""Functions that compute a number from their arguments."""
MAX_LINES = 12


def is_text(node: Expr | None) -> bool:
    """Whether an expression builds a string: `+` and `%` on it are no arithmetic."""
    while isinstance(node, ir.Binary):
        node = node.left
    return isinstance(node, ir.Format) or (isinstance(node, ir.Const) and isinstance(node.value, str | bytes))


def formula_span(statement: Statement, expression: Expr) -> Span:
    """A formula's site: its statement, where the statement is short and binds or returns what the formula computes, else itself."""
    if statement.kind not in ("assign", "annotate", "augment", "return") or statement.span.end_line - statement.span.line > MAX_LINES:
        return expression.span
    for root in statement.expressions():
        for node, ancestors in ir.paths(root):
            if node is expression:
                return statement.span if all(map(_hands_on, ancestors)) else expression.span
    return statement.span if statement.span.contains(expression.span) else expression.span


def _hands_on(node: Expr) -> bool:
    """Whether an expression around a formula belongs to it, or only chooses among values."""
    if isinstance(node, ir.Call):
        return (dotted(node.func) or "").rpartition(".")[2] in NUMERIC
    return isinstance(node, ir.Binary | ir.Unary | ir.Conditional | ir.Boolean | ir.Walrus | ir.Await)
