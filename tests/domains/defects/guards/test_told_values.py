from __future__ import annotations

import pytest

from sgmem.domains.defects.guards.told_values import ToldValue, told_values
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

CODE = """
import psutil

def begin(self, wanted_bytes, reserve_bytes, page_size, max_total_tokens):
    free_bytes = psutil.virtual_memory().available
    self.keep(page_size, max_total_tokens)
    {code}
"""


def told(code: str) -> list[ToldValue]:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/pool.py": CODE.format(code=code)}, package="app")
    models = load_models()
    return list(told_values(ProgramFacts(Program(tree, tuple(tree.files), models.config), models)))


@pytest.mark.parametrize(
    ("code", "kind", "what"),
    [
        ('assert max_total_tokens > 0, "page_size must be positive"', "other", "page_size"),
        ('assert max_total_tokens is not None, "--page-size must be set"', "other", "page_size"),
        ('assert wanted_bytes < free_bytes - reserve_bytes, f"{wanted_bytes} of {free_bytes}"', "part", "free_bytes"),
        ('assert free_bytes > wanted_bytes + reserve_bytes, f"{wanted_bytes / 1024} of {free_bytes}"', "part", "wanted_bytes"),
    ],
)
def test_a_message_about_another_value_is_found(code: str, kind: str, what: str) -> None:
    assert [(one.kind, one.told) for one in told(code)] == [(kind, what)]


def test_an_earlier_check_of_the_same_is_named() -> None:
    code = 'assert max_total_tokens > 0; assert max_total_tokens > 0, "page_size is zero"'
    assert [one.before is not None for one in told(code)] == [True]
    code = 'assert max_total_tokens > 0; max_total_tokens = self.read(); assert max_total_tokens > 0, "page_size is zero"'
    assert [one.before is not None for one in told(code)] == [False]


@pytest.mark.parametrize(
    "code",
    [
        'assert page_size > 0, "page_size must be positive"',
        'assert max_total_tokens > 0, "page_size is not set"',
        'assert max_total_tokens > 0, "other_name is zero"',
        'assert max_total_tokens > 0 and page_size, "page_size is zero"',
        'assert wanted_bytes < free_bytes - reserve_bytes, f"{wanted_bytes} of {free_bytes - reserve_bytes}"',
        'assert wanted_bytes < free_bytes - reserve_bytes, f"{wanted_bytes} of {free_bytes}, {reserve_bytes} are wanted elsewhere"',
        'assert wanted_bytes < free_bytes - reserve_bytes, f"{free_bytes} are free"',
        'assert wanted_bytes < free_bytes - 1, f"{wanted_bytes} of {free_bytes}"',
    ],
)
def test_a_message_about_what_is_tested_is_fine(code: str) -> None:
    assert told(code) == []
