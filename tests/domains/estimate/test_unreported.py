from __future__ import annotations

import pytest

from sgmem.domains.estimate.unreported import Unreported, unreported
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

POOL = """
import torch

class Pool:
    def __init__(self, size, width):
        self.kv_buffer = torch.zeros((size, width))
        {other}

    def kv_size_bytes(self):
        {report}
"""


def found(other: str, report: str = "return self.kv_buffer.nbytes") -> list[Unreported]:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/pool.py": POOL.format(other=other, report=report)}, package="app")
    models = load_models()
    return list(unreported(ProgramFacts(Program(tree, tuple(tree.files), models.config), models)))


@pytest.mark.parametrize(
    "other",
    [
        "self.scales = torch.empty((size, width // 16))",
        "self.scales = [torch.empty((size, width // 16)) for _ in range(8)]",
        "scales = torch.empty(size=(4, size)); self.scales = scales",
    ],
)
def test_what_the_report_leaves_out_is_found(other: str) -> None:
    assert [(one.method, [each.field for each in one.left_out], one.counted.field) for one in found(other)] == [
        ("kv_size_bytes", ["scales"], "kv_buffer")
    ]


@pytest.mark.parametrize(
    ("other", "report"),
    [
        ("self.free = torch.zeros(size)", "return self.kv_buffer.nbytes"),
        ("self.work = torch.zeros((4, 1024))", "return self.kv_buffer.nbytes"),
        ("self.scales = torch.zeros((size, 4))", "return self.kv_buffer.nbytes + self.scales.nbytes"),
        ("self.scales = torch.zeros((size, 4))", "return sum(getattr(self, name).nbytes for name in self.names)"),
        ("self.scales = torch.zeros((size, 4))", "return self.total"),
    ],
)
def test_a_report_of_all_that_grows_is_fine(other: str, report: str) -> None:
    assert found(other, report) == []
