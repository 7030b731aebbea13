"""Where a place is read."""

from __future__ import annotations

import pytest
from flow.small import assert_marks, program_of, slice_lines, sliced

from sgmem.flow.occurrences import Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import Field, Parameter, Result, Variable
from sgmem.flow.uses import Uses
from sgmem.program.entities import Class

PROGRAMS = {
    "a definition reaches until it is overwritten": """
        def start(budget, limit):
            value = budget
            show(value)  #+
            value = limit
            show(value)  #-
    """,
    "branches join": """
        def start(budget, limit, flag):
            value = limit
            show(value)  #-
            if flag:
                value = budget
                show(value)  #+
            else:
                show(value)  #-
            show(value)  #+
    """,
    "a branch that leaves does not join": """
        def start(budget, limit, flag):
            value = limit
            if flag:
                value = budget
                return
            show(value)  #-
    """,
    "round a loop": """
        def start(budget, limit, things):
            value = other = limit
            for thing in things:
                show(value)  #+
                show(other)  #-
                value = budget
            show(value)  #+
    """,
    "an exception may come before the assignment": """
        def start(budget, limit):
            value = budget
            try:
                value = limit
            except ValueError:
                show(value)  #+
            else:
                show(value)  #-
    """,
    "a deleted or partly assigned variable": """
        def start(budget, limit):
            value = [budget]
            value[0:] = [limit]
            show(value)  #+
            (value, other) = limit, limit
            show(value)  #-
    """,
    "a closure sees whatever its function binds": """
        def start(budget, limit):
            value, other = budget, limit

            def inner():
                show(value)  #+
                show(other)  #-

            def twin(value):
                show(value)  #-

            inner()
            twin(limit)
    """,
    "a lambda": """
        def start(budget, limit):
            call(lambda: budget)  #+
            call(lambda: limit)  #-
            call(lambda budget: budget)  #-
    """,
    "nonlocal": """
        def start(budget, limit):
            value = other = 0

            def inner():
                nonlocal value
                value = budget

            def twin():
                other = budget
                return limit

            inner()
            show(value)  #+
            show(other)  #-
    """,
    "a closure's result stays within the call that made it": """
        def outer(value):
            def inner():
                return value

            return inner()


        def start(budget, limit):
            mine = outer(budget)
            other = outer(limit)
            show(mine)  #+
            show(other)  #-
    """,
    "a global written by a function": """
        total = 0
        other = 0


        def fill(budget, limit):
            global total
            total = budget
            other = budget


        def use():
            show(total)  #+
            show(other)  #-
    """,
    "a property": """
        class Holder:
            def __init__(self, budget, limit):
                self._mine = budget
                self._other = limit

            @property
            def mine(self):
                return self._mine

            @property
            def other(self):
                return self._other


        class Stranger:
            mine = 0


        def use(holder: Holder, stranger: Stranger):
            show(holder.mine)  #+
            show(holder.other)  #-
            show(stranger.mine)  #-
    """,
    "a result is read at the call that the value came in by": """
        def same(value):
            return value


        def through(value):
            return same(value)


        def start(budget, limit):
            show(through(budget))  #+
            show(through(limit))  #-
            show(same(limit))  #-
    """,
    "a result that comes from a field is read at every call": """
        class Holder:
            budget = 0


        def give(holder: Holder):
            return holder.budget


        def start(holder, limit):
            show(give(holder))  #+
            show(keep(holder))  #-


        def keep(holder):
            return holder.limit
    """,
    "a method called on an object of unknown type": """
        class Holder:
            def give_the_budget(self, budget):
                return budget

            def keep_the_limit(self, limit):
                return limit


        def start(whatever):
            show(whatever.give_the_budget(3))  #+
            show(whatever.keep_the_limit(3))  #-
    """,
    "a named tuple by position": """
        from typing import NamedTuple


        class Plan(NamedTuple):
            limit: int
            budget: int


        def use(plan: Plan, pair: tuple):
            show(plan[1])  #+
            show(plan[0])  #-
            show(pair[1])  #-
            limit, share = plan  #+
            show(share)  #+
            show(limit)  #-
    """,
    "a field that only one class has, on an object of unknown type": """
        class Args:
            budget = 0


        def use(whatever):
            show(whatever.budget)  #+
            show(whatever.limit)  #-
    """,
    "a walrus is read in its own statement": """
        def start(budget, limit):
            if (value := budget) and value > 3:  #+
                show(value)  #+
            if (other := limit) and other > 3:  #-
                show(other)  #-
    """,
    "what an augmented assignment writes": """
        def start(budget, limit, flag):
            value = other = limit
            while flag:
                value += budget  #+
                other += limit  #-
            show(value)  #+
            show(other)  #-
    """,
    "a class body": """
        def start(budget, limit):
            class Inner:
                mine = budget  #+
                other = limit  #-

            show(Inner.mine)  #+
            show(Inner.other)  #-
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_uses_and_their_twins(name: str) -> None:
    assert_marks(PROGRAMS[name], slice_lines(sliced(PROGRAMS[name])))


def uses_of(source: str) -> tuple[Uses, Occurrences]:
    program = program_of(source)
    occurrences = Occurrences(program)
    return Uses(program, occurrences, Order(program.names)), occurrences


def test_a_parameter_is_used_until_it_is_rebound() -> None:
    uses, occurrences = uses_of("def start(budget):\n    show(budget)\n    budget = 1\n    show(budget)\n")
    parameter = next(iter(occurrences.parameters("budget")))
    assert [use.node.span.line for use in uses.of(parameter, (), ())] == [2]
    rebound = occurrences.writes("budget")[0].place
    assert isinstance(rebound, Variable)
    assert [use.node.span.line for use in uses.of(rebound, (), ())] == [4]
    assert Order(uses.program.names).reaching(rebound.file, rebound.scope, "budget", 3) == {2}
    assert Order(uses.program.names).reaching(rebound.file, rebound.scope, "budget", 1) == {ENTRY}


def test_a_result_leaves_by_the_innermost_call_and_the_rest_of_the_stack_stays() -> None:
    uses, occurrences = uses_of("""
        def same(value):
            return value


        def first(one):
            return same(one)


        def second(two):
            return same(two)
    """)
    same = next(iter(occurrences.functions("same")))
    sites = {site.file.statement(site.statement).span.line: site for site in uses.program.calls.callers(same)}
    assert sorted(sites) == [7, 11]
    everywhere = list(uses.of(Result(same), (), ()))
    assert sorted(use.node.span.line for use in everywhere) == [7, 11]
    matched = list(uses.of(Result(same), (), (sites[11], sites[7])))
    assert [(use.node.span.line, use.stack) for use in matched] == [(7, (sites[11],))]


def test_a_stack_of_another_function_does_not_match() -> None:
    """A value that never came into the function by the call on the stack leaves it at all its calls."""
    uses, occurrences = uses_of("""
        def give():
            return total


        def other(value):
            return value


        def start():
            show(give())
            show(other(1))
    """)
    give, other = (next(iter(occurrences.functions(name))) for name in ("give", "other"))
    stack = uses.program.calls.callers(other)
    assert [(use.node.span.line, use.stack) for use in uses.of(Result(give), (), stack)] == [(11, ())]


def test_a_parameter_that_nothing_reads_has_no_use() -> None:
    uses, occurrences = uses_of("def start(budget, limit):\n    show(limit)\n")
    assert list(uses.of(next(iter(occurrences.parameters("budget"))), (), ())) == []
    assert isinstance(next(iter(occurrences.parameters("budget"))), Parameter)


def test_nothing_reads_whatever_an_open_spread_sets() -> None:
    program = program_of("class Plan:\n    pass\n\ndef start(plan: Plan):\n    show(plan.size, *plan.parts)\n")
    file = program.files.get("prog/main.py")
    assert file is not None
    occurrences = Occurrences(program)
    uses = Uses(program, occurrences, Order(program.names))
    plan = Class(file, 1)
    assert [use.statement for use in uses.of(Field(plan, "size"), (), ())]
    assert not list(uses.of(Field(plan, "*"), (), ()))
