"""What explain tells of a value: steps, inputs, branches, thresholds, guards."""

from __future__ import annotations

import pytest
from queries.explained import BUDGET, OPTIONS, asked

from sgmem.config.errors import NothingAnalysed, UsageError


def test_a_formula_is_computed_with_its_steps_and_rounding() -> None:
    found = asked(BUDGET, "rest", "share=0.5", "total=100", "free=20.0")
    assert found.result.value == -30
    assert (found.result.low, found.result.high) == (-35.05, -24.95)
    assert [step.arithmetic for step in found.steps] == ["20 - 100 * (1 - 0.5)"]
    assert [(row.name, row.value, row.origin) for row in found.inputs] == [
        ("free", 20, "given"),
        ("total", 100, "given"),
        ("share", 0.5, "given"),
    ]


def test_exact_numbers_have_no_rounding() -> None:
    found = asked(BUDGET, "rest", "share=0.5", "total=100", "free=20.0", exact=True)
    assert (found.result.low, found.result.high) == (-30, -30)


def test_thresholds_are_exact_and_name_what_is_needed() -> None:
    found = asked(BUDGET, "rest", "share=0.5", "total=100", "free=20")
    assert {(row.input, row.relation, row.value, row.holds) for row in found.thresholds} == {
        ("share", "above", 0.8, False),
        ("total", "below", 40, False),
        ("free", "above", 50, False),
    }


@pytest.mark.parametrize(("share", "fires"), [("0.5", True), ("0.9", False)])
def test_the_guard_is_named_with_its_message(share: str, fires: bool) -> None:
    found = asked(BUDGET, "rest", f"share={share}", "total=100", "free=20")
    guard = found.guards[0]
    assert (guard.text, guard.fires, guard.message) == ("rest <= 0", fires, "no room, share={self.share}")


def test_what_a_function_returns_is_a_target() -> None:
    found = asked(BUDGET, "size", "share=0.9", "total=100", "free=2048.5")
    assert found.result.value == (2048 - 10) // 512


def test_missing_inputs_are_named() -> None:
    found = asked(BUDGET, "rest", "share=0.5", "total=100")
    assert found.result.value is None
    assert found.result.why == "missing: free"
    missing = [row for row in found.inputs if row.origin == "missing"]
    assert [row.name for row in missing] == ["free"]
    assert missing[0].meaning is not None
    assert missing[0].meaning.startswith("free memory of the device")


def test_a_missing_input_follows_from_what_was_observed() -> None:
    found = asked(BUDGET, "rest", "share=0.5", "total=100", observed="rest=10").observed
    assert found is not None
    assert found.consistent is None
    assert [(one.input, one.value) for one in found.explanations] == [("free", 60)]


def test_branches_are_decided_by_what_is_given() -> None:
    narrow = asked(OPTIONS, "share", "card=2000", "ranks=4")
    wide = asked(OPTIONS, "share", "card=2000", "ranks=4", "wide=true")
    small = asked(OPTIONS, "share", "card=900", "ranks=4")
    assert (narrow.result.value, wide.result.value, small.result.value) == (0.712, 0.662, 0.431)


def test_a_declared_default_is_used_and_said() -> None:
    found = asked(OPTIONS, "share", "card=2000")
    ranks = next(row for row in found.inputs if row.name == "ranks")
    assert (ranks.value, ranks.origin, ranks.flag) == (1, "default", "--ranks")
    assert found.result.value == 0.736


def test_none_selects_the_fallback() -> None:
    assert asked(OPTIONS, "share", "card=none").result.value == 0.75


def test_an_undecided_test_is_told_with_the_other_outcome() -> None:
    source = """
        def budget(free, model):
            rest = free - 4
            if model.wide:
                rest = rest - 2
            return rest
    """
    found = asked(source, "rest", "free=10")
    assert found.result.value == 6
    assert [(row.text, row.holds, row.otherwise) for row in found.assumptions] == [("wide", False, 4)]
    assert asked(source, "rest", "free=10", "wide=true").result.value == 4


def test_an_input_without_effect_is_said() -> None:
    found = asked(OPTIONS, "share", "card=none", "ranks=4")
    assert found.notes == ("ranks has no effect on share on this branch: nothing on the way reads it",)


