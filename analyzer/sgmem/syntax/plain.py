"""Names, chains of names and constants, which need no parser: a third of what is lowered, and what libcst takes as long for as for the
rest."""

from __future__ import annotations

import re
from keyword import iskeyword
from typing import TYPE_CHECKING

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Span, Statement

if TYPE_CHECKING:
    from sgmem.syntax.ir import Expr

_ATOM = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|0|[1-9][0-9]{0,17}"
_PLAIN = re.compile(_ATOM, re.ASCII)
_ASSIGNMENT = re.compile(rf"({_ATOM})( *= *)({_ATOM})", re.ASCII)
_LONGEST = 300
_CONSTANTS = {"None": None, "True": True, "False": False}


def plain_expression(text: str, span: Span) -> Expr | None:
    """The expression that `text`, the slice of `span`, spells if it is a chain of names or a constant; None for any other."""
    return _plain(text, span) if len(text) < _LONGEST and _PLAIN.fullmatch(text) else None


def plain_assignment(text: str, span: Span) -> Statement | None:
    """The assignment that `text` spells if both its sides are plain; None for any other statement."""
    found = _ASSIGNMENT.fullmatch(text) if len(text) < _LONGEST else None
    if found is None or found[1][0].isdigit():
        return None
    middle = span.column + found.start(3)
    target = _plain(found[1], Span(span.line, span.column, span.line, span.column + found.end(1)))
    value = _plain(found[3], Span(span.line, middle, span.line, span.end_column))
    if target is None or value is None or isinstance(target, ir.Const):
        return None
    return Statement("assign", span, (Binding(target, value),))


def _plain(text: str, span: Span) -> Expr | None:
    if text in _CONSTANTS:
        return ir.Const(span, _CONSTANTS[text], text)
    if text[0].isdigit():
        return ir.Const(span, int(text), text)
    first, *rest = text.split(".")
    if iskeyword(first) or any(map(iskeyword, rest)):
        return None
    end = span.column + len(first)
    chain: Expr = ir.Name(Span(span.line, span.column, span.line, end), first)
    for name in rest:
        begin, end = end + 1, end + 1 + len(name)
        chain = ir.Attribute(Span(span.line, span.column, span.line, end), chain, name, Span(span.line, begin, span.line, end))
    return chain
