"""Ways of a container that end in nothing are taken out of a trace; ways to where the value itself is used stay."""

from __future__ import annotations

import pytest
from flow.small import MAIN, traced

HELPERS = """\
def show(value):
    log(value)
def tidy(value):
    for name, item in value.items():
        show(item)
    return value
"""


def lines(body: str) -> set[int]:
    """The lines of `body`, counted from 1, that the trace of a budget has sites on; those of the helpers count from -6."""
    trace = traced(HELPERS + body, "budget")
    return {site.line - 6 for site in trace.sites if site.path == MAIN}


def test_helpers_that_only_see_the_dict_are_left_out() -> None:
    assert lines("def start(budget):\n    tidy({'budget': budget})\n") == {1, 2}


@pytest.mark.parametrize(
    "use",
    ["keep(given['budget'])", "test = given['budget'] > 1", "more = given['budget'] * 2", "keep(given.get('budget'))", "Args(**given)"],
)
def test_the_way_to_where_the_value_is_taken_out_by_its_name_stays(use: str) -> None:
    found = lines(
        f"class Args:\n    def __init__(self, budget):\n        keep(budget)\ndef start(budget):\n    use(tidy({{'budget': budget}}))\ndef use(given):\n    {use}\n"
    )
    assert {5, 7} <= found
    assert 0 in found, "the helper hands the dict on"
    assert -1 not in found, "and shows each of its entries, which is another way"


def test_a_value_without_its_name_that_is_computed_with_stays() -> None:
    found = lines(
        "def start(budget):\n    total({'budget': budget, 'more': 1})\ndef total(parts):\n    for part in parts.values():\n        keep(part * 2)\n"
    )
    assert {1, 2, 4, 5} <= found


def test_elements_of_lists_and_tuples_are_no_entries() -> None:
    found = lines("def start(budget):\n    each([budget, 1])\ndef each(parts):\n    for part in parts:\n        show(part)\n")
    assert {1, 2, 4, 5} <= found


def test_where_the_value_gets_into_a_dict_that_leads_nowhere_is_told() -> None:
    found = lines("def start(budget):\n    state = {}\n    state['budget'] = budget\n    log(state)\n    tidy(state)\n")
    assert {1, 3, 4} <= found
    assert not {-2, -1, 0} & found
