"""Classes by text alone."""

from __future__ import annotations

import pytest

from sgmem.program.class_index import classes_around, indented_headers

TEXT = """
class Outer:
    first: int

    class Inner:
        second: int

    def method(self):
        self.third = 1


def alone():
    fourth = 1
"""


@pytest.mark.parametrize(
    ("word", "classes"),
    [("first", {"Outer"}), ("second", {"Outer", "Inner"}), ("third", {"Outer", "Inner"}), ("alone", set()), ("nothing", set())],
)
def test_classes_around_a_place(word: str, classes: set[str]) -> None:
    assert classes_around(TEXT, indented_headers(TEXT), [TEXT.find(word)] if word in TEXT else []) == classes
