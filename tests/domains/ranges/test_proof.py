"""Proofs and intervals are sound: what is called never negative is not negative at any allowed numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from domains.expressions import by_text, expression
from domains.formulas import NAMES, Formula, anything, rational
from hypothesis import given, settings
from hypothesis import strategies as st

from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.algebra.lift import lift
from sgmem.domains.ranges.facts import Fact, Facts, LazyFacts, at_most
from sgmem.domains.ranges.intervals import Interval, interval_of
from sgmem.domains.ranges.proof import never_negative, sign_of

ZERO, ONE = Fraction(0), Fraction(1)
AMOUNT, SHARE, ANY = Fact(low=ZERO), Fact(low=ZERO, high=ONE), Fact()
FACTS = Facts(
    {"free": AMOUNT, "total": AMOUNT, "count": Fact(low=ONE), "share": SHARE, "fraction": ANY},
    (at_most("free", "total"),),
)


def test_facts_are_looked_for_when_they_are_asked_for() -> None:
    asked: list[str] = []

    def find(name: str) -> Fact:
        asked.append(name)
        return {"free": AMOUNT, "fraction": ANY}[name]

    facts = Facts(LazyFacts(("free", "fraction"), find)).extended({"fraction": SHARE}).as_usual()
    assert not asked
    assert never_negative(lift(expression("free"), by_text).exact, facts)
    assert facts.fact("fraction").high == ONE
    assert facts.fact("other") == ANY
    assert asked == ["free"]
    assert len(facts.of) == 2


bounds = st.one_of(st.none(), st.integers(-3, 3))


@st.composite
def facts_and_values(draw: st.DrawFn) -> tuple[Facts, dict[str, Fraction]]:
    """Random bounds for every name, and numbers within them."""
    facts, values = {}, {}
    for name in NAMES:
        low, high = draw(bounds), draw(bounds)
        if low is not None and high is not None and low > high:
            low, high = high, low
        facts[name] = Fact(None if low is None else Fraction(low), None if high is None else Fraction(high))
        start = low if low is not None else (high - 9 if high is not None else -9)
        end = high if high is not None else start + 18
        values[name] = draw(st.fractions(start, end, max_denominator=8))
    return Facts(facts), values


@settings(max_examples=400)
@given(rational, facts_and_values())
def test_a_proof_is_never_wrong(formula: Formula, drawn: tuple[Facts, dict[str, Fraction]]):
    facts, values = drawn
    try:
        value = lift(expression(formula.text), by_text).exact
        result = formula.compute(values)
    except (Unsupported, ZeroDivisionError):
        return
    if never_negative(value, facts):
        assert result >= 0


@settings(max_examples=400)
@given(anything, facts_and_values())
def test_an_interval_holds_every_value(formula: Formula, drawn: tuple[Facts, dict[str, Fraction]]):
    facts, values = drawn

    def names(node):
        text = by_text(node)
        return text if text in NAMES else None

    found = interval_of(expression(formula.text), names, facts)
    try:
        result = formula.compute(values)
    except ZeroDivisionError:
        return
    assert found.low is None or found.low <= result
    assert found.high is None or result <= found.high


@pytest.mark.parametrize(
    "text",
    [
        "free",
        "free + total",
        "free * count",
        "free / count",
        "total - free",
        "(total - free) / total",
        "2 * total - free",
        "total - free * share",
        "total * (1 - share)",
        "count - 1",
        "free * count - free",
        "total - free + count - 1",
        "(total - free) * count",
        "free * free",
    ],
)
def test_what_can_be_proved(text: str):
    assert never_negative(lift(expression(text), by_text).exact, FACTS)


@pytest.mark.parametrize(
    "text",
    [
        "fraction",
        "free - total",
        "free - 1",
        "1 - fraction",
        "total * (1 - fraction)",
        "free - count",
        "share * (1 - share)",
        "1 / fraction",
        "-count",
    ],
)
def test_what_is_not_proved(text: str):
    assert not never_negative(lift(expression(text), by_text).exact, FACTS)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("free", 1),
        ("-free", -1),
        ("free - free", 0),
        ("3", 1),
        ("-3", -1),
        ("free - count", None),
        ("free - total", -1),
    ],
)
def test_signs(text: str, sign: int | None):
    assert sign_of(lift(expression(text), by_text).value.numerator, FACTS) == sign


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("max(0, fraction)", 0, None),
        ("min(free, 5)", 0, 5),
        ("share * 10 - 3", -3, 7),
        ("free % count", 0, None),
        ("5 % 3", 2, 2),
        ("abs(fraction)", 0, None),
        ("1 if fraction else -1", -1, 1),
        ("free // count", 0, None),
        ("int(share * 2.5)", 0, 2),
        ("1 / count", 0, 1),
        ("free or -1", -1, None),
        ("free > 0", 0, 1),
        ("unknown(free)", None, None),
        ("round(free)", 0, None),
        ("-count", None, -1),
        ("sum([share, share])", 0, 2),
    ],
)
def test_intervals(text: str, low: int | None, high: int | None):
    def symbol(node):
        text = by_text(node)
        return text if text in FACTS.of else None

    assert interval_of(expression(text), symbol, FACTS) == Interval(
        None if low is None else Fraction(low), None if high is None else Fraction(high)
    )
