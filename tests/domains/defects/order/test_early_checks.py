from __future__ import annotations

import pytest

from sgmem.domains.defects.order.early_checks import EarlyCheck, early_checks
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

RECORD = """
from dataclasses import dataclass

@dataclass
class ServerArgs:
    chunked_prefill_size: int = 8192
    page_size: int = 1
    backend: str = "plain"

    def __post_init__(self):
        {first}
        if self.backend == "paged":
            {second}
        {third}
"""
CHECK = "assert self.chunked_prefill_size % self.page_size == 0"


def found(first: str, second: str, third: str = "pass") -> list[EarlyCheck]:
    text = RECORD.format(first=first, second=second, third=third)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/args.py": text}, package="app")
    models = load_models()
    return list(early_checks(ProgramFacts(Program(tree, tuple(tree.files), models.config), models)))


@pytest.mark.parametrize(
    ("second", "how"),
    [("self.page_size = 64", "replaced"), ("self.page_size *= 2", "scaled"), ("self.page_size = self.page_size + 1", "reduced")],
)
def test_a_later_change_was_not_checked(second: str, how: str) -> None:
    assert [(one.how, {one.name, one.other}) for one in found(CHECK, second)] == [(how, {"page_size", "chunked_prefill_size"})]


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        (CHECK, "self.page_size = 64", CHECK),
        ("pass", "self.page_size = 64", CHECK),
        (CHECK, "pass", "pass"),
        ("assert self.page_size > 0", "self.page_size = 64", "pass"),
        ("print(self.chunked_prefill_size % self.page_size)", "self.page_size = 64", "pass"),
    ],
)
def test_what_is_checked_in_the_end_is_fine(first: str, second: str, third: str) -> None:
    assert found(first, second, third) == []
