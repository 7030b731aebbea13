"""The forward slice as a whole: matched calls, budgets, and that it always ends."""

from __future__ import annotations

import pytest
from flow.small import MAIN, assert_marks, line_of, slice_lines, sliced

from sgmem.flow.graph import SiteKey, describe
from sgmem.flow.places import Field, Parameter
from sgmem.flow.slicer import Budget, Slicer

MATCHED = {
    "one helper serves two callers": """
        def same(value):
            return value


        def start(budget, limit):
            mine, other = same(budget), same(limit)
            show(mine)  #+
            show(other)  #-
    """,
    "through several calls": """
        def inner(value):
            return value


        def middle(value):
            return inner(value)


        def outer(value):
            return middle(value)


        def start(budget, limit):
            show(outer(budget))  #+
            show(outer(limit))  #-
            show(middle(limit))  #-
    """,
    "two parameters cross": """
        def swap(first, second):
            return second, first


        def start(budget, limit):
            mine, other = swap(limit, budget)
            show(mine)  #+
            show(other)  #-
            again, last = swap(mine, other)
            show(again)  #-
            show(last)  #+
    """,
    "methods of one object": """
        class Scaler:
            def scale(self, value):
                return value


        def start(budget, limit, scaler: Scaler):
            show(scaler.scale(budget))  #+
            show(scaler.scale(limit))  #-
    """,
    "a container that is filled by the function it is handed to": """
        def fill(table, value):
            table["mine"] = value


        def deep(table, value):
            fill(table, value)


        def replaced(table, value):
            table = {}
            table["mine"] = value


        def start(budget, limit):
            table, again, twin, fresh = {}, {}, {}, {}
            show(table["mine"])  #-
            fill(table, budget)
            deep(again, budget)
            fill(twin, limit)
            replaced(fresh, budget)
            show(table["mine"])  #+
            show(table["other"])  #-
            show(again["mine"])  #+
            show(twin["mine"])  #-
            show(fresh["mine"])  #-
    """,
    "a list of an object that is filled elsewhere": """
        class Holder:
            def __init__(self):
                self.items = []
                self.others = []


        def fill(items, value):
            items.append(value)


        def start(budget, limit, holder: Holder):
            fill(holder.items, budget)
            fill(holder.others, limit)
            show(holder.items[0])  #+
            show(holder.others[0])  #-
    """,
    "a flow through a field forgets the call": """
        class Box:
            def put(self, value):
                self.value = value

            def get(self):
                return self.value


        def start(budget, limit, box: Box, twin):
            box.put(budget)
            show(box.get())  #+


        class Twin:
            def put(self, value):
                self.value = value

            def get(self):
                return self.value


        def use(limit, twin: Twin):
            twin.put(limit)
            show(twin.get())  #-
    """,
}


@pytest.mark.parametrize("name", MATCHED)
def test_calls_and_returns_are_matched(name: str) -> None:
    assert_marks(MATCHED[name], slice_lines(sliced(MATCHED[name], "start.budget")))


def roles(slicer: Slicer, line: int) -> set[str]:
    return {key.role for key in slicer.slice.sites if key.span.line <= line <= key.span.end_line}


ROLES = """
    class Args:
        budget: int = 0


    class Pool:
        def __init__(self, size):
            self.size = size


    def start(args: Args, queue):
        plain = args.budget
        total = args.budget * 2 + 1
        take(args.budget)
        unknown(args.budget)
        queue.share = args.budget
        if args.budget > 3:
            return args.budget
        log.info("%d", args.budget)
        return Pool(total)


    def take(value):
        return value
"""


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("budget: int = 0", "declaration"),
        ("plain = args.budget", "read"),
        ("total = args.budget * 2", "formula"),
        ("take(args.budget)", "pass"),
        ("unknown(args.budget)", "pass"),
        ("queue.share = ", "store"),
        ("if args.budget > 3", "guard"),
        ("log.info", "read"),
        ("Pool(total)", "sink"),
    ],
)
def test_the_role_of_a_site_is_what_becomes_of_the_value_there(code: str, role: str) -> None:
    assert role in roles(sliced(ROLES), line_of(ROLES, code)[1])


def test_a_computed_value_ends_where_it_sizes_an_object_unless_it_is_to_go_on() -> None:
    line = line_of(ROLES, "self.size = size")
    assert line not in slice_lines(sliced(ROLES))
    assert line in slice_lines(sliced(ROLES, budget=Budget(through_constructors=True)))


def test_the_parameter_itself_goes_into_objects() -> None:
    source = ROLES.replace("Pool(total)", "Pool(args.budget)")
    assert line_of(source, "self.size = size") in slice_lines(sliced(source))


def test_only_what_is_computed_is_derived() -> None:
    slicer = sliced(ROLES)
    derived = {key.span.line for key, site in slicer.slice.sites.items() if site.derived}
    plain = {key.span.line for key, site in slicer.slice.sites.items() if not site.derived}
    assert {line_of(ROLES, "total = args.budget")[1], line_of(ROLES, "Pool(total)")[1]} <= derived
    assert {line_of(ROLES, code)[1] for code in ("plain = ", "take(args", "queue.share")} <= plain - derived


def test_formulas_hold_the_arithmetic_and_its_receiver() -> None:
    formulas = sliced(ROLES).slice.formulas.values()
    assert [(one.target, one.site.span.line) for one in formulas] == [("total", line_of(ROLES, "total = ")[1])]


# -- budgets --------------------------------------------------------------------------------------------------------------------------


def told(slicer: Slicer) -> list[str]:
    return [why for _, _, why in slicer.slice.unresolved if "could not be resolved" not in why]


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


# -- it ends --------------------------------------------------------------------------------------------------------------------------

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


def test_sums_of_sums_do_not_explode() -> None:
    twice = "".join(f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, 40))
    slicer = sliced(f"def f0(x):\n    return x\n{twice}def start(budget):\n    show(f39(budget))\n")
    assert len(slicer.slice.sites) < 400
    assert told(slicer)


# -- the graph ------------------------------------------------------------------------------------------------------------------------


def test_flows_lead_from_the_declaration_to_the_last_reader() -> None:
    source = """
        class Args:
            budget = 0


        class Runner:
            def __init__(self, args: Args):
                self.share = args.budget

            def run(self):
                show(self.share)
    """
    slicer = sliced(source)
    slicer.slice.join_places()
    graph = slicer.slice.as_graph()

    def site(code: str, role: str) -> SiteKey:
        line = line_of(source, code)[1]
        return next(key for key in graph if key.span.line == line and key.role == role)

    import networkx as nx

    path = nx.shortest_path(graph, site("budget = 0", "declaration"), site("show(self.share)", "pass"))
    assert [key.role for key in path] == ["declaration", "read", "store", "pass"]
    assert not nx.has_path(graph, site("show(self.share)", "pass"), site("budget = 0", "declaration"))


def test_slots_name_their_place_and_the_path_of_keys() -> None:
    slicer = sliced("def start(budget, table):\n    table['a'][0] = budget\n    show(table['a'][0])\n")
    slots = {key.slot for key in slicer.slice.sites}
    assert "prog.main:start.table['a'][0]" in slots
    assert "prog.main:start.budget" in slots


def test_seeds_are_places_of_every_kind() -> None:
    source = "budget = 0\n\n\nclass Args:\n    budget = 1\n\n\ndef take(budget): pass\n"
    seeds = sliced(source).slice.seeds
    assert {type(place) for place in seeds} >= {Field, Parameter}
    assert {str(place) for place in seeds} == {"prog.main:budget", "prog.main:Args.budget", "prog.main:take.budget"}
