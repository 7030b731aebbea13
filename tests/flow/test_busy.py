"""A field that many places read is followed only where the value is a fair part of what it holds."""

from __future__ import annotations

import pytest
from flow.small import MAIN, slice_lines, sliced, told

from sgmem.flow import busy
from sgmem.flow.busy import MANY_READS
from sgmem.flow.frontier import Budget
from sgmem.flow.slicer import Slicer

OTHERS = 9
"""How many other functions set the field in each program below."""


def program(others: str, fields: str = "    size: int = 0\n", reads: int = MANY_READS) -> str:
    """Batch.size is set by `start` from the budget, by OTHERS functions with `others`, and read in as many functions as `reads`."""
    text = f"@dataclass\nclass Batch:\n{fields}def start(batch: Batch, budget):\n    batch.size = budget\n"
    text += "".join(f"def set{i}(batch: Batch, other):\n    {others}\n" for i in range(OTHERS))
    text += "".join(f"def read{i}(batch: Batch):\n    show(batch.size)\n" for i in range(reads))
    return f"from dataclasses import dataclass\n{text}"


def reads_reached(slicer: Slicer, source: str) -> int:
    lines = source.splitlines()
    return sum("show(" in lines[line - 1] for path, line in slice_lines(slicer) if path == MAIN)


@pytest.mark.parametrize("others", ["batch.size = other", "make(Batch(size=other))", "make(Batch(other))"])
def test_the_reads_of_a_field_that_mostly_holds_other_values_are_left_out_and_told(others: str) -> None:
    source = program(others)
    slicer = sliced(source, "start.budget")
    assert reads_reached(slicer, source) == 0
    assert (MAIN, 6) in slice_lines(slicer)  # the write itself stays
    (why,) = told(slicer)
    assert f"Batch.size mostly holds other values (1 of {OTHERS + 1} writes" in why


@pytest.mark.parametrize(
    "others",
    [
        "batch.size = None",
        "batch.size = 0",
        "batch.size = min(batch.size, other)",
        "batch.length = other",
        "make(Batch())",
    ],
)
def test_resets_and_adjustments_are_no_other_values(others: str) -> None:
    source = program(others)
    slicer = sliced(source, "start.budget")
    assert reads_reached(slicer, source) == MANY_READS
    assert told(slicer) == []


def test_a_field_with_few_reads_is_followed_whatever_else_it_holds() -> None:
    source = program("batch.size = other", reads=MANY_READS - 1)
    assert reads_reached(sliced(source, "start.budget"), source) == MANY_READS - 1


def test_a_field_is_followed_when_a_fair_part_of_its_writes_carries_the_value() -> None:
    more = "".join(f"def more{i}(batch: Batch, budget):\n    start(batch, budget)\n    batch.size = budget\n" for i in range(3))
    source = program("batch.size = other") + more
    assert reads_reached(sliced(source, "budget"), source) == MANY_READS


def test_a_constructor_that_keeps_its_parameter_writes_once_for_each_of_its_calls() -> None:
    reads = "".join(f"def read{i}(pool: Pool):\n    show(pool.size)\n" for i in range(MANY_READS))
    head = "class Pool:\n    def __init__(self, size):\n        self.size = size\ndef start(budget):\n    keep(Pool(budget))\n"
    others = "".join(f"def make{i}(other):\n    keep(Pool(other))\n" for i in range(OTHERS))
    assert reads_reached(sliced(head + others + reads, "start.budget"), head + others + reads) == 0
    assert reads_reached(sliced(head + reads, "start.budget"), head + reads) == MANY_READS


def test_the_parameter_itself_is_followed_however_busy() -> None:
    source = program("batch.size = other")
    assert reads_reached(sliced(source, "Batch.size"), source) == MANY_READS


def test_without_the_budget_every_field_is_followed() -> None:
    source = program("batch.size = other")
    assert reads_reached(sliced(source, "start.budget", budget=Budget(reads=None)), source) == MANY_READS


@pytest.mark.parametrize("own", [True, False])
def test_what_an_object_works_out_step_by_step_is_no_other_value(own: bool) -> None:
    """Own methods set a field on the way to its final value; other functions use it for something else."""
    head = "class Pool:\n    def start(self, budget):\n        self.size = budget\n"
    inside = "".join(f"    def set{i}(self, other):\n        self.size = other\n" for i in range(OTHERS))
    outside = "".join(f"def set{i}(pool: Pool, other):\n    pool.size = other\n" for i in range(OTHERS))
    reads = "".join(f"def read{i}(pool: Pool):\n    show(pool.size)\n" for i in range(MANY_READS))
    source = head + (inside if own else outside) + reads
    assert reads_reached(sliced(source, "start.budget"), source) == (MANY_READS if own else 0)


def everyday(value: str, files: int) -> dict[str, str]:
    """Batch.size is set from the budget, and read beside many files that read the size of something else."""
    reader = "def read{0}(other):\n    return other.size\n"
    return {
        "main": f"class Batch:\n    def __init__(self, budget):\n        self.size = {value}\n    def read(self):\n        show(self.size)\n",
        **{f"other{number}": reader.format(number) for number in range(files)},
    }


@pytest.mark.parametrize(
    ("value", "files", "followed"), [("budget * 2", 3, False), ("(1, budget)", 3, False), ("budget * 2", 1, True), ("budget", 3, True)]
)
def test_a_computed_value_is_not_followed_through_a_field_of_an_everyday_name(
    value: str, files: int, followed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(busy, "EVERYDAY_FILES", 2)
    slicer = sliced(everyday(value, files), "Batch.__init__.budget")
    assert ((MAIN, 5) in slice_lines(slicer)) is followed
    assert any("something called 'size'" in why for why in told(slicer)) is not followed


def test_a_field_that_counts_on_from_the_parameter_is_another_quantity() -> None:
    left = "batch.size -= other"
    slicer = sliced(program(left, reads=3), "start.budget")
    assert reads_reached(slicer, program(left, reads=3)) == 0
    (why,) = told(slicer)
    assert "Batch.size starts with the value and is counted up or down from there; its" in why
    same = program("batch.length -= other", reads=3)
    assert reads_reached(sliced(same, "start.budget"), same) == 3


def test_a_field_of_another_name_that_much_of_the_program_reads_is_another_quantity() -> None:
    few, many = program("batch.length = other", reads=2 * MANY_READS - 1), program("batch.length = other", reads=2 * MANY_READS)
    assert reads_reached(sliced(few, "start.budget"), few) == 2 * MANY_READS - 1
    slicer = sliced(many, "start.budget")
    assert reads_reached(slicer, many) == 0
    (why,) = told(slicer)
    assert f"Batch.size keeps the value under a name of its own; its {2 * MANY_READS} reads are not followed" in why


@pytest.mark.parametrize("name", ["budget", "_budget"])
def test_a_field_of_the_parameters_name_is_followed_to_every_read(name: str) -> None:
    source = program("batch.length = other", reads=2 * MANY_READS).replace(".size", f".{name}").replace("size:", f"{name}:")
    slicer = sliced(source, "start.budget")
    assert reads_reached(slicer, source) == 2 * MANY_READS
    assert told(slicer) == []
