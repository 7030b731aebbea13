"""Units: spelling, scales, and the laws of their algebra."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgmem.domains.units.unit import BASE, BYTES, FRACTION, GIB, NUMBER, Unit, UnitError, parse_unit

SPELLED = [
    "bytes",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "KB",
    "MB",
    "GB",
    "TB",
    "tokens",
    "pages",
    "slots",
    "requests",
    "layers",
    "heads",
    "ranks",
    "elements",
    "seconds",
    "ms",
    "us",
    "fraction",
    "number",
    "bytes/token",
    "bytes/element",
    "tokens/page",
    "GiB/second",
    "bytes/token/layer",
    "bytes/request",
    "1/second",
    "bytes**2",
]

exact_units = st.builds(
    lambda powers, scale: Unit(tuple((d, powers[d]) for d in BASE if powers.get(d)), scale),
    st.dictionaries(st.sampled_from(BASE), st.integers(-2, 2), max_size=3),
    st.sampled_from([Fraction(1), Fraction(1024), Fraction(1 << 30), Fraction(10**9), Fraction(1, 1000)]),
)


@pytest.mark.parametrize("text", SPELLED)
def test_what_is_read_is_written_the_same(text: str):
    assert str(parse_unit(text)) == text


@pytest.mark.parametrize(
    "text", ["", "GiBs", "memory", "bytes/", "/token", "bytes token", "GiB/capacity", "tokens**x", "fraction/token"]
)
def test_what_is_no_unit_is_refused(text: str):
    with pytest.raises(UnitError):
        parse_unit(text)


@pytest.mark.parametrize(
    ("text", "scale"), [("GiB", 2**30), ("GB", 10**9), ("MiB", 2**20), ("ms", Fraction(1, 1000)), ("KiB/token", 1024)]
)
def test_scales_are_exact(text: str, scale: int | Fraction):
    assert parse_unit(text).scale == scale


@given(exact_units, exact_units, exact_units)
def test_units_form_a_commutative_group(a: Unit, b: Unit, c: Unit):
    def same(x: Unit, y: Unit) -> bool:
        return (x.powers, x.scale) == (y.powers, y.scale)

    assert same(a * b, b * a)
    assert same((a * b) * c, a * (b * c))
    assert same(a * NUMBER, a)
    assert same((a * b) / b, a)
    assert (a / a).dimensionless and (a / a).scale == 1


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        ("GiB", "*", "fraction", "GiB"),
        ("GiB", "/", "GiB", "fraction"),
        ("GiB", "/", "MiB", "fraction x 1024"),
        ("bytes", "/", "bytes/token", "tokens"),
        ("tokens", "*", "bytes/token", "bytes"),
        ("tokens", "/", "tokens/page", "pages"),
        ("pages", "*", "tokens/page", "tokens"),
        ("bytes/element", "*", "elements", "bytes"),
        ("fraction", "*", "fraction", "fraction"),
        ("fraction", "/", "fraction", "number"),
        ("number", "*", "tokens", "tokens"),
        ("bytes/token/layer", "*", "layers", "bytes/token"),
    ],
)
def test_products_and_quotients(left: str, operator: str, right: str, expected: str):
    a, b = parse_unit(left), parse_unit(right)
    assert str(a * b if operator == "*" else a / b) == expected


@pytest.mark.parametrize(
    ("unit", "factor", "expected"),
    [
        ("GiB", Fraction(1 << 30), "bytes"),
        ("bytes", Fraction(1, 1 << 30), "GiB"),
        ("MiB", Fraction(1024), "KiB"),
        ("MiB", Fraction(1, 1024), "GiB"),
        ("bytes", Fraction(1, 10**9), "GB"),
        ("GB", Fraction(10**9), "bytes"),
        ("GB?", Fraction(10**9), "bytes"),
        ("GB?", Fraction(1 << 30), "bytes"),
        ("GB?", Fraction(1024), "MiB"),
        ("GiB", Fraction(10**9), None),
        ("bytes", Fraction(1024), None),
        ("GiB", Fraction(2), None),
    ],
)
def test_conversions_are_exact_or_none(unit: str, factor: Fraction, expected: str | None):
    converted = parse_unit(unit).scaled_by(factor)
    assert (None if converted is None else str(converted)) == expected


@pytest.mark.parametrize(
    ("left", "right", "agree"),
    [
        ("GiB", "GiB", True),
        ("GiB", "GB", False),
        ("GiB", "MiB", False),
        ("GB?", "GiB", True),
        ("GB?", "GB", True),
        ("GB?", "MiB", False),
        ("GB?", "MB?", False),
        ("MB?", "MiB", True),
        ("bytes", "tokens", False),
        ("bytes/token", "bytes", False),
    ],
)
def test_agreement_allows_for_loose_spellings(left: str, right: str, agree: bool):
    assert parse_unit(left).agrees(parse_unit(right)) is agree
    assert parse_unit(right).agrees(parse_unit(left)) is agree


def test_scopes_survive_where_they_are_unambiguous():
    rank, machine = parse_unit("GiB", "this rank"), parse_unit("GiB", "the whole machine")
    assert (rank * FRACTION).scope == "this rank"
    assert (rank / machine).scope is None
    assert (rank / parse_unit("ranks")).scope == "this rank"


@pytest.mark.parametrize(
    ("unit", "amount", "count"),
    [
        (GIB, True, False),
        (BYTES, True, False),
        (parse_unit("tokens"), False, True),
        (parse_unit("bytes/token"), False, False),
        (NUMBER, False, False),
        (FRACTION, False, False),
        (parse_unit("seconds"), False, False),
    ],
)
def test_kinds(unit: Unit, amount: bool, count: bool):
    assert (unit.is_amount, unit.is_count) == (amount, count)
