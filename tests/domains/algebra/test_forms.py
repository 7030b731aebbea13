"""The algebra agrees with sympy and with plain arithmetic on random formulas."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from domains.expressions import by_text, expression
from domains.formulas import NAMES, Formula, Values, assignments, numbers, rational
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgmem.domains.algebra.forms import MAX_TERMS, Ratio, Unsupported, collect, divided, name, name_form, number, ratio
from sgmem.domains.algebra.lift import lift

GOLDEN = "available - total * (1 - fraction)"
SYMBOLS = {name: sympy.Symbol(name) for name in NAMES}


def lifted(text: str) -> Ratio:
    return lift(expression(text), by_text).value


def sympy_of(formula: Formula) -> sympy.Expr:
    return sympy.sympify(formula.text.replace("(1 << 30)", "1073741824"), locals=SYMBOLS, rational=True)


def sympy_ratio(value: Ratio) -> sympy.Expr:
    def form(terms):
        return sum(
            (sympy.Rational(c.numerator, c.denominator) * sympy.prod(SYMBOLS[n] for n in monomial) for monomial, c in terms),
            sympy.Integer(0),
        )

    return form(value.numerator.terms) / form(value.denominator.terms)


def lift_or_skip(formula: Formula) -> Ratio:
    try:
        return lifted(formula.text)
    except Unsupported as error:
        assume(error.reason != "division by zero")
        raise


def test_golden_formula_is_exact():
    values = {"available": Fraction("21.7"), "total": Fraction(94), "fraction": Fraction("0.55")}
    assert lifted(GOLDEN).evaluated(values) == Fraction("-20.6")


@settings(max_examples=150, deadline=None)
@given(rational)
def test_lifting_agrees_with_sympy(formula: Formula):
    value = lift_or_skip(formula)
    assert sympy.simplify(sympy_ratio(value) - sympy_of(formula)) == 0


@settings(max_examples=300, deadline=None)
@given(rational, assignments)
def test_evaluation_agrees_with_plain_arithmetic(formula: Formula, values: Values):
    value = lift_or_skip(formula)
    try:
        expected = formula.compute(values)
    except ZeroDivisionError:
        assume(False)
    assert value.evaluated(values) == expected


@settings(max_examples=200, deadline=None)
@given(rational, rational, assignments)
def test_substitution_then_evaluation_is_evaluation(outer: Formula, inner: Formula, values: Values):
    whole, part = lift_or_skip(outer), lift_or_skip(inner)
    try:
        inner_value = part.evaluated(values)
        expected = whole.evaluated({**values, "total": inner_value})
        result = whole.substituted({"total": part}).evaluated(values)
    except Unsupported as error:
        assume(error.reason not in ("division by zero", "the formula has too many terms"))
        raise
    assert result == expected


@settings(deadline=None)
@given(rational, assignments)
def test_numbers_for_some_names_are_a_substitution(formula: Formula, values: Values):
    whole = lift_or_skip(formula)
    some = dict(list(values.items())[::2])
    try:
        assert whole.at(some) == whole.substituted(some)
    except Unsupported as error:
        assume(error.reason not in ("division by zero", "the formula has too many terms"))
        raise


@settings(max_examples=200, deadline=None)
@given(rational, rational)
def test_equality_is_that_of_rational_functions(left: Formula, right: Formula):
    same = lift_or_skip(left) == lift_or_skip(right)
    assert same == (sympy.simplify(sympy_of(left) - sympy_of(right)) == 0)


@given(assignments)
def test_ring_laws_hold(values: Values):
    a, b, c = name("available"), name("total"), name("reserved") - number(3)
    assert (a + b) + c == a + (b + c)
    assert a * b == b * a
    assert a * (b + c) == a * b + a * c
    assert (a - a) == number(0)
    assert ((a * c) / c) == a
    assert (a * (b + c)).evaluated(values) == values["available"] * (values["total"] + values["reserved"] - 3)


def test_common_factors_cancel():
    assert lifted("(total * total - reserved * reserved) / (total - reserved)").denominator.constant == 1
    assert lifted("(total - reserved) / ((total - reserved) * available)") == lifted("1 / available")
    assert lifted("total * available / (total * reserved)").symbols == ("available", "reserved")


def test_exact_division_refuses_a_remainder():
    total, one = name_form("total"), collect([((), Fraction(1))])
    assert divided(total * total, total) == total
    assert divided(total * total - one, total) is None


@pytest.mark.parametrize("text", ["available / 0", "available / (total - total)", "total / (7 % 7)"])
def test_division_by_zero_is_refused(text: str):
    with pytest.raises(Unsupported, match="division by zero"):
        lifted(text)


def test_evaluation_where_the_denominator_vanishes_is_refused():
    with pytest.raises(Unsupported, match="division by zero"):
        lifted("available / total").evaluated({"available": Fraction(1), "total": Fraction(0)})


def test_an_exploding_product_is_refused_instead_of_computed():
    total = number(1)
    with pytest.raises(Unsupported):
        for index in range(MAX_TERMS):
            total = total * (name(f"a{index}") + name(f"b{index}"))


def test_a_huge_number_is_refused():
    with pytest.raises(Unsupported):
        ratio(collect([((), Fraction(1 << 10_000))]), number(1).numerator)


@given(st.lists(numbers, min_size=1, max_size=6))
def test_constants_fold_to_one_number(values: list[Fraction]):
    total = number(0)
    for value in values:
        total = total + number(value)
    assert total.constant == sum(values)
