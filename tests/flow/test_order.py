"""Which uses a definition reaches inside one function, and which definitions reach a use."""

from __future__ import annotations

from textwrap import dedent

from flow.small import MAIN, program_of

from sgmem.flow.order import ENTRY, Order
from sgmem.program.files import File

SOURCE = dedent("""
    def start(value, flag):
        show(value)
        if flag:
            value = 1
        show(value)
        value = 2
        show(value)
        for value in things:
            show(value)
        show(value)
        (other, value) = 3, 4
        show(value)
        if (value := 5):
            show(value)
        value: int
        show(value)
""").lstrip()


def setup(source: str = SOURCE) -> tuple[Order, File, dict[int, int]]:
    """The order, the file, and its statement indices by line."""
    program = program_of(source)
    file = program.files.get(MAIN)
    assert file is not None
    return Order(program.names), file, {row.span.line: index for index, row in enumerate(file.outline.statements)}


def test_definitions_and_whether_they_certainly_overwrite() -> None:
    order, file, at = setup()
    certain = {
        line: order.definitions(file, 1, "value")[index] for line, index in at.items() if index in order.definitions(file, 1, "value")
    }
    assert certain == {4: True, 6: True, 8: True, 11: True, 13: False, 15: False}


def test_reaching_definitions() -> None:
    order, file, at = setup()
    lines = {index: line for line, index in at.items()} | {ENTRY: 0}

    def reaching(line: int) -> set[int]:
        return {lines[index] for index in order.reaching(file, 1, "value", at[line])}

    assert reaching(2) == {0}
    assert reaching(5) == {0, 4}
    assert reaching(7) == {6}
    assert reaching(9) == {8}
    assert reaching(10) == {6, 8}
    assert reaching(12) == {11}
    assert 13 in reaching(14)


def test_reached_uses_are_the_counterpart() -> None:
    order, file, at = setup()
    uses = frozenset(at[line] for line in (2, 5, 7, 9, 10, 12, 14))
    lines = {index: line for line, index in at.items()}

    def reached(definition: int) -> set[int]:
        return {lines[index] for index in order.reached(file, 1, "value", definition, uses)}

    assert reached(ENTRY) == {2, 5}
    assert reached(at[4]) == {5}
    assert reached(at[6]) == {7, 10}
    assert reached(at[11]) == {12, 14}


def test_assignments_of_an_attribute_as_it_is_spelled() -> None:
    order, file, at = setup(
        "def start(self, other, flag):\n    self.size = 1\n    other.size = 2\n    if flag:\n        self.size = 3\n    show(self.size)\n"
    )
    assert set(order.assignments(file, 1, "self.size")) == {at[2], at[5]}
    assert set(order.assignments(file, 1, "other.size")) == {at[3]}
    assert order.reaching_assignments(file, 1, "self.size", at[6]) == {at[2], at[5]}
    assert order.reaching_assignments(file, 1, "self.size", at[2]) == {ENTRY}
