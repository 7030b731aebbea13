"""Copies of a size of an object that is worked out of itself anew afterwards."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.defects.order.snapshots import stale_copies

STATE = """
class State:
    def __init__(self, {size}, ratio):
        self.{size} = {size} + ratio + 1
        {copied}
        self.{size} = (self.{size} + ratio - 1) // ratio * ratio
        self.logical = {used}
        self.fill(self.{size})
"""


def found(size: str = "_rows_size", copied: str = "kept = self._rows_size", used: str = "kept") -> list[tuple[str, str]]:
    text = STATE.format(size=size, copied=copied, used=used)
    return [(one.source, one.copy) for one in stale_copies(facts_of(text))]


def test_a_size_that_is_aligned_after_it_was_copied() -> None:
    assert found() == [("self._rows_size", "kept")]


@pytest.mark.parametrize(
    "changed",
    [
        {"copied": "pass", "used": "self._rows_size"},
        {"copied": "unaligned = self._rows_size", "used": "unaligned"},
        {"used": "ratio"},
        {"size": "batch_size", "copied": "kept = self.batch_size"},
    ],
)
def test_a_size_that_is_copied_in_time_or_on_purpose(changed: dict[str, str]) -> None:
    assert found(**changed) == []
