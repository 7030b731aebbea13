"""The text of an expression as it stands in a condition, bounded in length."""

from __future__ import annotations

from sgmem.syntax import ir
from sgmem.syntax.unparse import COMPARE, ELISION, NOT, constant_text, text_of

MAX_LENGTH = 400


def expression_text(expr: ir.Expr, minimum: int = NOT) -> str:
    """Spell an expression so that it may stand behind `not` or beside `and`, in parentheses where it needs them."""
    text = text_of(expr, minimum=minimum)
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + ELISION


def operand_text(expr: ir.Expr) -> str:
    """Spell an expression so that it may be an operand of a comparison."""
    return expression_text(expr, COMPARE + 1)


__all__ = ["ELISION", "MAX_LENGTH", "constant_text", "expression_text", "operand_text"]
