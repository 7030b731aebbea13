"""The script that plants defects: where it finds places, what it writes there, and how it judges what a check says."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import seed_defects
from defects.places import Source

from sgmem.findings.finding import Finding
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree

CODE = """
import torch


def room(limit_gib, tp_size, pool_heads):
    memory_é, free = 0, torch.cuda.mem_get_info()[0] / (1 << 30)
    print(f"free: {free * 1e9} at {time_ns / 1e9}")
    return free - limit_gib, pool_heads // tp_size
"""


def planted(kind: str) -> list[str]:
    """The line of the change, for every place of a kind in `CODE`."""
    found = []
    source = Source("serving/room.py", CODE)
    for place in source.places():
        for defect in seed_defects.KINDS[kind](place):
            text = CODE[: defect.start] + defect.text + CODE[defect.end :]
            ast.parse(text)
            found.append(text.split("\n")[defect.line - 1].strip())
    return found


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("drop-conversion", ["memory_é, free = 0, (torch.cuda.mem_get_info()[0])"]),
        ("double-conversion", ["memory_é, free = 0, (torch.cuda.mem_get_info()[0] / (1 << 30) / (1 << 30))"]),
        ("swap-MiB-GiB", ["memory_é, free = 0, (torch.cuda.mem_get_info()[0] / (1 << 20))"]),
        ("swap-GiB-GB", ["memory_é, free = 0, (torch.cuda.mem_get_info()[0] / 1e9)"]),
        ("other-group", ["return free - limit_gib, pool_heads // dp_size"]),
        ("undivided", ["return free - limit_gib, (pool_heads)"]),
    ],
)
def test_a_kind_changes_what_it_names_and_nothing_else(kind: str, lines: list[str]) -> None:
    assert planted(kind) == lines


def test_a_planted_defect_is_found_where_it_stands() -> None:
    tree = SourceTree.from_texts({"serving/__init__.py": "", "serving/room.py": CODE})
    chosen = seed_defects.defects(tree, "", ["drop-conversion", "undivided"], 9)
    outcomes = seed_defects.judge(tree, chosen, 1, CheckOptions(select=("unit-mismatch",)))
    assert [defect.kind for defect, _ in outcomes["drop-conversion"].found] == ["drop-conversion"]
    assert len(outcomes["undivided"].missed) == 1
    assert not outcomes["drop-conversion"].elsewhere


def test_defects_that_are_planted_together_are_of_different_files() -> None:
    tree = SourceTree.from_texts({"serving/a.py": CODE, "serving/b.py": CODE})
    chosen = seed_defects.defects(tree, "", list(seed_defects.KINDS), 9)
    groups = list(seed_defects.batches(chosen, 2))
    assert sorted(map(id, chosen)) == sorted(id(one) for group in groups for one in group)
    assert all(len({one.path for one in group}) == len(group) == 2 for group in groups)


GIVEN = """
class Args:
    def fill(self):
        if self.mem_fraction_static is None:
            self.mem_fraction_static = 0.88
        if self.memory_saver is None:
            self.memory_saver = object()
"""


def test_a_question_is_dropped_where_a_number_is_the_default() -> None:
    places = Source("serving/args.py", GIVEN).places()
    found = [defect.what for place in places for defect in seed_defects.KINDS["drop-none-guard"](place)]
    assert found == ["self.mem_fraction_static is None  ->  True"]


ORDERED = """
class Runner:
    def begin(self, page):
        before_mem = get_available_gpu_memory(self.device)
        self.load_model()
        after_mem = get_available_gpu_memory(self.device)
        self.used = before_mem - after_mem
        self.init_memory_pool()

    def init_memory_pool(self):
        self.num_tokens = self.num_tokens // self.page * self.page
        self.pool = TokenPool(self.num_tokens)
"""


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("store-before-scale", ["capacity = self.num_tokens", "self.pool = TokenPool(capacity)"]),
        ("size-before-load", ["self.init_memory_pool()\n        self.load_model()\n"]),
        ("uneven-care", ["before_mem = get_available_gpu_memory(self.device, empty_cache=False)"]),
        ("delete-remeasure", ["after_mem = before_mem"]),
    ],
)
def test_a_defect_of_order_moves_what_it_names(kind: str, lines: list[str]) -> None:
    source = Source("serving/runner.py", ORDERED)
    planted = [defect for place in source.places() for defect in seed_defects.KINDS[kind](place)]
    assert len(planted) == 1
    text = ORDERED[: planted[0].start] + planted[0].text + ORDERED[planted[0].end :]
    ast.parse(text)
    assert all(line in text for line in lines)
    assert text != ORDERED


def test_a_finding_is_new_where_it_is_found_once_more_and_not_where_it_moved_or_quotes_other_code() -> None:
    def found(line: int, message: str, symbol: str = "room:Args.fill") -> Finding:
        return Finding(
            "odd", "SGM1", message, "warning", "high", "regular", "room.py", "room.py", line, 1, line, 2, symbol, (), str(line)
        )

    known = Counter(map(seed_defects.identity, [found(4, "x is odd, see line 9"), found(8, "y / 2 is odd")]))
    moved = [found(5, "x is odd, see line 10"), found(9, "y / 3 is odd")]
    assert not seed_defects.new_ones(moved, known)
    assert seed_defects.new_ones([*moved, found(12, "x is odd, see line 10")], known) == [found(12, "x is odd, see line 10")]
    assert seed_defects.new_ones([*moved, found(5, "z is odd", "room:Args")], known) == [found(5, "z is odd", "room:Args")]
