"""Evaluation is exact and agrees with an independent computation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from domains.expressions import expression
from domains.formulas import Formula, Values, anything, assignments
from hypothesis import assume, given, settings

from sgmem.domains.algebra.evaluate import truth_of, value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.syntax import ir


def nothing(node: ir.Expr) -> Fraction | None:
    return None


@settings(max_examples=300, deadline=None)
@given(anything, assignments)
def test_agrees_with_an_independent_computation(formula: Formula, values: Values):
    try:
        expected = formula.compute(values)
    except ZeroDivisionError:
        assume(False)
    assert value_of(expression(formula.text), lambda n: values.get(n.id) if isinstance(n, ir.Name) else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("21.7 - 94 * (1 - 0.55)", "-20.6"),
        ("0.1 + 0.2", "0.3"),
        ("round(2.5)", "2"),
        ("round(0.8765, 3)", "0.876"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("int(-2.5)", "-2"),
        ("1 << 30", "1073741824"),
        ("1024**3", "1073741824"),
        ("1_000.5", "1000.5"),
        ("2 ** -2", "0.25"),
        ("0 or 5", "5"),
        ("3 and 4", "4"),
        ("1 if 2 > 1 > 0 else 0", "1"),
        ("1 if not 0 else 2", "1"),
        ("sum((1, 2, 3))", "6"),
        ("6 & 3 | 8 ^ 1", "11"),
    ],
)
def test_exact_values(text: str, expected: str):
    assert value_of(expression(text), nothing) == Fraction(expected)


@pytest.mark.parametrize("text", ["a + 1", "1 / 0", "5 % 0", "'x'", "2 ** 0.5", "1 << -1", "10 ** 10 ** 10", "1.5 << 2"])
def test_what_has_no_number_is_refused(text: str):
    with pytest.raises(Unsupported):
        value_of(expression(text), nothing)


@pytest.mark.parametrize("text", ["1 in (1, 2)", "a is None", "1 < a"])
def test_conditions_that_cannot_be_told_are_refused(text: str):
    with pytest.raises(Unsupported):
        truth_of(expression(text), nothing)


def test_an_untaken_side_is_not_evaluated():
    assert value_of(expression("0 if 1 else 1 / 0"), nothing) == 0
