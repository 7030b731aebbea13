"""Lowers expressions and simple statements to the intermediate representation with the first parser that reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir
from sgmem.syntax.limits import parsable
from sgmem.syntax.lower_ast import UNREAD, expression_by_ast, statement_by_ast
from sgmem.syntax.recursion import DeepRecursion

if TYPE_CHECKING:
    from sgmem.syntax.ir import Span, Statement, StatementKind

_OPAQUE_TEXT = 80
"""How much of its source an `Opaque` keeps."""


def lower_expression(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells: with `ast`, else with libcst, which takes ten times as long but
    knows newer syntax too. What neither reads becomes `Opaque`."""
    if not parsable(text):
        return opaque(text, span)
    with DeepRecursion():
        try:
            return expression_by_ast(text, span)
        except UNREAD:
            from sgmem.syntax.lower_libcst import expression_by_libcst  # slow to import

            return expression_by_libcst(text, span) or opaque(text, span)


def lower_simple(text: str, kind: StatementKind, span: Span) -> Statement:
    """Lower the simple statement that `text`, the slice of `span`, spells; what cannot be read has an `Opaque` as its value."""
    if parsable(text):
        with DeepRecursion():
            try:
                return statement_by_ast(text, kind, span)
            except UNREAD:
                from sgmem.syntax.lower_libcst import statement_by_libcst

                lowered = statement_by_libcst(text, kind, span)
                if lowered is not None:
                    return lowered
    return ir.Statement(kind, span, values=(opaque(text, span),))


def opaque(text: str, span: Span) -> ir.Opaque:
    return ir.Opaque(span, text[:_OPAQUE_TEXT])
