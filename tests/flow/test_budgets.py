"""The budgets of a slice: what each bounds, and that a stop is reported."""

from __future__ import annotations

from flow.small import MAIN, line_of, slice_lines, sliced, told

from sgmem.flow.frontier import Budget
from sgmem.flow.graph import describe


def test_the_slice_stops_after_so_many_places_and_says_so() -> None:
    source = "def start(budget):\n" + "".join(f"    x{i} = {'budget' if not i else f'x{i - 1}'}\n" for i in range(40))
    whole, cut = sliced(source), sliced(source, budget=Budget(states=10))
    assert (MAIN, 41) in slice_lines(whole)
    assert told(whole) == []
    assert (MAIN, 41) not in slice_lines(cut)
    assert len(told(cut)) == 1
    assert told(cut)[0].startswith("stopped after 10 places with 1 waiting")
    cut.run()
    assert len(told(cut)) == 1, "a slice that has stopped does not start again"


def test_a_stop_is_reported_even_where_nothing_writes_the_name() -> None:
    source = """
        class Args: pass


        class Twin: pass


        def use(args: Args, twin: Twin):
            show(args.budget)
            show(twin.budget)
    """
    assert told(sliced(source)) == []
    assert len(told(sliced(source, budget=Budget(states=1)))) == 1


def derivations(steps: int) -> str:
    lines = [f"    x{i} = {'budget' if not i else f'x{i - 1}'} + 1" for i in range(steps)]
    return "def start(budget):\n" + "\n".join(lines) + f"\n    show(x{steps - 1})\n"


def test_computed_values_are_followed_so_many_steps_and_the_stop_is_reported() -> None:
    four = Budget(derivations=4)
    near, far = sliced(derivations(4), budget=four), sliced(derivations(5), budget=four)
    assert (MAIN, 6) in slice_lines(near)
    assert told(near) == []
    assert (MAIN, 7) not in slice_lines(far)
    assert told(far) == ["computed in more than 4 steps from the parameter; not followed further"]
    assert (MAIN, 7) in slice_lines(sliced(derivations(5), budget=Budget(derivations=5)))


FIELDS = """
    class Holder:
        def start(self, budget):
            self.first = budget + 1
            self.second = self.first
            self.third = self.second
            show(self.third)
"""


def test_computed_values_are_followed_through_so_many_fields_and_the_stop_is_reported() -> None:
    end, two = line_of(FIELDS, "show("), Budget(fields=2)
    assert end not in slice_lines(sliced(FIELDS, budget=two))
    assert told(sliced(FIELDS, budget=two)) == [
        "computed from the parameter and kept in more than 2 fields on the way; not followed further"
    ]
    assert end in slice_lines(sliced(FIELDS, budget=Budget(fields=3)))
    plain = FIELDS.replace(" + 1", "")
    assert end in slice_lines(sliced(plain, budget=two))
    assert told(sliced(plain, budget=two)) == []


def test_computed_values_may_be_left_alone() -> None:
    source = "def start(budget):\n    plain = budget\n    more = budget + 1\n    show(plain)\n    show(more)\n"
    slicer = sliced(source, budget=Budget(computed=False))
    assert (MAIN, 4) in slice_lines(slicer)
    assert (MAIN, 5) not in slice_lines(slicer)
    assert told(slicer) == [], "nobody asked for them"


def test_depth_counts_the_places_away_from_the_parameter() -> None:
    source = "def start(budget):\n    one = budget\n    two = one\n    three = two\n    show(three)\n"
    for depth, last in ((0, 2), (1, 3), (2, 4), (3, 5)):
        lines = {line for _, line in slice_lines(sliced(source, budget=Budget(depth=depth)))}
        assert max(lines) == last


def test_a_place_first_met_too_far_away_is_followed_when_a_nearer_way_comes() -> None:
    slicer = sliced("def start(budget):\n    one = budget\n    two = one\n    show(two)\n", budget=Budget(depth=0))
    (state,) = (one for one in slicer.slice.entering if describe(one.place) == "prog.main:start.one")
    slicer.enter(state, next(iter(slicer.slice.sites)), "assign")
    slicer.run()
    assert (MAIN, 3) in slice_lines(slicer)
    assert (MAIN, 4) not in slice_lines(slicer)


def test_what_is_nested_too_deep_is_reported() -> None:
    source = "def start(budget):\n    table = [[[[budget]]]]\n    show(table)\n"
    assert told(sliced(source)) == ["nested deeper than containers are followed"]
    assert told(sliced(source.replace("[[[[budget]]]]", "[[[budget]]]"))) == []


def test_what_cannot_be_resolved_is_reported_once_per_place() -> None:
    source = """
        import torch


        def start(budget, limit, whatever, names):
            whatever.take(budget)
            whatever.take([budget])
            whatever.take(limit)
            torch.zeros(budget)
            log.info(budget)
            for name in names:
                setattr(whatever, name, budget)
    """
    lines = sorted((line, why) for _, line, why in sliced(source).slice.unresolved)
    assert lines == [
        (line_of(source, "take(budget)")[1], "call of whatever.take could not be resolved"),
        (line_of(source, "take([budget])")[1], "call of whatever.take could not be resolved"),
        (line_of(source, "setattr")[1], "setattr with a name that is not a literal"),
    ]
