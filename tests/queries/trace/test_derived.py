"""What only the backward search of a formula's inputs finds is `derived` where it carries a value computed from the parameter."""

from __future__ import annotations

from flow.small import traced

PROGRAM = """
    class Runner:
        def __init__(self, budget):
            self.budget = budget
            self.tokens = self.budget * 2


    class Worker:
        def __init__(self, runner: Runner):
            self.tokens = runner.tokens

        def told(self):
            return self.tokens, 1


    class Scheduler:
        def __init__(self, worker: Worker, runner: Runner):
            self.tokens, self.other = worker.told()
            self.queue = Queue(tokens=self.tokens, other=self.other, share=runner.budget)


    def twice(amount):
        return amount * 2


    class Queue:
        def __init__(self, tokens, other, share):
            self.tokens = tokens
            self.other = other
            self.share = share

        def left(self, runner: Runner, spare):
            kept = twice(spare)
            show(twice(runner.budget))
            return runner.budget - self.tokens - self.other - self.share - kept
"""


def derived() -> dict[str, bool]:
    result = traced(PROGRAM)
    assert any("not followed further" in one.why for one in result.unresolved), "the way forward ends before the queue"
    return {f"{site.code} {site.role}": site.derived for site in result.sites}


def test_hops_from_a_computed_value_are_derived() -> None:
    found = derived()
    assert found["tokens=self.tokens pass"]
    assert found["self.tokens = tokens store"]


def test_hops_from_another_value_and_from_the_parameter_itself_are_not() -> None:
    found = derived()
    assert not found["other=self.other pass"]
    assert not found["self.other = other store"]
    assert not found["share=runner.budget pass"]
    assert not found["self.share = share store"]


def test_a_helper_that_others_give_the_parameter_gives_this_caller_none_of_it() -> None:
    assert not derived()["kept = twice(spare) read"]
