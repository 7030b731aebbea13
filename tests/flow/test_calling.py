"""Where an argument goes: which parameter of which function or record it fills."""

from __future__ import annotations

import pytest
from flow.small import assert_marks, slice_lines, sliced

CALLS = {
    "by position": """
        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            take(limit, budget)
    """,
    "by keyword": """
        def take(first, second):
            show(first)  #+
            show(second)  #-


        def start(budget, limit):
            take(second=limit, first=budget)
    """,
    "a star parameter": """
        def take(first, *rest):
            show(first)  #-
            show(rest[0])  #-
            show(rest[1])  #+


        def start(budget, limit):
            take(limit, limit, budget)
    """,
    "a spread list": """
        def take(first, second, third):
            show(first)  #-
            show(second)  #-
            show(third)  #+


        def start(budget, limit):
            take(limit, *[limit, budget])
    """,
    "open keywords": """
        def take(first, **rest):
            show(first)  #-
            show(rest["mine"])  #+
            show(rest["other"])  #-


        def start(budget, limit):
            take(limit, mine=budget, other=limit)
    """,
    "a spread dictionary": """
        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            take(**{"first": limit, "second": budget})
    """,
    "forwarded": """
        def outer(*args, **kwargs):
            inner(*args, **kwargs)


        def inner(first, second, third=None, fourth=None):
            show(first)  #-
            show(second)  #+
            show(third)  #-
            show(fourth)  #+


        def start(budget, limit):
            outer(limit, budget, third=limit, fourth=budget)
    """,
    "a record by position and by keyword": """
        from dataclasses import dataclass


        @dataclass
        class Plan:
            first: int
            second: int


        @dataclass
        class Twin:
            first: int
            second: int


        def start(budget, limit):
            plan = Plan(limit, budget)
            twin = Twin(first=budget, second=limit)
            show(plan.first)  #-
            show(plan.second)  #+
            show(twin.first)  #+
            show(twin.second)  #-
    """,
    "replaced in a record": """
        from dataclasses import dataclass, replace


        @dataclass
        class Plan:
            mine: int = 0
            other: int = 0


        def start(budget, limit, plan: Plan):
            fresh = replace(plan, mine=budget, other=limit)
            show(fresh.mine)  #+
            show(fresh.other)  #-
    """,
    "set by a literal name": """
        class Holder:
            mine = 0
            other = 0


        def start(budget, limit):
            holder = Holder()
            setattr(holder, "mine", budget)  #+
            setattr(holder, "other", limit)  #-
            show(holder.mine)  #+
            show(getattr(holder, "mine"))  #+
            show(holder.other)  #-
            show(getattr(holder, "other", 0))  #-
    """,
    "through a property's setter": """
        class Holder:
            @property
            def mine(self):
                return self._mine  #+

            @mine.setter
            def mine(self, value):
                self._mine = value  #+

            @property
            def other(self):
                return self._other  #-

            @other.setter
            def other(self, value):
                self._other = value  #-


        def start(budget, limit):
            holder = Holder()
            holder.mine = budget
            holder.other = limit
            show(holder.mine)  #+
            show(holder.other)  #-
    """,
    "into the attribute dictionary": """
        class Holder:
            mine = 0
            other = 0


        def start(budget, limit):
            holder = Holder()
            holder.__dict__["mine"] = budget
            holder.__dict__["other"] = limit
            show(holder.mine)  #+
            show(holder.other)  #-
    """,
    "a partial": """
        from functools import partial


        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            later = partial(take, second=budget)
            later(limit)
    """,
    "a callee inside a container": """
        def take(first):
            show(first)  #+


        def keep(first):
            show(first)  #-


        def start(budget, limit):
            {"take": take, "keep": keep}["take"](budget)
            {"take": take, "keep": keep}["keep"](limit)
    """,
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    assert_marks(CALLS[name], slice_lines(sliced(CALLS[name])))
