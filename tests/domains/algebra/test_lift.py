"""Lifting: what becomes a symbol, what becomes a rounding step, what is refused and why."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from domains.expressions import by_text, expression
from domains.formulas import Formula, Values, assignments, binary, call, rational_in
from hypothesis import given, settings
from hypothesis import strategies as st

from sgmem.domains.algebra.forms import Unsupported, name, number
from sgmem.domains.algebra.lift import lift
from sgmem.domains.algebra.render import render
from sgmem.syntax import ir


def leaf(node: ir.Expr) -> str | None:
    return node.id if isinstance(node, ir.Name) else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a * 1024**3", "2**30 * a"),
        ("a << 20", "2**20 * a"),
        ("a * 1e9", "1000000000 * a"),
        ("a * 0.55", "0.55 * a"),
        ("float(a) + int(7)", "a + 7"),
        ("sum([a, b, 2])", "a + b + 2"),
        ("(c := a) + b", "a + b"),
        ("int(2.7) * a", "2 * a"),
        ("-7 // 2 * a", "-4 * a"),
        ("a**2", "a**2"),
        ("+a", "a"),
    ],
)
def test_exact_forms(text: str, expected: str):
    found = lift(expression(text), leaf)
    assert not found.approximate
    assert render(found.value) == expected


@pytest.mark.parametrize(
    ("text", "kind", "direction", "width"),
    [
        ("a // b", "floor", "down", 1),
        ("math.floor(a)", "floor", "down", 1),
        ("math.ceil(a / b)", "ceil", "up", 1),
        ("int(a)", "truncate", "either", 2),
        ("round(a, 3)", "round", "either", Fraction(1, 1000)),
        ("round(a, -2)", "round", "either", 100),
        ("a >> 4", "floor", "down", 1),
    ],
)
def test_rounding_is_flagged_with_its_direction(text: str, kind: str, direction: str, width: int | Fraction):
    (step,) = lift(expression(text), leaf).roundings
    assert (step.kind, step.direction, step.high - step.low) == (kind, direction, width)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a if b else c", "conditional"),
        ("max(a, b)", "call of max"),
        ("a or b", "'or'"),
        ("a % b", "operator %"),
        ("f(a)", "without a name"),
        ("a ** b", "not a constant"),
        ("'x' + a", "without a name"),
        ("True + a", "without a name"),
        ("2 ** 100000", "too large"),
        ("1 << 10 ** 9", "too large"),
        ("round(a, 10**6)", "digits"),
        ("a / 0", "division by zero"),
    ],
)
def test_refusals_say_why(text: str, why: str):
    with pytest.raises(Unsupported, match=why):
        lift(expression(text), leaf)


def test_the_caller_may_name_anything_as_one_symbol():
    def whole(node: ir.Expr) -> str | None:
        return "limit" if isinstance(node, ir.Conditional) else leaf(node)

    assert lift(expression("a - (b if c else d)"), whole).value == name("a") - name("limit")


def test_the_caller_may_give_numbers_and_forms():
    known = {"a": Fraction(1, 2), "b": name("x") * number(3), "c": 4}

    def given(node: ir.Expr) -> object:
        return known[node.id] if isinstance(node, ir.Name) else None

    assert lift(expression("a + b + c"), given).value == name("x") * number(3) + number(Fraction(9, 2))  # type: ignore[arg-type]


def test_deep_nesting_is_refused_not_crashed():
    span = ir.Span(1, 1, 1, 2)
    deep: ir.Expr = ir.Name(span, "a")
    for _ in range(5000):
        deep = ir.Unary(span, "-", deep)
    with pytest.raises(Unsupported, match="too deep"):
        lift(deep, leaf)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["int", "round", "//", ">>"]),
    rational_in(("available", "total")),
    rational_in(("fraction",)),
    assignments,
)
def test_the_exact_value_lies_within_the_stated_rounding(how: str, inner: Formula, factor: Formula, values: Values):
    """result = value + (what multiplies the step) * error, and the error is within the stated bounds."""
    if how == "//":
        rounded = binary("//", inner, Formula("3", lambda v: Fraction(3)))
    elif how == ">>":
        rounded = Formula(f"({inner.text} >> 2)", lambda v: Fraction(math.floor(inner.compute(v) / 4)))
    else:
        rounded = call(how, inner)
    whole = binary("-", Formula("reserved", lambda v: v["reserved"]), binary("*", factor, rounded))
    try:
        expected, weight = whole.compute(values), -factor.compute(values)
        found = lift(expression(whole.text), by_text_of_names)
        difference = expected - found.value.evaluated(values)
    except (Unsupported, ZeroDivisionError):
        return
    if not found.roundings:
        assert difference == 0
        return
    (step,) = found.roundings
    low, high = sorted((weight * step.low, weight * step.high))
    assert low <= difference <= high


def by_text_of_names(node: ir.Expr) -> str | None:
    return by_text(node) if isinstance(node, ir.Name) else None
