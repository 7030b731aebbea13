"""Printed numbers and what their uncertainty makes of a formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
from domains.algebra.test_forms import lifted
from domains.expressions import by_text, expression
from domains.formulas import Formula, Values, assignments, linear
from hypothesis import given, settings

from sgmem.domains.algebra.forms import Unsupported, name
from sgmem.domains.algebra.lift import lift
from sgmem.domains.algebra.solve import solve
from sgmem.domains.ranges.observed import as_printed, range_over


def test_the_golden_range_of_the_fraction():
    formula = lift(expression("available - total * (1 - fraction)"), by_text).value
    inverse = solve(formula, "fraction", name("rest"))
    inputs = {"available": as_printed("21.7"), "total": as_printed("94"), "rest": as_printed("10.42")}
    low, high = range_over(inverse, inputs)
    assert (round(low, 4), round(high, 4)) == (Fraction("0.8794"), Fraction("0.8806"))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("10.42", "10.415", "10.425"),
        ("94", "94", "94"),
        ("94.0", "93.95", "94.05"),
        ("-20.6", "-20.65", "-20.55"),
        ("1.5e3", "1450", "1550"),
    ],
)
def test_what_a_printed_number_stands_for(text: str, low: str, high: str):
    assert as_printed(text) == (Fraction(low), Fraction(high))


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "0x10"])
def test_text_that_is_no_number_is_refused(text: str):
    with pytest.raises(ValueError, match="Invalid literal"):
        as_printed(text)


@settings(max_examples=200)
@given(linear, assignments, assignments)
def test_every_value_lies_in_the_range(formula: Formula, center: Values, inside: Values):
    inputs = {symbol: (center[symbol] - 1, center[symbol] + 1) for symbol in center}
    point = {symbol: center[symbol] + inside[symbol] / 200 for symbol in center}
    try:
        low, high = range_over(lifted(formula.text), inputs)
        value = formula.compute(point)
    except (Unsupported, ZeroDivisionError):
        return
    assert low <= value <= high


@pytest.mark.parametrize(("text", "why"), [("1 / total", "may be zero"), ("total * total", "not linear")])
def test_where_the_ends_do_not_bound_the_middle(text: str, why: str):
    with pytest.raises(Unsupported, match=why):
        range_over(lifted(text), {"total": (Fraction(-1), Fraction(1))})