def test_division_by_zero_is_said() -> None:
    found = asked(OPTIONS, "share", "card=0")
    assert found.result.value is None
    assert "zero" in found.result.why


def test_units_are_converted_and_wrong_ones_refused() -> None:
    source = """
        import torch

        def budget(size):
            total_gb = torch.cuda.mem_get_info()[1] / (1 << 30)
            rest_gb = total_gb - 4
            return rest_gb
    """
    assert asked(source, "rest_gb", "total_gb=2048MiB").result.value == -2
    with pytest.raises(UsageError, match="not in tokens"):
        asked(source, "rest_gb", "total_gb=5tokens")


def test_ambiguous_targets_list_their_candidates() -> None:
    source = """
        def first(a):
            rest = a - 1
            return rest

        def second(b):
            rest = b - 2
            return rest
    """
    with pytest.raises(NothingAnalysed) as raised:
        asked(source, "rest")
    assert raised.value.candidates == ("serving.case:first.rest", "serving.case:second.rest")
    assert raised.value.hint == "name one of them, as much of it as tells it apart: first.rest; or --set what only one of them reads"
    assert asked(source, "second.rest", "b=5").result.value == 3
    assert asked(source, "rest", "a=5").result.value == 4, "only one formula reads what is given"


@pytest.mark.parametrize("target", ["nothing_here", "Pool"])
def test_a_target_that_no_formula_computes_is_not_found(target: str) -> None:
    with pytest.raises(NothingAnalysed):
        asked(BUDGET, target)


@pytest.mark.parametrize("given", ["share", "=3", "share=", "nothing_here=3", "share=3parsecs"])
def test_values_that_make_no_sense_are_refused(given: str) -> None:
    with pytest.raises(UsageError):
        asked(BUDGET, "rest", given)


PASSED = """
    class Sizer:
        def resolve(self, before):
            budget = self._budget(before)
            return self._fit(budget)

        def _budget(self, before):
            return int((self.free - before * (1 - self.share)) * 1024)

        def _fit(self, budget):
            return Pool().sizes(budget, self.page)

        def other(self):
            spare = 4
            return Pool().sizes(spare, 1)

    class Pool:
        def sizes(self, room, page):
            tokens = room // self.cell
            tokens = tokens // page * page
            return tokens
"""


def test_a_parameter_is_followed_to_the_caller_in_which_the_given_inputs_count() -> None:
    found = asked(PASSED, "tokens", "free=20", "before=100", "share=0.9", "cell=16", "page=8", exact=True)
    assert found.result.value == 640
    assert [row.name for row in found.inputs if row.origin == "given"] == ["free", "before", "share", "cell", "page"]
    assert {row.input: row.value for row in found.thresholds}["share"] == 0.8


def test_without_inputs_of_a_caller_the_parameter_is_the_input() -> None:
    found = asked(PASSED, "tokens", "room=1000", "cell=16", "page=8")
    assert found.result.value == 56


def test_fields_that_a_function_called_before_sets_are_followed() -> None:
    source = """
        class Args:
            def __post_init__(self, card):
                self._sizes(card)
                self._share(card)

            def _sizes(self, card):
                self.chunk = 2 if card < 100 else 8

            def _share(self, card):
                self.share = (card - self.chunk) / card
    """
    assert asked(source, "share", "card=50").result.value == 0.96


def test_an_input_may_be_given_by_the_name_its_value_had_on_its_way() -> None:
    source = """
        import torch

        class Runner:
            def start(self):
                least = torch.cuda.mem_get_info()[0]
                self.size(least)

            def size(self, total):
                rest = total - 4
                return rest
    """
    found = asked(source, "rest", "least=10")
    assert found.result.value == 6
    assert "given as least" in found.notes[0]


def test_a_target_that_is_given_itself_is_said() -> None:
    found = asked(BUDGET, "rest", "rest=5")
    assert found.result.value == 5
    assert found.notes[0].startswith("rest itself is given")


