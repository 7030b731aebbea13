"""What is known of a file by its content alone, kept between runs: its outline, and the statements that were lowered.

Facts are found by the hash of the content, so they are never out of date: an edited file has another hash, and only that file is
parsed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.syntax.build import Unparsable, build_outline
from sgmem.syntax.ir import Expr, Span, Statement
from sgmem.syntax.outline import Outline
from sgmem.syntax.packed import Unpackable, packed, unpacked

if TYPE_CHECKING:
    from sgmem.cache.store import Store
    from sgmem.syntax.text import SourceText

_OUTLINES = "outline"
_LOWERED = "lowered"
_OUTLINES_HELD = 200
"""New outlines are written in batches of so many: those of all files of a release are a hundred megabytes."""


class _Parsed(msgspec.Struct, frozen=True, array_like=True):
    """The outline of a file, or why it has none."""

    outline: Outline | None
    problem: str = ""


class _Rows(msgspec.Struct, array_like=True):
    """The packed statements of a file by index, and its packed expressions by span."""

    statements: dict[int, msgspec.Raw] = {}
    expressions: dict[str, msgspec.Raw] = {}


class FileFacts:
    """The facts of all files of a run. What was found out is written when the store is closed."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._outlines: dict[str, bytes] = {}
        self._lowered: list[Lowered] = []
        store.before_close(self.save)

    def outline(self, source: SourceText, digest: str) -> Outline:
        """The outline of a file whose content has this hash. Raises `Unparsable`."""
        known = _kept_parse(self.store, digest) if digest else None
        if known is None:
            known = _parsed(source)
            if digest:
                self._outlines[digest] = msgspec.msgpack.encode(known)
                if len(self._outlines) >= _OUTLINES_HELD:
                    self._save_outlines()
        if known.outline is None:
            raise Unparsable(known.problem)
        return known.outline

    def _save_outlines(self) -> None:
        self.store.put_many(_OUTLINES, self._outlines.items())
        self._outlines.clear()

    def lowered(self, digest: str) -> Lowered:
        """The lowered statements of a file, to be read and added to."""
        lowered = Lowered(self.store, digest)
        self._lowered.append(lowered)
        return lowered

    def save(self) -> None:
        """Hand what is new to the store."""
        self._save_outlines()
        self.store.put_many(_LOWERED, [(one.digest, data) for one in self._lowered if (data := one.encoded()) is not None])


class Lowered:
    """The lowered statements and expressions of one file that earlier runs kept, and those that this run adds."""

    def __init__(self, store: Store, digest: str) -> None:
        self.digest = digest
        self._store = store
        self._rows: _Rows | None = None
        self._new: list[tuple[int | Span, Statement | Expr]] = []

    def statement(self, index: int, kind: str) -> Statement | None:
        """Statement `index` as it was kept."""
        data = self._kept().statements.get(index)
        found = _unpacked(data) if data is not None else None
        return found if isinstance(found, Statement) and found.kind == kind else None

    def expression(self, span: Span) -> Expr | None:
        """The expression at `span` as it was kept."""
        data = self._kept().expressions.get(_key(span))
        found = _unpacked(data) if data is not None else None
        return found if isinstance(found, Expr) and found.span == span else None

    def add(self, place: int | Span, lowered: Statement | Expr) -> None:
        """Keep what was lowered: a statement by its index, an expression by its span."""
        if self._store.keeps:
            self._new.append((place, lowered))

    def encoded(self) -> bytes | None:
        """What is kept and what is new; None if nothing is."""
        rows = self._kept() if self._new else _Rows()
        for place, lowered in self._new:
            try:
                data = msgspec.Raw(packed(lowered))
            except Unpackable:
                continue
            if isinstance(place, Span):
                rows.expressions[_key(place)] = data
            else:
                rows.statements[place] = data
        self._new.clear()
        return msgspec.msgpack.encode(rows) if rows.statements or rows.expressions else None

    def _kept(self) -> _Rows:
        if self._rows is None:
            data = self._store.get(_LOWERED, self.digest) if self.digest else None
            try:
                self._rows = _Rows() if data is None else msgspec.msgpack.decode(data, type=_Rows)
            except (msgspec.DecodeError, msgspec.ValidationError):
                self._rows = _Rows()
        return self._rows


def _kept_parse(store: Store, digest: str) -> _Parsed | None:
    data = store.get(_OUTLINES, digest)
    try:
        return None if data is None else msgspec.msgpack.decode(data, type=_Parsed)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def _parsed(source: SourceText) -> _Parsed:
    try:
        return _Parsed(build_outline(source))
    except Unparsable as error:
        return _Parsed(None, str(error))


def _unpacked(data: msgspec.Raw) -> Statement | Expr | None:
    try:
        return unpacked(data)
    except Unpackable:
        return None


def _key(span: Span) -> str:
    return f"{span.line},{span.column},{span.end_line},{span.end_column}"
