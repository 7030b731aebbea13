"""Results that edits leave as they are: a result is kept with what was read for it, and serves as long as no edit touches that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

from sgmem.program.earlier import keep_bytes
from sgmem.program.edits import Content, Edits, contents
from sgmem.program.files import Files
from sgmem.program.reads import Reads

if TYPE_CHECKING:
    from sgmem.cache.store import Store
    from sgmem.queries.results.trace import SourceInfo
    from sgmem.source.tree import SourceTree


Line = Callable[[str, int], "int | None"]
"""Where a line of a file stands now; None if it is not the same any more."""


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
    result: msgspec.Raw


class Untouched(Generic[Result]):
    """The last result for a question about what is at a place, in the state in which the source then was. `moved` gives a result with
    its places where they are now, None if that cannot be told."""

    def __init__(
        self,
        store: Store | None,
        kind: str,
        key: Callable[[], str],
        result_type: type[Result],
        moved: Callable[[Result, Line], Result | None],
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
        edits = Edits(tree, Files(tree, tuple(tree.files)), row.contents, contents(tree, row.contents))
        # What is said of the source as a whole names its version and the files that cannot be read.
        is_same = not tree.unreadable and result.source.version == tree.version
        if not is_same or edits.touch(row.reads):
            return None
        found = self._moved(result, edits.line) if edits.paths else result
        return None if found is None else _counted(found, len(tree.files))

    def keep(self, tree: SourceTree, reads: Reads, result: Result) -> None:
        """Keep a result with what was read for it."""
        if self._store is not None and not tree.unreadable:
            now = contents(tree, {})
            keep_bytes(tree, {path: now[path].digest for path in sorted(reads.looked_at & now.keys())})
            row = _Row(now, reads, msgspec.Raw(msgspec.msgpack.encode(result)))
            self._store.put_many(self._kind, [(self._key, msgspec.msgpack.encode(row))])
