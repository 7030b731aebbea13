"""The outline and the text of a file as one program sees them: what is looked at is noted."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, overload

from sgmem.syntax.text import SourceText, place_of

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator

    from sgmem.program.reads import FileReads
    from sgmem.syntax.ir import Span, StatementKind
    from sgmem.syntax.outline import Block, Outline, ScopeOutline, StatementOutline

Row = TypeVar("Row")


class NotedTable(Sequence[Row]):
    """Rows of a table. `note` is called with the index of each that is looked at, `note_all` when all are gone through."""

    __slots__ = ("_note", "_note_all", "_rows")

    def __init__(self, rows: Sequence[Row], note: Callable[[int], object], note_all: Callable[[], object]) -> None:
        self._rows = rows
        self._note = note
        self._note_all = note_all

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, int) and index >= 0:
            self._note(index)
        else:
            self._note_all()
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        self._note_all()
        return iter(self._rows)


class NotedOutline:
    """An outline whose rows are noted."""

    def __init__(self, outline: Outline, reads: FileReads) -> None:
        self._outline = outline
        self._reads = reads
        self.statements: NotedTable[StatementOutline] = NotedTable(outline.statements, reads.rows.add, self._note_all)
        self.scopes: NotedTable[ScopeOutline] = NotedTable(outline.scopes, self.note_scope, self._note_scopes)

    def _note_all(self) -> None:
        self._reads.whole = True

    def _note_scopes(self) -> None:
        self._reads.listed = True

    def note_scope(self, index: int) -> None:
        """Note that the header of a scope was looked at: it belongs to the statement that defines it."""
        self._reads.rows.add(self._outline.scopes[index].statement)

    def inside(self, statement: int, block: Block | None = None) -> Iterator[int]:
        """See `Outline.inside`."""
        self._reads.rows.add(statement)
        self._reads.opened.add(statement)
        return self._outline.inside(statement, block)

    def last_inside(self, statement: int, block: Block) -> StatementKind | None:
        """See `Outline.last_inside`."""
        inside = list(self.inside(statement, block))
        return self.statements[inside[-1]].kind if inside else None


class NotedText(SourceText):
    """A text of which is noted when the whole is looked at, and which statements begin within a piece of it."""

    def __init__(self, source: SourceText, begins: Callable[[], array[int]], reads: FileReads) -> None:
        super().__init__(source.path, source.text)
        self._source = source
        self._begins = begins
        self._reads = reads

    @property
    def text(self) -> str:
        self._reads.whole = True
        return self._text

    @property
    def starts(self) -> array[int]:
        return self._source.starts

    @property
    def is_ascii(self) -> bool:
        return self._source.is_ascii

    @property
    def wide_lines(self) -> frozenset[int]:
        return self._source.wide_lines

    def slice(self, span: Span) -> str:
        if span.end_line > span.line:
            begins = self._begins()
            first = bisect_left(begins, place_of(span.line, span.column))
            met = range(first, bisect_right(begins, place_of(span.end_line, span.end_column - 1)))
            self._reads.rows.update(met)
            self._reads.through.update(met)
        return super().slice(span)
