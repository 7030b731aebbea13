from __future__ import annotations

from fractions import Fraction

import pytest
from queries.explained import BUDGET, asked

from sgmem.config.errors import UsageError
from sgmem.queries.explain.given import all_given, parse_given
from sgmem.report.json import render_explain_json


@pytest.mark.parametrize(
    "text", ["x=1e400", "x=1e-400", "x=1e999999999", "x=" + "9" * 10_000, "x=0." + "0" * 60 + "1", "x=1e99999999999"]
)
def test_numbers_without_measure_are_refused_before_they_cost_anything(text: str) -> None:
    with pytest.raises(UsageError, match="no amount") as caught:
        parse_given(text, exact=False)
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(("text", "value"), [("x=1e18", 10**18), ("x=-2.5e3", -2500), ("x=1_000", 1000), ("x=8,192", 8192)])
def test_large_and_grouped_numbers_are_read(text: str, value: int) -> None:
    assert parse_given(text, exact=True).value == Fraction(value)


def test_two_values_for_one_name_are_refused_however_it_is_spelled() -> None:
    with pytest.raises(UsageError, match="set twice"):
        all_given(["--page-size=1", "page_size=2"], exact=False)
    assert list(all_given(["page_size=1", "page_size=1", "other=2"], exact=False)) == ["page_size", "other"]


def test_a_result_beyond_64_bits_is_written_as_a_float() -> None:
    result = asked(BUDGET, "rest", "share=1", "free=1e25", "total=1e25")
    assert result.result.value == 1e25
    assert '"value": 1e25' in render_explain_json(result)
