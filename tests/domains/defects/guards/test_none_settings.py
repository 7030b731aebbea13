"""Settings that a line makes None and that are calculated with."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.defects.guards.none_settings import none_settings

RECORD = """
from dataclasses import dataclass

@dataclass
class ServerArgs:
    max_total_tokens: int = 8

    def {method}(self):
        {before}
        self.max_total_tokens = None
        {after}
"""


def found(before: str = "pass", after: str = "pass", method: str = "__post_init__") -> list[str]:
    return [one.how for one in none_settings(facts_of(RECORD.format(before=before, after=after, method=method)))]


@pytest.mark.parametrize(
    ("before", "after", "how"),
    [
        ("pass", "self.max_total_tokens = self.max_total_tokens + 1", ["before"]),
        ("rest = self.max_total_tokens - 1", "pass", ["again"]),
        ("if self.max_total_tokens < 1: pass", "return min(self.max_total_tokens, 4)", ["before", "again"]),
        ("self.max_total_tokens and self.max_total_tokens - 1", "pass", []),
        ("pass", "self.max_total_tokens = 4; return self.max_total_tokens - 1", []),
        ("pass", "return self.max_total_tokens", []),
    ],
)
def test_uses_before_and_behind_the_line(before: str, after: str, how: list[str]) -> None:
    assert found(before, after) == how


def test_only_an_initialiser_runs_again() -> None:
    assert found("rest = self.max_total_tokens - 1", method="adapt") == []
