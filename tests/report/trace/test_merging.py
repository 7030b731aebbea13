from __future__ import annotations

import msgspec
import pytest
from report.samples import EMPTY, GOLDEN, flows, site

from sgmem.report.trace.merging import Merging, encloses, shown_first


def groups(sites: list[object], links: str = "") -> list[str]:
    """The merged groups, each as the ids of its sites joined, singles left out."""
    trace = msgspec.structs.replace(EMPTY, sites=tuple(sites), flows=flows(links) if links else ())
    node_of = Merging(trace).node_of
    merged: dict[str, list[str]] = {}
    for key, node in node_of.items():
        merged.setdefault(node, []).append(key)
    return ["+".join(keys) for keys in merged.values() if len(keys) > 1]


OUTER = site("f", "formula", "a.py", 5, "y = 1 - 2 * x", column=9, end_column=22, slot="m:g.y", derived=True)
INNER = site("r", "read", "a.py", 5, "x", column=21, end_column=22)


@pytest.mark.parametrize(
    ("change", "inside"),
    [({}, True), ({"path": "b.py"}, False), ({"line": 4}, False), ({"end_line": 9}, False), ({"column": 2}, False)],
)
def test_enclosing(change: dict[str, object], inside: bool) -> None:
    outer = site("f", "formula", "a.py", 5, "y = x", column=3, end_line=7, end_column=4)
    inner = msgspec.structs.replace(site("r", "read", "a.py", 5, "x", column=7, end_line=5, end_column=8), **change)
    assert encloses(outer, inner) is inside


def test_a_value_belongs_to_the_statement_that_it_flows_into() -> None:
    assert groups([OUTER, INNER], "r f operand") == ["f+r"]


def test_an_argument_does_not_belong_to_the_statement_around_its_call() -> None:
    argument = site("p", "pass", "a.py", 5, "x", column=21, end_column=22)
    assert groups([OUTER, argument], "p elsewhere argument") == []
    assert groups([OUTER, argument], "f p operand") == []


def test_a_value_that_flows_into_another_statement_stays_apart() -> None:
    other = msgspec.structs.replace(OUTER, line=8, end_line=8)
    assert groups([other, INNER], "r f operand") == []


def test_writes_of_one_variable_belong_together_and_constants_do_not() -> None:
    writes = [site(f"w{n}", "write", f"{n}.py", n, "x = 1", slot=slot) for n, slot in enumerate(["m:C.x", "m:C.x", "m:D.x"], 1)]
    constants = [site(f"c{n}", "write", f"{n}.py", 9, "2048", slot="the constant 2048") for n in range(1, 3)]
    assert groups([*writes, *constants]) == ["w1+w2"]


def test_a_renaming_belongs_to_the_reading_of_its_whole_right_side() -> None:
    rename = site("n", "read", "a.py", 5, "y = f(x)", column=9, end_column=17, kind="rename")
    whole = site("w", "read", "a.py", 5, "f(x)", column=13, end_column=17)
    part = site("p", "read", "a.py", 5, "x", column=15, end_column=16)
    assert groups([rename, whole, part]) == ["n+w"]


def test_the_writes_stand_for_a_slot_and_the_outermost_for_a_statement() -> None:
    assert [one.id for one in shown_first([one for one in GOLDEN.sites if one.id in ("s8", "s4", "s3")])] == [
        "s3",
        "s4",
    ]
    assert shown_first([INNER, OUTER]) == [OUTER]


def test_of_two_sites_at_one_place_the_parameter_itself_is_shown() -> None:
    own = site("p", "pass", "a.py", 5, "x=x")
    sink = site("k", "sink", "a.py", 5, "x=x", derived=True)
    assert shown_first([sink, own]) == [own]
    assert shown_first([own, site("g", "guard", "a.py", 5, "x=x")])[0].id == "g"
