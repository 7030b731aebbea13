"""Thresholds, inverses and derivatives, against numbers and against sympy."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from domains.algebra.test_forms import SYMBOLS, lift_or_skip, lifted, sympy_of, sympy_ratio
from domains.expressions import by_text, expression
from domains.formulas import Formula, Values, assignments, linear, numbers, rational, rational_in
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgmem.domains.algebra.forms import Ratio, Unsupported, number
from sgmem.domains.algebra.lift import lift
from sgmem.domains.algebra.render import render
from sgmem.domains.algebra.solve import derivative, derivative_sign, negative_when, solve
from sgmem.domains.ranges.facts import Fact, Facts
from sgmem.domains.ranges.proof import signs

GOLDEN = lift(expression("available - total * (1 - fraction)"), by_text).value
POSITIVE = Facts({name: Fact(low=Fraction(0)) for name in ("available", "total", "reserved")})


def test_the_observed_budget_gives_the_fallback_fraction():
    inverse = solve(GOLDEN, "fraction", number(Fraction("10.42")))
    assert inverse.evaluated({"available": Fraction("21.7"), "total": Fraction(94)}) == Fraction("0.88")


def test_the_threshold_is_written_in_the_names_of_the_formula():
    threshold = negative_when(GOLDEN, "fraction", signs(POSITIVE))
    assert threshold is not None
    assert threshold.text == "fraction < 1 - available / total"


@pytest.mark.parametrize(
    ("text", "symbol", "expected"),
    [
        ("available - reserved", "reserved", "reserved > available"),
        ("available - reserved", "available", "available < reserved"),
        ("(total - reserved) / total", "reserved", "reserved > total"),
        ("available - reserved / (1 << 30)", "reserved", "reserved > 2**30 * available"),
        ("-available + reserved * 2", "reserved", "reserved < 0.5 * available"),
        ("available - 3 * reserved", "reserved", "reserved < available / 3".replace("<", ">")),
    ],
)
def test_thresholds(text: str, symbol: str, expected: str):
    threshold = negative_when(lifted(text), symbol, signs(POSITIVE))
    assert threshold is not None
    assert threshold.text == expected


def test_no_threshold_where_the_sign_of_the_coefficient_is_open():
    # total * (1 - fraction) grows or falls with total, depending on a fraction that nothing bounds.
    assert negative_when(GOLDEN, "total", signs(POSITIVE)) is None


@settings(max_examples=200, deadline=None)
@given(linear, assignments, numbers)
def test_solving_and_putting_back_gives_the_goal(formula: Formula, values: Values, goal: Fraction):
    value = lifted_or_none(formula.text)
    others = {name: number for name, number in values.items() if name != "fraction"}
    try:
        assume(value is not None)
        assert value is not None
        root = solve(value, "fraction", number(goal)).evaluated(others)
        reached = value.evaluated({**others, "fraction": root})
    except Unsupported:
        return
    assert reached == goal


@settings(max_examples=60, deadline=None)
@given(linear)
def test_solving_agrees_with_sympy(formula: Formula):
    value = lifted_or_none(formula.text)
    if value is None or value.numerator.degree("fraction") != 1:
        return
    inverse = solve(value, "fraction")
    roots = sympy.solve(sympy.numer(sympy.together(sympy_of(formula))), SYMBOLS["fraction"])
    assert any(sympy.simplify(root - sympy_ratio(inverse)) == 0 for root in roots)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["available", "-total", "(available + reserved)", "-3", "available * total", "0.5"]),
    rational_in(("available", "total", "reserved")),
    st.sampled_from(["1", "total", "-reserved", "(total + 1)", "(-2)"]),
    assignments,
)
def test_threshold_separates_negative_from_not_negative(slope: str, rest: Formula, bottom: str, values: Values):
    value = lifted_or_none(f"({slope} * fraction + {rest.text}) / {bottom}")
    assume(value is not None and value.numerator.degree("fraction") == 1 and value.denominator.degree("fraction") == 0)
    assert value is not None
    positive = {name: abs(number) + 1 for name, number in values.items()} | {"fraction": values["fraction"]}
    threshold = negative_when(value, "fraction", signs(POSITIVE))
    if threshold is None:
        return
    try:
        bound, result = threshold.bound.evaluated(positive), value.evaluated(positive)
    except Unsupported:
        assume(False)
    beyond = positive["fraction"] < bound if threshold.relation == "<" else positive["fraction"] > bound
    assert beyond == (result < 0)


def lifted_or_none(text: str) -> Ratio | None:
    try:
        return lifted(text)
    except Unsupported:
        return None


@settings(max_examples=150, deadline=None)
@given(rational)
def test_derivative_agrees_with_sympy(formula: Formula):
    value = lift_or_skip(formula)
    assert sympy.simplify(sympy_ratio(derivative(value, "total")) - sympy.diff(sympy_of(formula), SYMBOLS["total"])) == 0


def test_derivative_signs_of_the_golden_formula():
    known = signs(POSITIVE)
    assert derivative_sign(GOLDEN, "fraction", known) == 1
    assert derivative_sign(GOLDEN, "available", known) == 1
    assert derivative_sign(GOLDEN, "total", known) is None
    assert derivative_sign(GOLDEN, "reserved", known) == 0


@pytest.mark.parametrize(("text", "why"), [("total * total", "not linear"), ("available", "does not depend")])
def test_solving_says_why_it_cannot(text: str, why: str):
    with pytest.raises(Unsupported, match=why):
        solve(lifted(text), "total")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 - available / total", "1 - available / total"),
        ("-available + total", "total - available"),
        ("available / (total - reserved)", "available / (total - reserved)"),
        ("(available + 1) / (total - reserved)", "(available + 1) / (total - reserved)"),
        ("available * 0.25", "0.25 * available"),
        ("available / 3", "available / 3"),
        ("available * 2 / 3 / total", "2 * available / (total * 3)"),
        ("available * (1 << 30)", "2**30 * available"),
        ("20 * 1024 * 1024 * 1024", "20 * 2**30"),
        ("total * total - 2048", "total**2 - 2048"),
        ("available - available", "0"),
        ("-available", "-available"),
    ],
)
def test_rendering(text: str, expected: str):
    assert render(lifted(text)) == expected


@settings(max_examples=200, deadline=None)
@given(rational, assignments)
def test_rendered_text_means_the_same(formula: Formula, values: Values):
    value = lift_or_skip(formula)
    again = lift(expression(render(value)), by_text).value
    assert again == value
