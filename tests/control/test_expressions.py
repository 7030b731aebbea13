from __future__ import annotations

import pytest
from control.outlines import expression

from sgmem.control.expressions import from_expression
from sgmem.control.predicates import FALSE, TRUE, And, Atom, Not, Opaque, Or, negate
from sgmem.control.rendering import render
from sgmem.syntax import ir


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", Atom("x", "truthy")),
        ("not x", Atom("x", "falsy")),
        ("not not x", Atom("x", "truthy")),
        ("bool(x)", Atom("x", "truthy")),
        ("is_cuda()", Atom("is_cuda()", "truthy")),
        ("a.b is None", Atom("a.b", "is", None)),
        ("a.b is not None", Atom("a.b", "is not", None)),
        ("x is True", Atom("x", "is", True)),
        ("x == 'fa3'", Atom("x", "==", "fa3")),
        ("'fa3' == x", Atom("x", "==", "fa3")),
        ("8192 < x", Atom("x", ">", 8192)),
        ("x >= 20 * 1024", Atom("x", ">=", 20480)),
        ("x in ('a', 'b')", Atom("x", "in", ("a", "b"))),
        ("x not in ['a', 'b']", Atom("x", "not in", ("a", "b"))),
        ("x in {1}", Atom("x", "==", 1)),
        ("x in ()", FALSE),
        ("(n := f(x)) > 5", Atom("n", ">", 5)),
        ("0 < x <= 5", And((Atom("x", ">", 0), Atom("x", "<=", 5)))),
        ("a and b or c", Or((And((Atom("a", "truthy"), Atom("b", "truthy"))), Atom("c", "truthy")))),
        ("not (a or b)", And((Atom("a", "falsy"), Atom("b", "falsy")))),
        ("not (a and x < 5)", Or((Atom("a", "falsy"), Atom("x", ">=", 5)))),
        (
            "a if t else b",
            Or((And((Atom("t", "truthy"), Atom("a", "truthy"))), And((Atom("t", "falsy"), Atom("b", "truthy"))))),
        ),
        ("True", TRUE),
        ("0", FALSE),
        ("''", FALSE),
        ("[1, x]", TRUE),
        ("[]", FALSE),
    ],
)
def test_predicates_of_tests(text: str, expected: object) -> None:
    assert from_expression(expression(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        "isinstance(a, B)",
        "x % 2 == 0",
        "len(x) > 3",
        "a < b",
        "'k' in d",
        "x in 'abc'",
        "[*a]",
        "x is y",
        "await z",
        "x == ...",
        "x < None",
    ],
)
def test_anything_else_is_opaque(text: str) -> None:
    found = from_expression(expression(text))
    assert isinstance(found, Opaque)
    assert found.text == text.replace("'", '"')
    assert found.span.column == 2


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("not a % b == 0", "a % b != 0"),
        ("not a is b", "a is not b"),
        ("not 'k' in d", "'k' not in d"),
        ("not a < b", "a >= b"),
        ("not a > b", "a <= b"),
        ("not not f(x)", "f( x )"),
        ("f('a')", 'f("a")'),
        ("f((a))", "f(a)"),
    ],
)
def test_equal_meanings_give_equal_predicates(text: str, same: str) -> None:
    assert from_expression(expression(text)) == from_expression(expression(same))


def test_sets_are_ordered_partially() -> None:
    found = from_expression(expression("not set(a) <= set(b)"))
    assert isinstance(found, Not)
    assert render(found) == "not set(a) <= set(b)"
    assert found != from_expression(expression("set(a) > set(b)"))


def test_hostile_depth_and_width() -> None:
    here = ir.Span(1, 1, 1, 2)
    deep: ir.Expr = ir.Name(here, "x")
    for number in range(5000):
        deep = ir.Boolean(here, "and" if number % 2 else "or", (ir.Name(here, f"n{number}"), deep))
    assert "…" in render(from_expression(deep))
    wide = ir.Boolean(here, "and", tuple(ir.Name(here, f"n{number}") for number in range(5000)))
    assert isinstance(from_expression(wide), Opaque)
    test: ir.Expr = ir.Name(here, "x")
    for number in range(200):
        test = ir.Conditional(here, test, ir.Name(here, f"a{number}"), ir.Name(here, f"b{number}"))
    assert isinstance(from_expression(test), Or)


def test_a_text_that_was_cut_off_equals_itself_only() -> None:
    text = "x" * 80
    one, other = ir.Opaque(ir.Span(1, 1, 1, 2), text), ir.Opaque(ir.Span(2, 1, 2, 2), text)
    assert from_expression(one) == from_expression(one) != from_expression(other)
    assert negate(from_expression(one)) == Not(from_expression(one))
