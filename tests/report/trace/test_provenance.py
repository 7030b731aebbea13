from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from report.samples import EMPTY, GOLDEN, flows, site, wide

from sgmem.report.trace.provenance import Limits, Node, Provenance, below, joined

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Site, Trace


def trace_of(sites: list[Site], links: str) -> Trace:
    return msgspec.structs.replace(EMPTY, parameter="x", sites=tuple(sites), flows=flows(links) if links else ())


def shape(node: Node) -> object:
    """A tree as nested lists of keys; a join is marked."""
    if node.joins is not None:
        return f"={node.key}"
    return [node.key.removeprefix(""), *map(shape, node.children)] if node.children else node.key.removeprefix("")


def passes(*keys: str) -> list[Site]:
    return [site(key, "pass", "a.py", number, f"{key}()", slot=f"m:{key}.x") for number, key in enumerate(keys, 1)]


def test_the_declared_slot_is_the_root_and_holds_all_its_writes() -> None:
    provenance = Provenance(GOLDEN)
    (root,) = provenance.roots("mem_fraction_static")
    assert [one.id for one in provenance.members[root]] == ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]


def test_a_copy_that_nothing_feeds_is_a_root_of_its_own() -> None:
    own = site("z", "store", "other.py", 1, "self.mem_fraction_static = 0.5", slot="m:Own.mem_fraction_static")
    provenance = Provenance(msgspec.structs.replace(GOLDEN, sites=(*GOLDEN.sites, own)))
    assert [provenance.members[root][0].id for root in provenance.roots("mem_fraction_static")] == ["s1", "z"]


def test_a_cycle_of_copies_has_one_root() -> None:
    sites = [site(f"s{n}", "store", "a.py", n, "self.x = x", slot=f"m:C{n}.x") for n in range(1, 4)]
    assert Provenance(trace_of(sites, "s1 s2 store, s2 s3 store, s3 s1 store")).roots("x") == ["s1"]


def test_a_parameter_without_writes_is_rooted_where_it_is_passed() -> None:
    sites = [site("p", "pass", "a.py", 1, "f(1)", slot="m:f.x"), site("r", "read", "a.py", 2, "x", slot="m:f.x")]
    assert Provenance(trace_of(sites, "p r load")).roots("m:f.x") == ["p"]


def test_nothing_has_no_roots() -> None:
    assert Provenance(EMPTY).roots("x") == []


def test_a_node_is_drawn_at_its_shortest_distance_and_joined_elsewhere() -> None:
    provenance = Provenance(trace_of(passes("a", "b", "c", "d"), "a b argument, b c argument, c d argument, a d argument"))
    (root,) = provenance.tree(["a"])
    assert shape(root) == ["a", ["b", ["c", "=d"]], "d"]


def test_a_loop_ends() -> None:
    (root,) = Provenance(trace_of(passes("a", "b"), "a b argument, b a argument")).tree(["a"])
    assert shape(root) == ["a", ["b", "=a"]]
    assert joined([root]) == {id(root)}


def test_backward_follows_flows_against_their_direction() -> None:
    (root,) = Provenance(trace_of(passes("a", "b", "c"), "a c argument, b c argument")).tree(["c"], backward=True)
    assert shape(root) == ["c", "a", "b"]


def test_flows_to_sites_that_are_not_there_are_ignored() -> None:
    (root,) = Provenance(trace_of(passes("a"), "a gone argument, gone a argument")).tree(["a"])
    assert shape(root) == "a"


def test_plain_reads_are_leaves_and_guards_are_not() -> None:
    sites = [*passes("a"), site("r", "read", "a.py", 8, "x"), site("g", "guard", "a.py", 9, "x > 0")]
    (root,) = Provenance(trace_of(sites, "a r load, a g load")).tree(["a"])
    assert [one.id for one in root.leaves] == ["r"]
    assert shape(root) == ["a", "g"]


def test_what_leads_to_a_formula_comes_first() -> None:
    sites = [*passes("a", "b", "c"), site("f", "formula", "a.py", 9, "x * 2")]
    (root,) = Provenance(trace_of(sites, "a b argument, a c argument, c f operand")).tree(["a"])
    assert shape(root) == ["a", ["c", "f"], "b"]


@pytest.mark.parametrize(
    ("limits", "drawn"),
    [(Limits(), 51), (Limits(depth=0), 1), (Limits(own=9), 9), (Limits(derived=1), 51), (Limits(fan_out=5), 6)],
    ids=["none", "depth", "own", "derived", "fan-out"],
)
def test_limits_cut_the_far_ends_and_say_what_was_cut(limits: Limits, drawn: int) -> None:
    provenance = Provenance(wide())
    forest = provenance.tree(provenance.roots("limit"), limits)
    nodes = [node for node in below(forest) if node.joins is None]
    if limits.fan_out:
        nodes = [node for node in nodes if not node.key.startswith("c")]
        assert len(forest[0].hidden) == 15
    assert len(nodes) == drawn


