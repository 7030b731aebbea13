"""The forward slice as a whole: matched calls, roles, formulas, the graph."""

from __future__ import annotations

import pytest
from flow.small import assert_marks, line_of, slice_lines, sliced

from sgmem.flow.frontier import Budget
from sgmem.flow.graph import SiteKey
from sgmem.flow.places import Field, Parameter
from sgmem.flow.slicer import Slicer

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
