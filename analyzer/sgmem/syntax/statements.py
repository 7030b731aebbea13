"""Lowers one statement, or a compound statement's header, from the slice its outline names."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Span, Statement
from sgmem.syntax.layouts import spans_of
from sgmem.syntax.limits import parsable
from sgmem.syntax.lower import ExpressionLowering, lower_expression, without_form_feeds
from sgmem.syntax.parsing import parse_statement
from sgmem.syntax.patterns import pattern_bindings
from sgmem.syntax.plain import plain_assignment
from sgmem.syntax.positions import DeepRecursion, Positions

if TYPE_CHECKING:
    from sgmem.syntax.outline import Outline, StatementOutline
    from sgmem.syntax.text import SourceText

_AS = re.compile(r"[\s\\)]*(?:#[^\n]*\n[\s\\)]*)*as[\s\\]+")
_COMPOUND = {"if", "while", "for", "with", "try", "except", "match", "case", "function", "class"}
_BARE = {"pass", "break", "continue", "global", "nonlocal", "import"}
"""The kinds of statement that hold no expression."""


def lower_statement(source: SourceText, outline: Outline, index: int) -> Statement:
    """Lower statement `index` of the outline; a compound statement's body is not part of it."""
    row = outline.statements[index]
    if row.kind in _COMPOUND:
        return _header(source, outline, index)
    if row.kind in _BARE:
        return Statement(row.kind, row.span)
    text = source.slice(row.span)
    plain = plain_assignment(text, row.span) if row.kind == "assign" else None
    if plain is not None:
        return plain
    if not parsable(text):
        return _opaque(row, text)
    try:
        with DeepRecursion():
            line = parse_statement(without_form_feeds(text))
            if not isinstance(line, cst.SimpleStatementLine) or not line.body:
                return _opaque(row, text)
            node = line.body[0]
            positions = Positions(spans_of(node, row.span.line, row.span.column), text, row.span)
            return _simple(node, row, ExpressionLowering(positions))
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, ValueError):
        return _opaque(row, text)


def _opaque(row: StatementOutline, text: str) -> Statement:
    return Statement(row.kind, row.span, values=(ir.Opaque(row.span, text[:80]),))


def _simple(node: cst.BaseSmallStatement, row: StatementOutline, at: ExpressionLowering) -> Statement:
    bindings: tuple[Binding, ...] = ()
    values: tuple[ir.Expr, ...] = ()
    annotation: ir.Expr | None = None
    match node:
        case cst.Assign():
            value = at.lower(node.value)
            bindings = tuple(Binding(at.lower(target.target), value) for target in node.targets)
        case cst.AnnAssign():
            annotation = at.lower(node.annotation.annotation)
            bindings = (Binding(at.lower(node.target), at.optional(node.value), "annotate"),)
        case cst.AugAssign():
            operator = _augmented_operator(node.operator)
            bindings = (Binding(at.lower(node.target), at.lower(node.value), "augment", operator),)
        case cst.Expr():
            values = (at.lower(node.value),)
        case cst.Return():
            values = () if node.value is None else (at.lower(node.value),)
        case cst.Raise():
            parts = (node.exc, node.cause.item if node.cause else None)
            values = tuple(at.lower(part) for part in parts if part is not None)
        case cst.Assert():
            values = tuple(at.lower(part) for part in (node.test, node.msg) if part is not None)
        case cst.Del():
            bindings = tuple(Binding(each, None, "delete") for each in _targets(at.lower(node.target)))
        case cst.TypeAlias():
            bindings = (Binding(at.lower(node.name), at.lower(node.value)),)
    return Statement(row.kind, row.span, bindings, values, annotation)


def _targets(target: ir.Expr) -> list[ir.Expr]:
    if isinstance(target, ir.Collection):
        return [each for item in target.items for each in _targets(item)]
    return [target]


def _augmented_operator(node: cst.BaseAugOp) -> str:
    name = type(node).__name__.removesuffix("Assign")
    return {
        "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**",
        "LeftShift": "<<", "RightShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "MatrixMultiply": "@",
    }[name]  # fmt: skip


def _header(source: SourceText, outline: Outline, index: int) -> Statement:
    row = outline.statements[index]
    if row.kind == "case":
        return _case(source, outline, row)
    if row.kind in ("function", "class"):
        spans = _definition_spans(outline, index)
        return Statement(row.kind, _header_span(row), (), tuple(_lowered(source, span) for span in spans))
    heads = [_lowered(source, span) for span in row.heads]
    bindings: tuple[Binding, ...] = ()
    values: tuple[ir.Expr, ...] = tuple(heads)
    if row.kind == "for":
        bindings, values = (Binding(heads[0], heads[1], "iterate"),), ()
    elif row.kind == "with":
        bindings, values = _items(row, heads)
    elif row.kind == "except" and row.names and heads:
        bindings, values = (Binding(_caught(source, row), heads[0], "catch"),), ()
    return Statement(row.kind, _header_span(row), bindings, values)


def _lowered(source: SourceText, span: Span) -> ir.Expr:
    return lower_expression(source.slice(span), span)


def _items(row: StatementOutline, heads: list[ir.Expr]) -> tuple[tuple[Binding, ...], tuple[ir.Expr, ...]]:
    """The items of a with statement: those with a target bind it, the others are only evaluated."""
    bindings: list[Binding] = []
    values: list[ir.Expr] = []
    for position in range(0, len(heads), 2):
        item, target = heads[position : position + 2]
        if row.heads[position] != row.heads[position + 1]:
            bindings.append(Binding(target, item, "enter"))
        else:
            values.append(item)
    return tuple(bindings), tuple(values)


def _caught(source: SourceText, row: StatementOutline) -> ir.Name:
    """The name that `except ... as name` binds, where it stands."""
    name, head = row.names[0], row.heads[-1]
    found = _AS.match(source.text, source.offset(head.end_line, head.end_column))
    if found is None:
        return ir.Name(_header_span(row), name)
    line, column = source.position(found.end())
    return ir.Name(Span(line, column, line, column + len(name)), name)


def _case(source: SourceText, outline: Outline, row: StatementOutline) -> Statement:
    subject = _lowered(source, outline.statements[row.parent].heads[0])
    pattern = row.heads[0]
    bindings = pattern_bindings(source.slice(pattern), pattern, subject)
    guard = tuple(_lowered(source, span) for span in row.heads[1:])
    return Statement(row.kind, _header_span(row), bindings, guard)


def _definition_spans(outline: Outline, index: int) -> list[Span]:
    """Decorators, bases and parameter defaults: all that a definition evaluates when it is executed."""
    # Scopes stand in the order of the statements that define them.
    position = bisect_left(outline.scopes, index, key=lambda scope: scope.statement)
    scope = outline.scopes[position]
    defaults = [parameter.default for parameter in scope.parameters if parameter.default is not None]
    return [*scope.decorators, *scope.bases, *(span for _, span in scope.keywords), *defaults]


def _header_span(row: StatementOutline) -> Span:
    """From the keyword to the last header expression: a site names the header, not the block."""
    if row.kind in ("function", "class") or not row.heads:
        return Span(row.span.line, row.span.column, row.span.line, row.span.column + 1)
    last = row.heads[-1]
    return Span(row.span.line, row.span.column, last.end_line, last.end_column)
