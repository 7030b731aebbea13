"""Tests that the inputs do not decide, alone and in combination."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from queries.explained import asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.queries.results.explain import Explain

COMBINED = """
    def f(model):
        size = 1
        if {test}:
            size = 2
        return size * 10
"""


def told(source: str, *given: str) -> Explain:
    return asked(source, "f", *given)


TESTS: dict[str, Callable[[bool, bool], bool]] = {
    "model.a and model.b": lambda a, b: a and b,
    "model.a or model.b": lambda a, b: a or b,
    "not model.a and model.b": lambda a, b: not a and b,
    "not (model.a or model.b)": lambda a, b: not (a or b),
}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(("a", "b"), list(itertools.product([None, False, True], repeat=2)))
def test_a_combination_is_decided_exactly_where_what_is_known_decides_it(test: str, a: bool | None, b: bool | None) -> None:
    given = [f"{name}={'true' if known else 'false'}" for name, known in (("a", a), ("b", b)) if known is not None]
    found = told(COMBINED.replace("{test}", test), *given)
    ways = [[one] if one is not None else [False, True] for one in (a, b)]
    outcomes = {20 if TESTS[test](one, other) else 10 for one, other in itertools.product(*ways)}
    assert found.result.value in outcomes
    assert bool(found.assumptions) == (len(outcomes) == 2)
    if found.assumptions:
        assert {found.result.value, found.assumptions[0].otherwise} == {10, 20}


def test_one_assumption_holds_for_every_test_that_hangs_on_it() -> None:
    source = """
        def f(model, n):
            size = n
            if model.wide is not None:
                size = size + 1
            if model.wide is None:
                size = size + 10
            if model.wide is not None and n > 3:
                size = size + 100
            return size * 1
    """
    found = told(source, "n=5")
    assert found.result.value == 15
    assert [(row.text, row.holds, row.otherwise) for row in found.assumptions] == [("wide is not None", False, 106)]


def test_a_combination_that_is_assumed_settles_its_parts() -> None:
    source = """
        def f(model):
            size = 1
            if model.a or model.b:
                size = 2
            if model.b:
                size = size + 10
            return size * 1
    """
    found = told(source)
    assert found.result.value == 1
    assert (found.assumptions[0].text, found.assumptions[0].otherwise) == ("a or b", 2)
    assert told(source, "b=true").result.value == 12


def test_an_object_that_ends_a_combination_decides_a_test_as_python_does() -> None:
    source = """
        def f(model, n):
            size = 1
            if model.a and n:
                size = 2
            if model.a or n:
                size = size + 10
            return size * 1
    """
    assert told(source, "n=0").result.value == 1
    assert told(source, "n=3").result.value == 11
    found = told(source, "n=3")
    assert [(row.text, row.holds, row.otherwise) for row in found.assumptions] == [("a", False, 12)]
