"""Which group of ranks a size, a rank or a communicator belongs to."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.ranks.groups import ALL, ATTENTION, DATA, STAGES, TENSOR, Groups
from sgmem.syntax import ir

PROGRAM = """
    class Backend:
        def __init__(self, runner, parallel):
            self.tp_size = get_attention_tp_size()
            self.size = parallel.pp_size
            self.group = get_tp_group()

        def work(self, tp_size, parallel, args, config):
            local = get_attention_tp_size()
            many = local if args.wide else 1
            whole = parallel.tp_size
            mark({})
"""


def groups_of(expression: str, kind: str) -> set[str]:
    facts = facts_of(PROGRAM.format(expression))
    file = next(
        file for path in facts.program.files.paths if (file := facts.program.files.get(path)) is not None and "mark" in file.source.text
    )
    statement = file.mentions("mark")[0]
    (call,) = (
        node
        for node in ir.walk(file.statement(statement).values[0])
        if isinstance(node, ir.Call) and getattr(node.func, "id", "") == "mark"
    )
    groups = Groups(facts.program, facts.models, facts.order)
    return set(getattr(groups, kind)(call.args[0].value, file, statement))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("parallel.tp_size", {TENSOR}),
        ("tp_size", {TENSOR}),
        ("parallel.attn_tp_size", {ATTENTION}),
        ("self.tp_size", {ATTENTION}),  # what the class stores says more than the name
        ("local", {ATTENTION}),
        ("many", {ATTENTION}),
        ("self.size", {STAGES}),
        ("parallel.tp_size * parallel.pp_size", {TENSOR, STAGES}),
        ("parallel.tp_size * config.step", set()),
        ("whole // args.dp_size", {ATTENTION}),
        ("whole // args.nodes", {TENSOR}),
        ("max(args.dp_size, 1)", {DATA}),
        ("args.dp_size or 1", {DATA}),
        ("get_world_group().world_size", {ALL}),
        ("self.group.world_size", {TENSOR}),
        ("config.page_size", set()),
    ],
)
def test_sizes(expression: str, expected: set[str]) -> None:
    assert groups_of(expression, "size") == expected


@pytest.mark.parametrize(
    ("expression", "kind", "expected"),
    [
        ("args.pp_rank % args.pp_size", "rank", {STAGES}),
        ("args.tp_rank", "rank", {TENSOR}),
        ("args.tp_size", "rank", set()),
        ("self.group.cpu_group", "group", {TENSOR}),
        ("config.end_layer", "bound", {STAGES}),
        ("getattr(config, 'start_layer', 0)", "bound", {STAGES}),
    ],
)
def test_ranks_communicators_and_bounds(expression: str, kind: str, expected: set[str]) -> None:
    assert groups_of(expression, kind) == expected
