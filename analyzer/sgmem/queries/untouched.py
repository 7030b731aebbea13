"""Results that edits leave as they are: a result is kept with what was read for it, and serves as long as no edit touches that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

from sgmem.program.edits import Content, Edits, contents
from sgmem.program.file_facts import kept_outline
from sgmem.program.files import Files
from sgmem.program.reads import Reads
from sgmem.program.silent_edits import Shift, line_marks, silent_shift

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sgmem.cache.store import Store
    from sgmem.queries.results.trace import SourceInfo
    from sgmem.source.tree import SourceTree


class _HasSource(Protocol):
    @property
    def source(self) -> SourceInfo: ...


Result = TypeVar("Result", bound=_HasSource)


def _counted(result: Result, files: int) -> Result:
    """A result about as many files: files that were added or removed and do not touch it count all the same."""
    return msgspec.structs.replace(result, source=msgspec.structs.replace(result.source, files=files))  # type: ignore[type-var]


class _Row(msgspec.Struct, frozen=True, array_like=True):
    contents: dict[str, Content]
    reads: Reads
    marks: dict[str, bytes]
    """Of every file that was parsed, the checksums of its lines."""
    result: msgspec.Raw


class Untouched(Generic[Result]):
    """The last result for a question about what is at a place, in the state in which the source then was. `moved` gives a result with
    other lines in some files."""

    def __init__(
        self,
        store: Store | None,
        kind: str,
        key: Callable[[], str],
        result_type: type[Result],
        moved: Callable[[Result, Mapping[str, Shift]], Result],
    ) -> None:
        self._store = store if store is not None and store.keeps else None
        self._kind = f"{kind} untouched"
        self._key = key() if self._store is not None else ""
        self._type = result_type
        self._moved = moved

    def find(self, tree: SourceTree) -> Result | None:
        """The result, if the source is as it was, but for edits that do not touch it; places that such an edit moved are where they
        stand now."""
        data = self._store.get(self._kind, self._key) if self._store is not None else None
        if data is None:
            return None
        try:
            row = msgspec.msgpack.decode(data, type=_Row)
            result = msgspec.msgpack.decode(row.result, type=self._type)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        now = contents(tree, row.contents)
        edits = Edits(tree, Files(tree, tuple(tree.files)), row.contents, now)
        shifts = self._silent(tree, row, edits)
        edits.ignore(shifts)
        # What is said of the source as a whole names its version and the files that cannot be read.
        is_same = not tree.unreadable and result.source.version == tree.version
        if not is_same or edits.touch(row.reads):
            return None
        return _counted(self._moved(result, shifts) if shifts else result, len(tree.files))

    def _silent(self, tree: SourceTree, row: _Row, edits: Edits) -> dict[str, Shift]:
        """The parsed files of which no code was edited, each with how its lines moved."""
        found = {}
        for path in edits.paths & row.marks.keys() if self._store is not None else ():
            outline = kept_outline(tree.store, row.contents[path].digest) if path in tree.files else None
            shift = silent_shift(path, row.marks[path], tree.read(path), outline) if outline is not None else None
            if shift is None:
                break  # one file with other code is enough for another result
            found[path] = shift
        return found

    def keep(self, tree: SourceTree, reads: Reads, result: Result) -> None:
        """Keep a result with what was read for it."""
        if self._store is not None and not tree.unreadable:
            marks = {path: line_marks(tree.read(path)) for path in sorted(reads.parsed) if path in tree.files}
            row = _Row(contents(tree, {}), reads, marks, msgspec.Raw(msgspec.msgpack.encode(result)))
            self._store.put_many(self._kind, [(self._key, msgspec.msgpack.encode(row))])
