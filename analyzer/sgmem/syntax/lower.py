"""Lowers one expression with the cheapest parser that reads it exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir
from sgmem.syntax.limits import parsable
from sgmem.syntax.lower_ast import Inexact, expression_by_ast

if TYPE_CHECKING:
    from sgmem.syntax.ir import Span

OPAQUE_TEXT = 80
"""How much of its source an `Opaque` keeps."""


def lower_expression(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells. What no parser can read becomes `Opaque`.

    Most is lowered from `ast`, at a fifth of the cost (measured). libcst lowers what `ast` does not place exactly and what is newer
    than the Python that runs.
    """
    if not parsable(text):
        return ir.Opaque(span, text[:OPAQUE_TEXT])
    try:
        return expression_by_ast(text, span)
    except Inexact:
        from sgmem.syntax.lower_libcst import expression_by_libcst  # its parser is slow to import

        return expression_by_libcst(text, span)
