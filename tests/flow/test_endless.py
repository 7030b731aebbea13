"""Every slice ends: recursion, cycles, containers that hold themselves, very long and very wide programs."""

from __future__ import annotations

import pytest
from flow.small import MAIN, assert_marks, slice_lines, sliced, told

from sgmem.flow.frontier import Budget
from sgmem.flow.ways import MAX_WAYS

ENDLESS = {
    "recursion": """
        def count(value, n):
            show(value)  #+
            return count(value, n - 1) if n else value


        def twin(value, n):
            show(value)  #-
            return twin(value, n - 1) if n else value


        def start(budget, limit):
            show(count(budget, 3))  #+
            show(twin(limit, 3))  #-
    """,
    "recursion in its own argument": """
        def fold(value, n):
            return fold(fold(value, n), n) if n else value


        def start(budget, limit):
            show(fold(budget, 3))  #+
            show(limit)  #-
    """,
    "mutual recursion": """
        def ping(value, n):
            return pong(value, n - 1)


        def pong(value, n):
            show(value)  #+
            return ping(value, n) if n else value


        def alone(value, n):
            show(value)  #-
            return alone(value, n) if n else value


        def start(budget, limit):
            show(ping(budget, 3))  #+
            show(alone(limit, 3))  #-
    """,
    "a container that holds itself": """
        def start(budget, limit):
            table, other = {}, {}
            table["self"] = table
            table["mine"] = budget
            other["self"] = other
            other["mine"] = limit
            while flag():
                table = {"again": table}
            show(table["mine"])  #+
            show(other["mine"])  #-
    """,
    "a list that grows by itself": """
        def start(budget, limit):
            items, others = [budget], [limit]
            while flag():
                items.append(items)
                items = items + [items]
                others = [others]
            show(items[0])  #+
            show(others[0])  #-
    """,
    "objects that point at each other": """
        class Node:
            def __init__(self, peer):
                self.peer = peer
                self.share = peer.share
                self.limit = peer.limit


        def start(budget, limit):
            node = Node(Node(None))
            node.peer = node
            node.share = budget
            show(node.peer.peer.peer.share)  #+
            show(node.peer.peer.peer.limit)  #-
    """,
    "a parameter that feeds its own default field": """
        class Args:
            budget = 0

            def scale(self):
                self.budget = self.budget
                self.budget += self.budget
                show(self.budget)  #+
                show(self.limit)  #-
    """,
    "a container that is filled on every level of a recursion": """
        def fill(table, value, n):
            table["mine"] = value
            if n:
                fill(table, value, n - 1)


        def start(budget, limit):
            table, twin = {}, {}
            fill(table, budget, 3)
            show(table["mine"])  #+
            show(twin["mine"])  #-
    """,
    "globals that copy each other": """
        budget = other = limit = 0


        def spin():
            global budget, other, limit
            other = budget
            budget = other
            show(other)  #+
            show(limit)  #-
    """,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_cycles_end(name: str) -> None:
    slicer = sliced(ENDLESS[name])
    assert_marks(ENDLESS[name], slice_lines(slicer))
    assert not [why for why in told(slicer) if why.startswith("stopped")]


def test_a_long_chain_of_calls_is_followed_to_its_end_and_back_within_the_budget() -> None:
    depth = 3_000
    steps = "".join(f"def step{i}(x):\n    return step{i + 1}(x)\n" for i in range(depth))
    source = f"{steps}def step{depth}(x):\n    return x\ndef start(budget):\n    show(step0(budget))\n"
    slicer = sliced(source, budget=Budget(states=2 * depth + 100))
    assert (MAIN, 2 * depth + 2) in slice_lines(slicer)
    assert told(slicer) == []
    cut = sliced(source, budget=Budget(states=depth // 2))
    assert (MAIN, depth // 2) in slice_lines(cut)
    assert (MAIN, 2 * depth + 2) not in slice_lines(cut)
    assert len(told(cut)) == 1


def test_a_field_with_very_many_readers_reaches_each_and_its_flows_stay_few() -> None:
    readers = 2_000
    functions = "".join(f"def read{i}(args: Args):\n    show(args.budget)\n" for i in range(readers))
    writers = "".join(f"def write{i}(args: Args, value):\n    args.budget = value\n" for i in range(40))
    slicer = sliced(f"class Args:\n    budget = 1\n{functions}{writers}")
    slicer.slice.join_places()
    assert sum(key.role == "pass" for key in slicer.slice.sites) == readers
    assert sum(key.role == "store" for key in slicer.slice.sites) == 40
    assert len(slicer.slice.edges) <= readers + 40
    assert told(slicer) == []


def test_very_many_calls_of_one_function_stay_matched() -> None:
    calls = "".join(f"    show(same({'budget' if i == 7 else 'limit'}))\n" for i in range(400))
    slicer = sliced(f"def same(value):\n    return value\ndef start(budget, limit):\n{calls}", "start.budget")
    assert {line for _, line in slice_lines(slicer)} == {2, 3, 11}


def test_very_many_ways_into_one_place_are_merged_and_all_are_followed_out() -> None:
    many = 3 * MAX_WAYS
    callers = "".join(f"def way{i}(x):\n    show(same(x))\n" for i in range(many))
    calls = "".join(f"    way{i}(budget)\n" for i in range(many))
    slicer = sliced(f"def same(value):\n    return value\n{callers}def start(budget, limit):\n{calls}", "start.budget")
    lines = {line for _, line in slice_lines(slicer)}
    assert {2 + 2 * (i + 1) for i in range(many)} <= lines
    states = [state for state in slicer.slice.entering if str(state.place) == "prog.main:same.value"]
    assert len(states) == 2 * MAX_WAYS + 1


def test_sums_of_sums_do_not_explode() -> None:
    twice = "".join(f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, 40))
    slicer = sliced(f"def f0(x):\n    return x\n{twice}def start(budget):\n    show(f39(budget))\n")
    assert len(slicer.slice.sites) < 400
    assert told(slicer)
