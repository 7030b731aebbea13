"""Lowers a simple statement from libcst, where `ast` does not read it or does not place its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Statement
from sgmem.syntax.lower import OPAQUE_TEXT
from sgmem.syntax.lower_libcst import ExpressionLowering, without_form_feeds
from sgmem.syntax.positions import Positions, spans_of
from sgmem.syntax.recursion import DeepRecursion

if TYPE_CHECKING:
    from sgmem.syntax.outline import StatementOutline


def statement_by_libcst(text: str, row: StatementOutline) -> Statement:
    """Lower the simple statement that `text` spells and that is `parsable`; what libcst cannot read becomes `Opaque`."""
    try:
        with DeepRecursion():
            line = cst.parse_statement(without_form_feeds(text))
            if not isinstance(line, cst.SimpleStatementLine) or not line.body:
                return _opaque(row, text)
            node = line.body[0]
            positions = Positions(spans_of(node, row.span.line, row.span.column), text, row.span)
            return _simple(node, row, ExpressionLowering(positions))
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, ValueError):
        return _opaque(row, text)


def _opaque(row: StatementOutline, text: str) -> Statement:
    return Statement(row.kind, row.span, values=(ir.Opaque(row.span, text[:OPAQUE_TEXT]),))


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
