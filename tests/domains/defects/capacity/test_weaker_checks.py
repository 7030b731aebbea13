"""Questions for room that are repeated without the factor of the first one."""

from __future__ import annotations

import pytest

from sgmem.domains.defects.capacity.weaker_checks import weaker_checks
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

BATCH = """
class Batch:
    def {name}(self, per_request{default}):
        return self.pool.free_count() >= len(self.requests) * per_request

    def make_room(self, per_request=1):
        while not self.{name}({again}):
            self.requests.pop()


class Scheduler:
    def step(self, batch):
        if not batch.{name}({first}):
            {body}
        return batch
"""


def found(
    name: str = "check_memory", default: str = "=1", first: str = "self.each", again: str = "", body: str = "batch.make_room()"
) -> list[tuple[str, str]]:
    text = BATCH.format(name=name, default=default, first=first, again=again, body=body)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/batch.py": text}, package="app")
    program = Program(tree, tuple(tree.files), load_models().config)
    return [(one.question, one.parameter) for one in weaker_checks(program)]


@pytest.mark.parametrize("name", ["check_memory", "has_free_slots", "check_decode_mem"])
def test_a_question_that_is_repeated_without_its_factor_is_found(name: str) -> None:
    assert found(name=name) == [(name, "per_request")]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "check_health"},
        {"default": ""},
        {"first": "2"},
        {"again": "per_request"},
        {"again": "per_request=per_request"},
        {"again": "*self.factors"},
        {"body": "batch.give_up()"},
    ],
)
def test_other_questions_and_those_with_the_factor_are_not(change: dict[str, str]) -> None:
    assert found(**change) == []
