"""The scorer itself: it must be able to say no."""

from __future__ import annotations

from typing import Any

import pytest
from releases import scoring

from sgmem.queries.results.trace import AfterConstruction, Flow, Formula, FormulaInput, Negative, Site, SourceInfo, Trace

FACTS = scoring.Facts(
    release="0",
    parameter="budget",
    known=[
        {"role": "write", "at": "sglang/srt/a.py:10-12", "kind": "auto"},
        {"role": "read", "at": "sglang/srt/a.py:20"},
    ],
    formula="sglang/srt/a.py:30-31",
    measured=[{"input": "free", "at": "sglang/srt/a.py:40"}],
    after=[{"slot": "Runner.budget", "verdict": "some", "at": "sglang/srt/a.py:50"}],
    negative={"possible": True, "guard": "sglang/srt/a.py:60"},
    tolerated=["sglang/srt/a.py:70"],
)


def site(name: str, role: str, line: int, end_line: int | None = None) -> Site:
    return Site(
        id=name, role=role, path="sglang/srt/a.py", uri="a.py", line=line, column=1, end_line=end_line or line,
        end_column=2, symbol="f", code="x", when=(), slot="a:Config.budget", derived=False, confidence="high",
    )  # fmt: skip


def good() -> dict[str, Any]:
    formula = Formula(
        site="f", target="rest", text="free - budget", unit=None, inputs=(FormulaInput("self.free", "m"),),
        negative=Negative("yes"), guard="g",
    )  # fmt: skip
    return {
        "sites": (
            site("w", "write", 11),
            site("r", "pass", 20),
            site("f", "formula", 30),
            site("m", "measurement", 40),
            site("s", "store", 50),
            site("g", "guard", 60),
        ),
        "flows": (Flow("w", "r", "assign", "high"), Flow("r", "f", "operand", "high")),
        "formulas": (formula,),
        "after_construction": (AfterConstruction("a:Runner.budget", "some", ("s",)),),
    }


def traced(**changed: Any) -> Trace:
    return Trace(parameter="budget", source=SourceInfo("r", None, 1, 1), unresolved=(), **{**good(), **changed})


def test_a_trace_that_says_everything_scores_full() -> None:
    seen = [one for one in good()["sites"] if one.id != "s"]
    result = traced(sites=(*seen, site("s", "store", 70)))
    assert scoring.recall(FACTS, result) == 1
    assert scoring.precision(FACTS, result) == 1


def test_other_columns_of_a_good_trace() -> None:
    result = traced()
    assert scoring.kv_formulas(FACTS, result)
    assert not scoring.inputs_without_birth(FACTS, result)
    assert not scoring.writes_without_way(FACTS, result)
    assert not scoring.unsaid_about_construction(FACTS, result)
    assert not scoring.unnamed_guard(FACTS, result)


def test_a_missing_place_and_a_wrong_role_are_misses() -> None:
    result = traced(sites=(site("w", "read", 11), site("f", "formula", 30)), formulas=(), after_construction=())
    assert scoring.missed(FACTS, result) == ["write sglang/srt/a.py:10-12", "read sglang/srt/a.py:20"]


def test_a_site_as_long_as_a_file_covers_only_its_beginning() -> None:
    whole_file = site("w", "write", 1, 4000)
    assert scoring.Place.parse("sglang/srt/a.py:41").met_by(whole_file)
    assert not scoring.Place.parse("sglang/srt/a.py:42").met_by(whole_file)


def test_a_site_where_nobody_saw_the_parameter_costs_precision() -> None:
    assert scoring.unknown(FACTS, traced()) == ["store sglang/srt/a.py:50 x"]
    assert scoring.precision(FACTS, traced()) == pytest.approx(2 / 3)


def test_a_broken_flow_leaves_the_write_without_way() -> None:
    assert scoring.writes_without_way(FACTS, traced(flows=())) == ["sglang/srt/a.py:10-12"]


def test_an_input_of_another_name_is_not_born() -> None:
    formula = Formula(site="f", target="rest", text="", unit=None, inputs=(FormulaInput("total", "m"),), negative=Negative("yes"))
    assert scoring.inputs_without_birth(FACTS, traced(formulas=(formula,)))
    assert scoring.unnamed_guard(FACTS, traced(formulas=(formula,)))


def test_a_verdict_without_its_site_is_not_said() -> None:
    verdict = AfterConstruction("a:Runner.budget", "some", ("w",))
    assert scoring.unsaid_about_construction(FACTS, traced(after_construction=(verdict,)))
