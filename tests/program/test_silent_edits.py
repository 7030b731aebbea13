"""Edits of comments and blank lines between statements are silent; all others are not."""

from __future__ import annotations

import pytest

from sgmem.program.silent_edits import Shift, line_marks, silent_shift
from sgmem.syntax.build import build_outline
from sgmem.syntax.ir import Span
from sgmem.syntax.text import SourceText, decode

TEXT = b"""# coding: utf-8
# A module.
import os


@decorated(
    1,
)
def first(
    a,
    b=(
        2
    ),
):
    # a remark
    x = [
        a,
    ]
    y = '''
    text
    '''
    if x and (
        y
    ):
        return 1
    else:
        return 2


class Last:
    size: int = 3
"""
LINES = TEXT.split(b"\n")


def shift(edited: bytes, text: bytes = TEXT) -> Shift | None:
    return silent_shift("a.py", line_marks(text), edited, build_outline(SourceText("a.py", decode(text))))


def put(line: int, new: bytes, instead: int = 0) -> bytes:
    """TEXT with something before a line, or instead of some lines from there on."""
    return b"\n".join([*LINES[: line - 1], new, *LINES[line - 1 + instead :]])


CUT = {7, 8, 12, 17, 18, 20, 21, 23, 24}
"""Before these lines a statement or an expression would be cut in two."""


@pytest.mark.parametrize("remark", [b"", b"# remark", b"    # remark\n\n# more"])
@pytest.mark.parametrize("line", range(3, len(LINES) + 1))
def test_a_remark_is_silent_where_it_cuts_nothing(line: int, remark: bytes) -> None:
    edited = put(line, remark)
    found = shift(edited)
    assert (found is None) is (line in CUT)
    if found is not None:  # every statement is where it is said to be
        before, now = (SourceText("a.py", decode(data)) for data in (TEXT, edited))
        spans = [row.span for row in build_outline(before).statements]
        moved = [Span(found.of(one.line), one.column, found.of(one.end_line), one.end_column) for one in spans]
        assert moved == [row.span for row in build_outline(now).statements]
        assert [before.line(one.line) for one in spans] == [now.line(one.line) for one in moved]


@pytest.mark.parametrize("new", [b"", b"    # another", b"    # another\n    # and one more"])
def test_a_remark_may_be_changed_or_go(new: bytes) -> None:
    found = shift(put(15, new, 1))
    assert found is not None
    assert found.by == new.count(b"\n")


@pytest.mark.parametrize(
    ("line", "new", "instead"),
    [(30, b"x = 1", 0), (31, b"# gone", 1), (31, b"    size: int = 4", 1), (26, b"    # gone", 1), (25, b"        # gone", 1), (6, b"#", 3),
     (14, b") -> int:", 1), (3, b"#", 1), (20, b"    # other", 1), (1, b"# coding: latin-1", 1), (3, b"# remark\r", 0)],
)  # fmt: skip
def test_other_edits_are_not_silent(line: int, new: bytes, instead: int) -> None:
    assert shift(put(line, new, instead)) is None


def test_what_does_not_parse_any_more_is_not_silent() -> None:
    assert shift(put(31, b"# gone", 1)) is None


def test_lines_before_the_edit_stay() -> None:
    moved = Shift(5, 2)
    assert [moved.of(4), moved.of(5), moved.of(6)] == [4, 7, 8]
