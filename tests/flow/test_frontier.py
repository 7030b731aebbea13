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


KEPT = """\
class Plan:
    def start(self, budget):
        self.limit = budget
        show(self.limit)
        self.further = self.limit
        show(self.further)
"""


def test_a_field_of_another_name_is_a_step_too() -> None:
    def reached(sites: int | None) -> set[int]:
        slicer = sliced(KEPT, "start.budget", budget=Budget(sites=sites))
        return {line for path, line in slice_lines(slicer) if path == MAIN}

    assert reached(None) == {2, 3, 4, 5, 6}
    assert reached(1) == {2, 3}
    assert reached(3) == {2, 3, 4, 5}, "for what is one step away there is twice the room"


def test_what_is_left_out_is_told_once_and_where_it_begins() -> None:
    slicer = sliced(SOURCE, "start.budget", budget=Budget(sites=1))
    slicer.run()
    further = "1 further values (1 computed from it)"
    assert told(slicer) == [f"{further} in one step or more are not followed: the nearer places are 6 already"]
    assert (MAIN, 2, told(slicer)[0]) in slicer.slice.unresolved
    nearly = sliced(SOURCE, "start.budget", budget=Budget(sites=9))
    assert told(nearly) == [f"{further} in 2 steps or more are not followed: the nearer places are 9 already"]
