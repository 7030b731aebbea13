"""`trace mem_fraction_static` on published releases against what was read in them by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from releases import scoring

from sgmem.queries.options import TraceOptions
from sgmem.queries.results.trace import Trace
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

ENOUGH = 0.97

ReleaseGetter = Callable[[str], SourceTree]
Traced = tuple[scoring.Facts, Trace]


@pytest.fixture(scope="module")
def traced(release: ReleaseGetter) -> Callable[[str], Traced]:
    @cache
    def run(version: str) -> Traced:
        facts = scoring.Facts.load(version)
        return facts, trace(release(version), facts.parameter, TraceOptions())

    return run


every_release = pytest.mark.parametrize("version", scoring.releases())


@every_release
def test_known_places_are_named(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert scoring.recall(facts, result) >= ENOUGH, "\n".join(scoring.missed(facts, result))


@every_release
def test_nothing_else_is_called_the_parameter(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert scoring.precision(facts, result) >= ENOUGH, "\n".join(scoring.unknown(facts, result))


@every_release
def test_the_kv_formula_is_found(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert scoring.kv_formulas(facts, result)
    assert len(result.formulas) <= scoring.MOST_FORMULAS


@every_release
def test_measured_inputs_are_followed_to_their_birth(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert not scoring.inputs_without_birth(facts, result)


@every_release
def test_deciding_writes_reach_the_kv_formula(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert not scoring.writes_without_way(facts, result)


@every_release
def test_writes_after_construction_are_told(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert not scoring.unsaid_about_construction(facts, result)


@every_release
def test_the_kv_formula_can_be_negative(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    verdicts = {formula.negative.verdict for formula in scoring.kv_formulas(facts, result)}
    assert ("yes" in verdicts) == facts.negative["possible"]


@every_release
def test_the_guard_of_the_kv_formula_is_named(version: str, traced: Callable[[str], Traced]) -> None:
    facts, result = traced(version)
    assert not scoring.unnamed_guard(facts, result)
