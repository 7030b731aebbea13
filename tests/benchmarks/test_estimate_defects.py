"""Where defects of estimates are planted, and that the rules find them in a small program."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import seed_defects
from defects.places import Source

from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree

CODE = """
import torch


class HostPool:
    def __init__(self, pool, host_gb):
        self.size = int(host_gb * 1e9 // (pool.width * pool.dtype.itemsize))
        self.rows = torch.empty((self.size, pool.width), dtype=pool.dtype, device="cpu")


class TokenPool:
    def __init__(self, size, rank, rope, index, dtype):
        self.latent = torch.zeros((size + 1, rank + rope), dtype=dtype)
        self.index = torch.zeros((size + 1, index), dtype=torch.uint8)


class Runner:
    def profile_tokens(self, rest_memory):
        rest_memory = self.reserve(rest_memory)
        cell_size = (self.model.rank + self.model.rope) * torch._utils._element_size(self.dtype)
        cell_size += self.model.index
        return int(rest_memory * (1 << 30) // cell_size)

    def reserve(self, rest_memory):
        share = rest_memory * 0.5
        self.args.max_states = int(share * (1 << 30) // self.model.bytes_per_request)
        return rest_memory - self.args.max_states * self.model.bytes_per_request / (1 << 30)

    def build(self, rest_memory):
        self.max_total_num_tokens = self.profile_tokens(rest_memory)
        model = self.model
        self.pool = TokenPool(self.max_total_num_tokens, model.rank, model.rope, model.index, self.dtype)
        self.host = HostPool(self.pool, self.args.host_gb)
"""


@pytest.mark.parametrize(
    ("kind", "changed", "rule"),
    [
        ("drop-charged-term", ["cell_size = (self.model.rank) * torch", "cell_size += 0"], "uncharged-allocation"),
        ("spend-twice", ["self.host = (HostPool(self.pool, self.args.host_gb), HostPool("], "spent-twice"),
        ("keep-what-was-spent", ["return rest_memory"], "spent-twice"),
    ],
)
def test_defects_are_planted_where_they_should_be_and_found(kind: str, changed: list[str], rule: str) -> None:
    source = Source("serving/case.py", CODE)
    planted = [defect for place in source.places() for defect in seed_defects.KINDS[kind](place)]
    assert len(planted) == len(changed)
    for defect, line in zip(sorted(planted, key=lambda one: one.line), changed, strict=True):
        text = CODE[: defect.start] + defect.text + CODE[defect.end :]
        ast.parse(text)
        assert text.split("\n")[defect.line - 1].strip().startswith(line)
        assert rule in {one.rule for one in found(text)}, line
    assert rule not in {one.rule for one in found(CODE)}


def found(text: str) -> tuple[object, ...]:
    tree = SourceTree.from_texts({"serving/__init__.py": "", "serving/case.py": text})
    return tuple(check(tree, [], CheckOptions()).findings)
