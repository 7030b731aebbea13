"""Tables that are addressed by what the base class hands out."""

from __future__ import annotations

import pytest

from sgmem.domains.defects.capacity.foreign_rows import foreign_rows
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

POOL = """
import torch


class RequestPool:
    def __init__(self, size, width):
        self.rows = torch.zeros((size, width))
        self.free = list(range(size))

    def alloc(self, count):
        taken, self.free = self.free[:count], self.free[count:]
        return taken


class StatePool(RequestPool):
    def __init__(self, size, state_size, width):
        super().__init__(size=size, width=width)
        self._make(count={count})

    def _make(self, count):
        {before}
        self.state_of_request = torch.zeros({rows}, dtype=torch.int32)

    def alloc(self, count, states):
        chosen = super().alloc(count)
        self.state_of_request[{index}] = states
        return chosen
"""


def found(count: str = "state_size", rows: str = "count", index: str = "chosen", before: str = "pass") -> list[tuple[str, str, str]]:
    text = POOL.format(count=count, rows=rows, index=index, before=before)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/pool.py": text}, package="app")
    program = Program(tree, tuple(tree.files), load_models().config)
    return [(one.table, one.counted, one.handed_out) for one in foreign_rows(program)]


@pytest.mark.parametrize("rows", ["count", "(count, 2)"])
def test_rows_of_another_parameter_are_found(rows: str) -> None:
    assert found(rows=rows) == [("state_of_request", "state_size", "size")]


@pytest.mark.parametrize(
    "change",
    [
        {"count": "size"},
        {"rows": "self.rows.shape[0]"},
        {"index": "states"},
        {"before": "count = self.rows.shape[0]"},
    ],
)
def test_rows_of_the_base_class_and_other_indices_are_not(change: dict[str, str]) -> None:
    assert found(**change) == []
