"""Edits that leave the code of a file as it was: only comments and blank lines between its statements changed.

A file's lines are remembered by their checksums. Where they differ, the new ones must be comments or blank, and with as many blank
lines in their place as there were before the file must have the outline that it had: then all code is where it was, but on other lines.
"""

from __future__ import annotations

from array import array
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from sgmem.syntax.build import Unparsable, build_outline
from sgmem.syntax.text import SourceText, Undecodable, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.syntax.ir import Span
    from sgmem.syntax.outline import Outline

_COOKIE_LINES = 2
"""The first lines may declare the encoding of the rest."""


class Shift(NamedTuple):
    """Lines from `first` on stand `by` lines further down."""

    first: int
    by: int

    def of(self, line: int) -> int:
        return line + self.by if line >= self.first else line


def line_marks(data: bytes) -> bytes:
    """The checksums of a file's lines, four bytes each. They are compared on the machine that made them only."""
    return array("I", map(crc32, data.split(b"\n"))).tobytes()


def silent_shift(path: str, marks: bytes, data: bytes, outline: Outline) -> Shift | None:
    """How lines moved by a silent edit of a file that had these marks and this outline; None if the edit is none."""
    if b"\r" in data or len(marks) % 4:
        return None
    before, now = array("I", marks), array("I", line_marks(data))
    shared = min(len(before), len(now))
    same = _length(zip(before, now, strict=False))
    tail = _length(islice(zip(reversed(before), reversed(now), strict=False), shared - same))
    lines = data.split(b"\n")
    changed = lines[same : len(lines) - tail]
    if same < _COOKIE_LINES or any(line.strip()[:1] not in (b"", b"#") for line in changed):
        return None
    removed = len(before) - same - tail
    if any(_meets(span, same + 1, removed) for span in _written(outline)):
        return None
    text = b"\n".join([*lines[:same], *[b""] * removed, *lines[len(lines) - tail :]])
    try:
        kept = build_outline(SourceText(path, decode(text))) == outline
    except (Unparsable, Undecodable):
        return None
    return Shift(same + removed + 1, len(now) - len(before)) if kept else None


def _length(pairs: Iterator[tuple[int, int]]) -> int:
    """How many pairs of equals come first."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _meets(span: Span, first: int, lines: int) -> bool:
    """Whether some lines, or what is put before line `first` where there are none, touch a span."""
    return span.line < first + lines and span.end_line >= first if lines else span.line < first <= span.end_line


def _written(outline: Outline) -> Iterator[Span]:
    """Where code stands: every simple statement, every header of a compound one."""
    for row in outline.statements:
        if not row.heads and row.kind not in ("try", "function", "class"):
            yield row.span
        yield from row.heads
    for scope in outline.scopes:
        yield from (*scope.decorators, *scope.bases, *(span for _, span in scope.keywords), *(one.span for one in scope.parameters))
