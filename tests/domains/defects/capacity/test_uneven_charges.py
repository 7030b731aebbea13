"""Budgets that are compared with whole pages and charged with bare tokens."""

from __future__ import annotations

import pytest

from sgmem.domains.defects.capacity.uneven_charges import uneven_charges
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

ADDER = """
class Adder:
    def ceil_paged_tokens(self, tokens):
        return -(-tokens // self.page_size) * self.page_size

    def charge(self, extend_len):
        {prepare}
        self.rem_tokens -= extend_len
        self.log_tokens -= extend_len

    def add(self, req):
        if {compared}:
            return False
        self.charge({argument})
        return True
"""


def found(
    prepare: str = "pass", compared: str = "self.ceil_paged_tokens(req.extend_len) > self.rem_tokens", argument: str = "req.extend_len"
) -> list[tuple[str, int]]:
    text = ADDER.format(prepare=prepare, compared=compared, argument=argument)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/adder.py": text}, package="app")
    models = load_models()
    facts = ProgramFacts(Program(tree, tuple(tree.files), models.config), models)
    return [(one.budget, one.bare.line) for one in uneven_charges(facts.program, facts.order)]


@pytest.mark.parametrize(
    "compared",
    [
        "self.ceil_paged_tokens(req.extend_len) > self.rem_tokens",
        "self.rem_tokens < -(-req.extend_len // self.page_size) * self.page_size",
        "self.ceil_paged_tokens(req.extend_len) > min(self.rem_all, self.rem_tokens)",
    ],
)
def test_only_the_compared_budget_is_found(compared: str) -> None:
    assert found(compared=compared) == [("rem_tokens", 8)]


@pytest.mark.parametrize(
    "change",
    [
        {"prepare": "extend_len = self.ceil_paged_tokens(extend_len)"},
        {"compared": "req.extend_len > self.rem_tokens"},
        {"compared": "self.ceil_paged_tokens(req.extend_len) > self.rem_chunk"},
        {"argument": "self.ceil_paged_tokens(req.extend_len)"},
    ],
)
def test_what_is_rounded_or_not_compared_is_not(change: dict[str, str]) -> None:
    assert found(**change) == []
