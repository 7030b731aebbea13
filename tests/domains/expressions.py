"""Turns Python expression text into IR for the tests, and names leaves by their text."""

from __future__ import annotations

from sgmem.syntax import ir
from sgmem.syntax.lower import lower_expression
from sgmem.syntax.unparse import text_of


def expression(text: str) -> ir.Expr:
    return lower_expression(text, ir.Span(1, 1, 1, len(text) + 1))


def by_text(node: ir.Expr) -> str | None:
    """Every name, attribute, call and subscript is a symbol of its own; `self.` is left out."""
    if isinstance(node, ir.Name | ir.Attribute | ir.Call | ir.Subscript):
        return text_of(node).removeprefix("self.")
    return None
