"""What is computed in fewer steps is followed first; where there are many sites already, the rest is left out and told."""

from __future__ import annotations

from flow.small import MAIN, slice_lines, sliced, told

from sgmem.flow.frontier import Budget

SOURCE = """\
def start(budget):
    half = budget / 2
    show(half)
    quarter = half / 2
    show(quarter)
    name = budget
    other = name
    show(other)
"""


def lines(sites: int | None) -> set[int]:
    return {line for path, line in slice_lines(sliced(SOURCE, "start.budget", budget=Budget(sites=sites))) if path == MAIN}


def test_without_many_sites_everything_is_followed() -> None:
    assert lines(None) == lines(1000) == {1, 2, 3, 4, 5, 6, 7, 8}


def test_the_value_itself_is_followed_before_what_is_computed_from_it() -> None:
    assert lines(1) == {1, 2, 6, 7, 8}, "a formula of the value itself is listed, its result is not followed"


def test_what_is_computed_in_one_step_comes_before_what_is_computed_in_two() -> None:
    assert lines(9) == {1, 2, 3, 4, 6, 7, 8}


def test_what_is_left_out_is_told_once_and_where_it_begins() -> None:
    slicer = sliced(SOURCE, "start.budget", budget=Budget(sites=1))
    slicer.run()
    assert told(slicer) == ["what is computed from the parameter is not followed from here on: the nearer places are many already"]
    assert (MAIN, 2, told(slicer)[0]) in slicer.slice.unresolved
    nearly = sliced(SOURCE, "start.budget", budget=Budget(sites=9))
    assert told(nearly) == ["what is computed in 2 steps or more is not followed from here on: the nearer places are many already"]
