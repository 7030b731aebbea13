from __future__ import annotations

import pytest
from control.outlines import Program

from sgmem.control.labels import Labels
from sgmem.control.rendering import render


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("1", "mode == 1"),
        ("-1", "mode == -1"),
        ("'a' | 'b' | 'c'", 'mode in ("a", "b", "c")'),
        ("None", "mode is None"),
        ("None | 0", "mode is None or mode == 0"),
        ("Mode.FAST", "mode == Mode.FAST"),
        ("_", "always"),
        ("other", "always"),
        ("_ if guard", "guard"),
        ("1 if n > 2", "mode == 1 and n > 2"),
        ("Point(x=0)", "mode matches Point(x=0)"),
        ("[first, *rest]", "mode matches [first, *rest]"),
        ("str() as text", "mode matches (str() as text)"),
    ],
)
def test_cases(pattern: str, expected: str) -> None:
    program = Program(f"match mode:\n  case {pattern}:\n    a = 1\n")
    labels = Labels(program.cfg.blocks, program.lower_test, program.lower_head)
    predicate, span = labels.of(program.at("case"))
    assert render(predicate) == expected
    assert (span.line, span.column) == (2, 8)


def test_without_heads_a_label_tells_its_line() -> None:
    program = Program("try:\n  a = 1\nexcept E:\n  b = 1\nfor i in x:\n  match m:\n    case 1:\n      c = 1\n")
    labels = Labels(program.cfg.blocks, program.lower_test)
    assert render(labels.of(program.at("except"))[0]) == "except at line 3"
    assert render(labels.of(program.at("case"))[0]) == "case at line 7"
    assert render(labels.of(program.at("for"))[0]) == "always"


def test_a_test_that_cannot_be_had_is_an_event_of_its_line() -> None:
    program = Program("if a:\n  x = 1\nif a:\n  y = 1\n")
    labels = Labels(program.cfg.blocks, lambda statement: None)
    first, second = (labels.of(statement)[0] for statement in program.cfg.blocks.of(-1, "body"))
    assert render(first) == "condition at line 1"
    assert first != second


def test_a_header_is_lowered_once() -> None:
    program = Program("if a:\n  x = 1\n")
    labels = Labels(program.cfg.blocks, program.lower_test)
    assert labels.of(0) is labels.of(0)
    assert program.lowered == [0]
