"""How an assignment changes what was there, and which statements of a function may both run."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.accounting.changes import how_changed, is_told, may_both_run, reachable


@pytest.mark.parametrize(
    ("assignment", "how"),
    [
        ("size *= 0.9", "scaled"),
        ("size = int(size * 0.9)", "scaled"),
        ("size = size // ranks", "scaled"),
        ("size = size // page * page", "aligned"),
        ("size = page * (size // page)", "aligned"),
        ("size = align_down(size, page)", "aligned"),
        ("size = min(size, limit)", "limited"),
        ("size = limit if size is None else max(size, limit)", "limited"),
        ("size -= reserve", "reduced"),
        ("size = other.size", "replaced"),
        ("size, rest = divide(limit)", "replaced"),
        ("size = None", None),
        ("size = 0", None),
        ("size = -1", None),
        ("rest = size", None),
    ],
)
def test_an_assignment_changes_in_one_of_a_few_ways(assignment: str, how: str | None) -> None:
    facts = facts_of(f"def f(size, ranks, page, limit, reserve, other):\n    {assignment}\n")
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    assert how_changed(facts, file, 1, "size") == how


def test_a_value_made_of_locals_that_are_made_of_it_is_its_own() -> None:
    facts = facts_of("""
        def f(size):
            tensor = wrap(size)
            reduce(tensor)
            size = tensor.item()
    """)
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    assert how_changed(facts, file, 3, "size") == "reduced"


def test_exclusive_statements_never_both_run_and_loops_are_gone_through_once() -> None:
    facts = facts_of("""
        def f(draft, sizes):
            if draft:
                first()
            if not draft:
                second()
            for size in sizes:
                third()
                fourth()
    """)
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    places = {file.own_text(index): index for index in file.own_statements(1)}
    assert not may_both_run(facts, file, places["first()"], places["second()"])
    assert may_both_run(facts, file, places["first()"], places["third()"])
    graph = facts.order.graph(file, 1)
    assert places["fourth()"] in reachable(graph, places["third()"])
    assert places["third()"] not in reachable(graph, places["fourth()"])


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("logger.info(size)", True),
        ("assert size > 0", True),
        ("raise ValueError(size)", True),
        ("build(size)", False),
        ("x = size", False),
    ],
)
def test_telling_is_not_using(statement: str, told: bool) -> None:
    facts = facts_of(f"def f(size):\n    {statement}\n")
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    assert is_told(file, 1) is told
