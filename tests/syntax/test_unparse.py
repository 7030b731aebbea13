"""Expressions written back as text."""

from __future__ import annotations

import pytest
from domains.expressions import expression
from domains.formulas import Formula, anything
from hypothesis import given, settings

from sgmem.syntax import ir
from sgmem.syntax.unparse import ELISION, text_of


@pytest.mark.parametrize(
    "text",
    [
        "a - b * (1 - c)",
        "a - (b - c)",
        "a - b - c",
        "a / (b * c)",
        "(a + b) * c",
        "-a**2",
        "(-a)**2",
        "2**-1",
        "a**b",
        "a if b else c",
        "(a if b else c) + 1",
        "a or b and not c",
        "not (a or b)",
        "a < b <= c",
        "(a < b) + 1",
        "a is not None",
        "f(a, *b, key=c, **d)",
        "a.b.c[0].d",
        "x[1:2]",
        "x[::2]",
        "(a, b)",
        "(a,)",
        "[a, b]",
        "{a, b}",
        "{a: b, **c}",
        "(a := b)",
        "(1).real",
        "lambda_(a)",
        "a << 1 + b",
        "(a << 1) + b",
        "a @ b",
        "~a",
        "(a or b)(c)",
        "await_(x)",
        "a and (b or c)",
        "[x for x in y if x]",
        'f"{a} GB"',
        "(lambda a: b)(c)",
        "a[b, c]",
    ],
)
def test_text_is_kept_with_as_few_parentheses_as_it_needs(text: str):
    assert text_of(expression(text)) == text


@settings(max_examples=200)
@given(anything)
def test_what_is_written_reads_as_the_same_expression(formula: Formula):
    once = text_of(expression(formula.text))
    assert text_of(expression(once)) == once


def test_replacement_of_leaves():
    numbers = {"a": "21.7", "b": "(-1)"}
    text = text_of(expression("int(a - b * c)"), lambda node: numbers.get(node.id) if isinstance(node, ir.Name) else None)
    assert text == "int(21.7 - (-1) * c)"


def test_what_is_called_is_not_replaced():
    assert text_of(expression("int(a)"), lambda node: "7" if isinstance(node, ir.Name) else None) == "int(7)"


def test_depth_is_bounded():
    span = ir.Span(1, 1, 1, 2)
    deep: ir.Expr = ir.Name(span, "a")
    for _ in range(5000):
        deep = ir.Unary(span, "-", deep)
    assert text_of(deep).endswith(ELISION)
