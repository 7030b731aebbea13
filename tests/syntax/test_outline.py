"""What stands directly inside a statement."""

from __future__ import annotations

from sgmem.syntax.build import build_outline
from sgmem.syntax.text import SourceText

TEXT = """\
if a:
    x = 1
    if b:
        return
    def f():
        raise
    while c: break
else:
    y = 2
z = 3
"""
OUTLINE = build_outline(SourceText("x.py", TEXT))


def lines(statement: int, *block: str) -> list[int]:
    return [OUTLINE.statements[index].span.line for index in OUTLINE.inside(statement, *block)]  # type: ignore[arg-type]


def at(line: int) -> int:
    return next(index for index, row in enumerate(OUTLINE.statements) if row.span.line == line)


def test_only_direct_statements_and_none_behind() -> None:
    assert lines(at(1)) == [2, 3, 5, 7, 9]
    assert lines(at(1), "body") == [2, 3, 5, 7]
    assert lines(at(1), "orelse") == [9]
    assert lines(at(10)) == []


def test_a_definition_holds_its_own_statements() -> None:
    assert lines(at(5)) == [6]


def test_how_a_block_ends() -> None:
    assert OUTLINE.last_inside(at(3), "body") == "return"
    assert OUTLINE.last_inside(at(1), "body") == "while"
    assert OUTLINE.last_inside(at(3), "orelse") is None
