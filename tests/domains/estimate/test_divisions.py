"""Which divisions turn a budget into a count."""

from __future__ import annotations

import pytest
from domains.programs import MODELS, facts_of

from sgmem.domains.estimate.divisions import Divisions

IN_CLASS = """
import torch

class Sizing:
    def __init__(self, model):
        self._each = self._bytes_of(model)

    def _bytes_of(self, model):
        return model.heads * model.dim * torch._utils._element_size(model.dtype)

    def tokens(self, available_bytes):
        return available_bytes // self._each
"""
IN_FUNCTION = """
def tokens(rest_memory, model):
    each = model.heads * model.dim * model.dtype.itemsize
    return int(rest_memory * (1 << 30) // each)
"""
CONVERSION = """
def show(free_bytes, model):
    each = model.dtype.itemsize
    gb = 1 << 30
    return free_bytes / gb, free_bytes // each
"""
NO_BUDGET = """
def rows(total, model):
    each = model.heads * model.dim * model.dtype.itemsize
    return total // each
"""
CHUNK = """
CHUNK_BYTES = 1 << 20

def rows(model):
    each = model.heads * model.dim * model.dtype.itemsize
    return CHUNK_BYTES // each
"""


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (IN_CLASS, [["tokens", "_bytes_of"]]),
        (IN_FUNCTION, [["tokens"]]),
        (CONVERSION, []),
        (NO_BUDGET, []),
        (CHUNK, []),
    ],
)
def test_divisions_of_a_budget_by_bytes_per_thing(source: str, parts: list[list[str]]) -> None:
    facts = facts_of(source)
    found = Divisions(facts.program, MODELS).found
    assert [[part.name for part in one.parts] for one in found] == parts
