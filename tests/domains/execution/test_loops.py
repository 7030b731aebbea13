"""Loops in a symbolic execution: gone through, summed up, or given up."""

from __future__ import annotations

from fractions import Fraction

import pytest
from queries.explained import asked

PLAIN = """
    def f(a, n, wide):
        total = a
        {loop}
        return total * 2
"""


def value(loop: str, *given: str) -> float | None:
    lines = "\n        ".join(loop.split("\n"))
    found = asked(PLAIN.replace("{loop}", lines), "f", "a=1", *given).result.value
    return found if found is None else float(Fraction(str(found)))


@pytest.mark.parametrize(
    ("loop", "total"),
    [
        ("for x in (1, 2, 3):\n    total += x", 7),
        ("for x in [1, 2, 3]:\n    if x == 2:\n        continue\n    total += x", 5),
        ("for x in [1, 2, 3]:\n    if x > 2:\n        break\n    total += x", 4),
        ("for x in range(4):\n    total = total * 2", 16),
        ("for i, x in enumerate([5, 6]):\n    total += i * x", 7),
        ("for x in [1, 2]:\n    for y in [10, 20]:\n        total += x * y", 91),
        ("for x in [1, 2]:\n    if x > 9:\n        break\nelse:\n    total = 0", 0),
        ("while total < 100:\n    total = total * 3", 243),
        ("while total < 100:\n    total = total * 3\n    if total == 27:\n        break", 27),
        ("for x in []:\n    total = 9", 1),
    ],
)
def test_a_loop_whose_rounds_are_known_is_gone_through(loop: str, total: int) -> None:
    assert value(loop) == total * 2


def test_a_loop_that_adds_the_same_each_time_is_its_number_of_rounds_times_that() -> None:
    source = PLAIN.replace("{loop}", "for _ in range(n):\n            total += a * 3")
    found = asked(source, "f", "a=2")
    assert found.formula == "(a + n * (a * 3)) * 2"
    assert found.result.why == "missing: n"
    assert asked(source, "f", "a=2", "n=5").result.value == 64
    assert asked(source, "f", "a=2", "n=5000").result.value == 60004, "too many rounds to go through"


def test_the_rounds_over_a_list_that_is_not_known_are_its_length() -> None:
    source = PLAIN.replace("{loop}", "for _ in wide.layers:\n            total += 3")
    assert asked(source, "f", "a=1").result.why == "missing: len(wide.layers)"
    assert asked(source, "f", "a=1", "len(wide.layers)=4").result.value == 26


@pytest.mark.parametrize(
    "loop",
    [
        "for x in wide.layers:\n    total += x",
        "for x in range(n):\n    total += total",
        "for x in range(n):\n    total = total * 2",
        "while wide.more():\n    total += 1",
        "while True:\n    total += 1",
        "for x in range(n):\n    if x > 3:\n        break\n    total += 1",
    ],
)
def test_what_another_loop_sets_is_an_input(loop: str) -> None:
    assert value(loop) is None
    assert value(loop, "total=4") == 8
