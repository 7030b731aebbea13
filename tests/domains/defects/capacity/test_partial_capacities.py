from __future__ import annotations

import pytest

from sgmem.domains.defects.capacity.partial_capacities import partial_capacities
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

RUNNER = """
class Runner:
    def split(self):
        self.max_total_num_tokens = {taken}
        self.pool = TwoPools({parts})

class Worker:
    def __init__(self, runner: Runner, max_total_num_tokens, context_len):
        self.max_total_num_tokens = {kept}
        {code}
"""
PARTS = "self.full_max_total_num_tokens, self.swa_max_total_num_tokens"


def found(
    code: str, parts: str = PARTS, taken: str = "self.full_max_total_num_tokens", kept: str = "max_total_num_tokens"
) -> list[str]:
    text = RUNNER.format(code=code, parts=parts, taken=taken, kept=kept)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/run.py": text}, package="app")
    models = load_models()
    return [one.other for one in partial_capacities(ProgramFacts(Program(tree, tuple(tree.files), models.config), models))]


LIMITS = [
    "self.max_req_len = min(context_len - 1, self.max_total_num_tokens - 1)",
    "assert len(self.input_ids) <= self.max_total_num_tokens",
]


@pytest.mark.parametrize("code", LIMITS)
def test_a_request_limited_by_one_part_is_found(code: str) -> None:
    assert found(code) == ["swa_max_total_num_tokens"]


@pytest.mark.parametrize("code", LIMITS)
@pytest.mark.parametrize(
    "changed",
    [
        {"parts": "self.full_max_total_num_tokens"},
        {"taken": "self.profile()"},
        {"kept": "min(max_total_num_tokens, runner.swa_max_total_num_tokens)"},
    ],
)
def test_one_pool_or_a_count_that_is_bounded_is_fine(code: str, changed: dict[str, str]) -> None:
    assert found(code, **changed) == []


@pytest.mark.parametrize(
    "code", ["self.most = min(context_len, self.max_total_num_tokens)", "assert context_len <= self.max_total_num_tokens"]
)
def test_what_is_no_request_is_fine(code: str) -> None:
    assert found(code) == []
