from __future__ import annotations

import pytest
from control.outlines import expression

from sgmem.control.text import MAX_LENGTH, constant_text, expression_text, operand_text
from sgmem.syntax import ir


@pytest.mark.parametrize(
    "text",
    [
        "a.b(c, *d, e=1, **f)[1:2, ::3]",
        "-x**2",
        "(-x)**2",
        "a - (b - c) - d",
        "a**b**c",
        "(a**b)**c",
        "(a + b) * c",
        "a << b | c & d",
        "not a < b",
        "(a, b)",
        "(a,)",
        "[]",
        "{1, 2}",
        '{"k": v, **w}',
        "[x for x in y if x if not z]",
        "{k: v for (k, v) in y}",
        "(x for x in y for z in x)",
        '"a b"',
        "await f(x)",
        "b'raw'",
        "...",
        "(lambda a, b: a)",
        "(a if b else c)",
        "(n := 1)",
        "a and b or c",
        "(a or b) and c",
        "x[()]",
        "x[:]",
        "1 < x <= 3",
    ],
)
def test_texts(text: str) -> None:
    """Spelled like this already, they come back as they are; minimal parentheses included."""
    assert expression_text(expression(text), 4) in (text, f"({text})")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("f( 'a' ,\n 1)", 'f("a", 1)'),
        ("((a)) +(b)", "a + b"),
        ("f'{x}' 'y'", 'f"{x}y"'),
        ("'a' 'b'", '"ab"'),
        ("a  .b", "a.b"),
    ],
)
def test_normalisation(text: str, normal: str) -> None:
    assert expression_text(expression(text)) == normal


def test_operands_of_comparisons_are_parenthesised() -> None:
    assert operand_text(expression("a == b")) == "(a == b)"
    assert operand_text(expression("a + b")) == "a + b"


def test_constants() -> None:
    assert constant_text('say "hi"') == r'"say \"hi\""'
    assert constant_text(("a", 1, None)) == '("a", 1, None)'
    assert constant_text((1,)) == "(1,)"
    assert constant_text("\ud800") == r'"\ud800"'


def test_depth_and_length_are_bounded() -> None:
    here = ir.Span(1, 1, 1, 2)
    deep: ir.Expr = ir.Name(here, "x")
    for _ in range(10_000):
        deep = ir.Attribute(here, ir.Call(here, deep, ()), "a", here)
    assert "…" in expression_text(deep)
    wide = ir.Collection(here, "list", tuple(ir.Name(here, "name") for _ in range(1000)))
    assert len(expression_text(wide)) == MAX_LENGTH + 1