def test_computed_values_have_a_limit_of_their_own() -> None:
    sites = [*passes("a", "b"), *(site(f"f{n}", "formula", "a.py", n + 9, "x * 2", derived=True) for n in range(9))]
    links = ", ".join(["a b argument", *(f"a f{n} operand" for n in range(9))])
    (root,) = Provenance(trace_of(sites, links)).tree(["a"], Limits(own=2, derived=3))
    assert shape(root) == ["a", "b", "f0", "f1", "f2"]
    assert len(root.hidden) == 6


@pytest.mark.parametrize("depth", [1, 3, 7])
def test_depth_counts_hops(depth: int) -> None:
    keys = [f"k{n}" for n in range(10)]
    links = ", ".join(f"k{n} k{n + 1} argument" for n in range(9))
    forest = Provenance(trace_of(passes(*keys), links)).tree(["k0"], Limits(depth=depth))
    assert len(list(below(forest))) == depth + 1


def test_a_very_deep_chain_does_not_exhaust_the_stack() -> None:
    keys = [f"k{n}" for n in range(5000)]
    links = ", ".join(f"k{n} k{n + 1} argument" for n in range(4999))
    forest = Provenance(trace_of(passes(*keys), links)).tree(["k0"])
    assert len(list(below(forest))) == 5000


def test_a_flow_that_two_others_lead_around_is_left_out_where_brief() -> None:
    trace = trace_of(passes("a", "b", "c"), "a b argument, b c argument, a c argument")
    assert shape(Provenance(trace).tree(["a"])[0]) == ["a", ["b", "c"]]
    assert shape(Provenance(trace, brief=False).tree(["a"])[0]) == ["a", ["b", "=c"], "c"]


@pytest.mark.parametrize("size", [3, 4, 5])
def test_leaving_out_detours_loses_no_node(size: int) -> None:
    keys = [f"k{n}" for n in range(size)]
    links = ", ".join(f"{one} {other} argument" for one in keys for other in keys if one != other)
    provenance = Provenance(trace_of(passes(*keys), links))
    for key in keys:
        assert provenance.reachable(key) >= set(keys) - {key}


def test_sinks_that_end_a_path_are_leaves() -> None:
    sites = [
        *passes("a"),
        site("p", "pass", "a.py", 9, "size=x"),
        site("k", "sink", "a.py", 9, "size=x", slot="m:P.size"),
    ]
    (root,) = Provenance(trace_of(sites, "a p load, p k keyword")).tree(["a"])
    assert [one.id for one in root.leaves] == ["k"]
    assert not root.children


def test_a_field_set_in_many_places_is_the_home_and_a_parameter_is_not() -> None:
    fields = [site(f"w{n}", "store", "a.py", n, "self.x = 1", slot="m:Record.x") for n in range(1, 4)]
    local = [site(f"l{n}", "write", "b.py", n, "x = 1", slot="m:function.x") for n in range(1, 6)]
    provenance = Provenance(trace_of([*local, *fields], ""))
    assert provenance.roots("x") == ["w1", "l1"]
    assert (provenance.is_home("w1"), provenance.is_home("l1")) == (True, False)


def test_of_parameters_of_one_name_the_first_on_the_way_is_the_root() -> None:
    sites = [
        site("d2", "declaration", "a.py", 1, "x", slot="m:inner.x"),
        site("d1", "declaration", "a.py", 9, "x", slot="m:outer.x"),
        site("p", "pass", "a.py", 10, "inner(x)", slot="m:outer.x"),
    ]
    assert Provenance(trace_of(sites, "d1 p load, p d2 argument")).roots("x") == ["d1"]


def test_the_strongest_of_parallel_flows_counts() -> None:
    trace = trace_of(passes("a", "b"), "a b argument")
    weak = msgspec.structs.replace(trace.flows[0], confidence="low")
    (root,) = Provenance(msgspec.structs.replace(trace, flows=(weak, trace.flows[0], weak))).tree(["a"])
    assert root.children[0].confidence == "high"
    assert Provenance(msgspec.structs.replace(trace, flows=(weak,))).tree(["a"])[0].children[0].confidence == "low"


def test_the_field_of_the_runner_is_reached_from_the_record() -> None:
    provenance = Provenance(GOLDEN)
    (record,) = provenance.roots("mem_fraction_static")
    assert "s12" in provenance.reachable(record)
    assert record in provenance.reachable("s12", backward=True)
