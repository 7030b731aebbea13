"""Readings that the next one replaces before anything looks at them."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.defects.order.lost_readings import lost_readings

READING = """
import psutil
import torch


def free_gb(shared, number):
    free = 0
    if shared:
        free = psutil.virtual_memory().available
        {then}
    {otherwise}free = {anew}
    return free / (1 << 30)
"""


def found(then: str = "pass", otherwise: str = "", anew: str = "torch.cuda.mem_get_info(number)[0]") -> list[int]:
    return [one.reading.line for one in lost_readings(facts_of(READING.format(then=then, otherwise=otherwise, anew=anew)))]


def test_a_reading_without_an_else_is_lost() -> None:
    assert found() == [9]


@pytest.mark.parametrize(
    "changed",
    [
        {"otherwise": "else: "},
        {"then": "return free / (1 << 30)"},
        {"then": "print(free)"},
        {"anew": "min(free, torch.cuda.mem_get_info(number)[0])"},
        {"otherwise": "if number: "},
    ],
)
def test_a_reading_that_is_looked_at_or_kept_is_not_lost(changed: dict[str, str]) -> None:
    assert found(**changed) == []