def test_the_same_call_at_two_places_is_two_readings() -> None:
    source = """
        import torch

        def begin():
            total = torch.cuda.mem_get_info()[0]
            return rest(total)

        def rest(total):
            free = torch.cuda.mem_get_info()[0]
            left = free - total
            return left

        def between():
            before = torch.cuda.mem_get_info()[0]
            after = torch.cuda.mem_get_info()[0]
            used = before - after
            return used
    """
    assert asked(source, "used", "before=10", "after=4").result.value == 6
    assert asked(source, "used", "before=10").result.why == "missing: after"


def test_locals_of_two_functions_that_loops_set_are_two_inputs() -> None:
    source = """
        def layers(model):
            total = 0
            while model.more():
                total = total + model.next()
            return total + 1

        def heads(model):
            total = 0
            while model.more():
                total = total + model.next()
            return total * 2

        def size(model):
            cell = layers(model) * heads(model)
            return cell
    """
    found = asked(source, "cell")
    assert {row.name for row in found.inputs if row.origin == "missing"} == {"total", "heads.total"}
    assert asked(source, "cell", "layers.total=3", "heads.total=5").result.value == 40


def test_a_name_that_the_source_does_not_know_is_refused_with_those_it_needs() -> None:
    with pytest.raises(UsageError, match="--set totl: nothing in the source has that name") as caught:
        asked(BUDGET, "rest", "totl=100", "share=0.5")
    assert caught.value.hint is not None
    assert {"free", "total", "share"} == set(caught.value.hint.partition(" from ")[2].partition(";")[0].split(", "))


@pytest.mark.parametrize("value", ["nan", "-NaN", "inf", "-Infinity", "1e400"])
def test_what_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(UsageError):
        asked(BUDGET, "rest", f"share={value}")


def test_text_where_the_formula_calculates_is_refused() -> None:
    with pytest.raises(UsageError, match="'plenty' is no number"):
        asked(BUDGET, "rest", "total=plenty", "free=20", "share=0.5")


def test_none_where_the_formula_calculates_is_said_to_end_in_an_error() -> None:
    found = asked(BUDGET, "rest", "total=none", "free=20", "share=0.5")
    assert found.result.value is None
    assert found.result.why == "total is given as None, which cannot be calculated with: the source ends in a TypeError here"


def test_values_that_cannot_be_are_calculated_with_and_said() -> None:
    source = """
        import torch

        def budget(fraction, used_gb):
            free_gb = torch.cuda.mem_get_info()[0] / (1 << 30)
            rest_gb = free_gb - used_gb
            return rest_gb
    """
    found = asked(source, "rest_gb", "free_gb=-4", "used_gb=true")
    assert found.result.value == -5
    assert set(found.notes) == {
        "free_gb is -4: there are no negative GiB; it is calculated with all the same",
        "used_gb is true, which is calculated with as 1",
    }
    assert asked(source, "rest_gb", "free_gb=4", "used_gb=1").notes == ()


def test_a_gauge_is_taken_to_answer_and_the_other_case_is_told() -> None:
    source = """
        import torch

        def start():
            card = torch.cuda.mem_get_info()[1]
            return fill(card)

        def fill(card):
            share = (card - 512) / card if card is not None else 0.75
            return share
    """
    found = asked(source, "share")
    assert found.result.why == "missing: card"
    assert [(row.text, row.holds, row.otherwise) for row in found.assumptions] == [("card is not None", True, 0.75)]
    assert asked(source, "share", "card=none").result.value == 0.75
    assert asked(source, "share", "card=1024").result.value == 0.5


def test_with_nothing_given_the_usual_branch_is_told_even_if_another_lacks_less() -> None:
    source = """
        def size(model, heads, dim, layers):
            if model.latent:
                cell = layers * 576
            else:
                cell = heads * dim * layers
            return cell
    """
    assert asked(source, "cell").formula == "heads * dim * layers"
    assert asked(source, "cell", "layers=2").result.value == 1152, "only that branch can do with what is given"


def test_the_message_of_a_guard_is_looked_up() -> None:
    source = """
        def budget(free, used):
            rest = free - used
            if rest <= 0:
                message = f"{rest} left, " "lower the use"
                raise ValueError(message)
            return rest
    """
    assert asked(source, "rest", "free=1", "used=2").guards[0].message == "{rest} left, lower the use"
