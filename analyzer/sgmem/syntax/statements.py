"""Lowers one statement, or a compound statement's header, from the slice its outline names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Span, Statement
from sgmem.syntax.lower import ExpressionLowering, lower_expression, parsable
from sgmem.syntax.patterns import pattern_bindings
from sgmem.syntax.positions import spans_of

if TYPE_CHECKING:
    from sgmem.syntax.outline import Outline, StatementOutline
    from sgmem.syntax.text import SourceText

_COMPOUND = {"if", "while", "for", "with", "try", "except", "match", "case", "function", "class"}


def lower_statement(source: SourceText, outline: Outline, index: int) -> Statement:
    """Lower statement `index` of the outline; a compound statement's body is not part of it."""
    row = outline.statements[index]
    if row.kind in _COMPOUND:
        return _header(source, outline, row)
    text = source.slice(row.span)
    if not parsable(text):
        return _opaque(row, text)
    try:
        line = cst.parse_statement(text)
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return _opaque(row, text)
    if not isinstance(line, cst.SimpleStatementLine) or not line.body:
        return _opaque(row, text)
    node = line.body[0]
    lowering = ExpressionLowering(spans_of(node, row.span.line, row.span.column), row.span)
    try:
        return _simple(node, row, lowering)
    except RecursionError:
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
            target = at.lower(node.target)
            targets = target.items if isinstance(target, ir.Collection) else (target,)
            bindings = tuple(Binding(each, None, "delete") for each in targets)
    return Statement(row.kind, row.span, bindings, values, annotation)


def _augmented_operator(node: cst.BaseAugOp) -> str:
    name = type(node).__name__.removesuffix("Assign")
    return {
        "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**",
        "LeftShift": "<<", "RightShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "MatrixMultiply": "@",
    }[name]  # fmt: skip


def _header(source: SourceText, outline: Outline, row: StatementOutline) -> Statement:
    heads = [(lower_expression(source.slice(span), span)) for span in row.heads if row.kind != "case"]
    bindings: tuple[Binding, ...] = ()
    values: tuple[ir.Expr, ...] = ()
    match row.kind:
        case "for":
            bindings = (Binding(heads[0], heads[1], "iterate"),)
        case "with":
            pairs = zip(row.heads[::2], row.heads[1::2], heads[::2], heads[1::2], strict=True)
            bindings = tuple(Binding(target, item, "enter") for a, b, item, target in pairs if a != b)
            values = tuple(
                item for a, b, item in zip(row.heads[::2], row.heads[1::2], heads[::2], strict=True) if a == b
            )
        case "except":
            if row.names and heads:
                bindings = (Binding(ir.Name(_header_span(row), row.names[0]), heads[0], "catch"),)
            else:
                values = tuple(heads)
        case "case":
            return _case(source, outline, row)
        case "function" | "class":
            values = tuple(lower_expression(source.slice(span), span) for span in _definition_spans(outline, row))
        case _:
            values = tuple(heads)
    return Statement(row.kind, _header_span(row), bindings, values)


def _case(source: SourceText, outline: Outline, row: StatementOutline) -> Statement:
    subject_span = outline.statements[row.parent].heads[0]
    subject = lower_expression(source.slice(subject_span), subject_span)
    pattern = row.heads[0]
    bindings = pattern_bindings(source.slice(pattern), pattern, subject)
    guard = tuple(lower_expression(source.slice(span), span) for span in row.heads[1:])
    return Statement(row.kind, _header_span(row), bindings, guard)


def _definition_spans(outline: Outline, row: StatementOutline) -> list[Span]:
    """Decorators, bases and parameter defaults: all that a definition evaluates when it is executed."""
    for scope in outline.scopes:
        if scope.statement >= 0 and outline.statements[scope.statement] is row:
            defaults = [parameter.default for parameter in scope.parameters if parameter.default is not None]
            return [*scope.decorators, *scope.bases, *(span for _, span in scope.keywords), *defaults]
    return []


def _header_span(row: StatementOutline) -> Span:
    """From the keyword to the last header expression: a site names the header, not the block."""
    if row.kind in ("function", "class") or not row.heads:
        return Span(row.span.line, row.span.column, row.span.line, row.span.column + 1)
    last = row.heads[-1]
    return Span(row.span.line, row.span.column, last.end_line, last.end_column)
