"""How sure a trace is of a site: of the owner of its variable, and of the way that leads there."""

from __future__ import annotations

import pytest
from flow.small import traced

from sgmem.queries.options import TraceOptions

PROGRAM = """
    import outside


    class Runner:
        def __init__(self, budget: int):
            self.budget = budget


    class Other:
        def __init__(self, budget: str):
            self.budget = budget


    def sure(runner: Runner):
        amount = runner.budget
        keep(amount)


    def guessed(thing):
        share = thing.budget
        spend(share)


    def keep(kept):
        return kept


    def spend(spent):
        return spent


    def foreign():
        reader = outside.Reader("file")
        show(reader.budget)
        show(outside.Reader("file").budget)
        bag = outside.SimpleNamespace()
        bag.budget = 3
        show(bag.budget)
"""


def confidence(source: str = PROGRAM) -> dict[str, str]:
    return {site.code: site.confidence for site in traced(source).sites if site.role in ("read", "pass")}


def test_a_value_that_came_in_by_a_guess_is_no_surer_for_what_it_passes_after() -> None:
    found = confidence()
    assert (found["runner.budget"], found["amount"], found["kept"]) == ("high", "high", "high")
    assert (found["thing.budget"], found["share"], found["spent"]) == ("low", "low", "low")


def test_the_surest_way_counts() -> None:
    both = confidence(PROGRAM.replace("spend(share)", "spend(share)\n        keep(share)").replace("keep(amount)", "spend(amount)"))
    assert both["spent"] == "high"
    assert both["kept"] == "low"


@pytest.mark.parametrize(("least", "shown"), [("high", False), ("low", True)])
def test_less_certain_ways_are_left_out_as_a_whole(least: str, shown: bool) -> None:
    result = traced(PROGRAM, options=TraceOptions(min_confidence=least))  # type: ignore[arg-type]
    assert any(site.code == "spent" for site in result.sites) is shown
    assert any(site.code == "kept" for site in result.sites)


def test_an_object_of_a_class_outside_has_none_of_the_programs_fields() -> None:
    found = confidence()
    assert "reader.budget" not in found
    assert 'outside.Reader("file").budget' not in found
    assert found["bag.budget"] == "low", "a bag has whatever it is given"


@pytest.mark.parametrize("change", ["reader = reader or guess()", "reader = guess()", "reader: Runner = guess()"])
def test_a_variable_that_may_hold_something_else_is_not_taken_for_an_object_from_outside(change: str) -> None:
    found = confidence(PROGRAM.replace("show(reader.budget)", f"{change}\n        show(reader.budget)"))
    assert "reader.budget" in found


def test_an_object_from_outside_that_was_given_a_value_of_that_name_may_have_it() -> None:
    assert "reader.budget" in confidence(PROGRAM.replace('outside.Reader("file")\n', 'outside.Reader("file", budget=1)\n', 1))


def test_what_is_computed_from_the_parameter_is_no_surer_than_the_way_of_its_own_field() -> None:
    source = """
        class Runner:
            def __init__(self, budget: int):
                self.total = budget * 2


        def guessed(thing):
            rest = thing.total
            spend(rest)


        def sure(runner: Runner):
            left = runner.total
            spend(left)
    """
    found = confidence(source)
    assert found["thing.total"] == found["rest"] != "high"
    assert found["runner.total"] == found["left"] == "high"
