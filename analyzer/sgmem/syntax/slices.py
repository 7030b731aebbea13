"""A slice of a file that is parsed by itself: offsets in it, and places in the file."""

from __future__ import annotations

import re

from sgmem.syntax.ir import Span


class Slice:
    """`text` is the slice, `place` its span in the file."""

    def __init__(self, text: str, place: Span) -> None:
        self.text = text
        self.place = place
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Where the lines of the slice begin."""
        if self._starts is None:
            self._starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return self._starts

    def offset(self, line: int, column: int) -> int:
        """The offset in the slice of a place in the file."""
        if line == self.place.line:
            return column - self.place.column
        return self.starts[line - self.place.line] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """The place in the file of an offset in the slice."""
        newlines = self.text.count("\n", 0, offset)
        if not newlines:
            return self.place.line, self.place.column + offset
        return self.place.line + newlines, offset - self.text.rfind("\n", 0, offset)

    def between(self, start: int, end: int) -> Span:
        """The place in the file of a stretch of the slice."""
        return Span(*self.position(start), *self.position(end))

    def slice(self, span: Span) -> str:
        """The text of a span within the slice."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]
