"""Results that edits leave as they are: a result is kept with what was read for it, and serves as long as no edit touches that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from sgmem.program.earlier import keep_bytes
from sgmem.program.edits import Content, Edits, contents
from sgmem.program.files import Files
from sgmem.program.reads import Reads
from sgmem.queries.moving import moved
from sgmem.queries.results.trace import SourceInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sgmem.cache.store import Store
    from sgmem.program.text_answers import TextQuestion
    from sgmem.source.tree import SourceTree


Result = TypeVar("Result", bound=msgspec.Struct)


class _Row(msgspec.Struct, frozen=True, array_like=True):
    contents: dict[str, Content]
    reads: Reads
    result: msgspec.Raw


class Untouched(Generic[Result]):
    """The last result for a question about what is at a place, in the state in which the source then was."""

    def __init__(
        self,
        store: Store | None,
        kind: str,
        key: Callable[[], str],
        result_type: type[Result],
        questions: Callable[[], Iterable[TextQuestion]] = tuple,
    ) -> None:
        self._store = store if store is not None and store.keeps else None
        self._kind = f"{kind} untouched"
        self._key = key() if self._store is not None else ""
        self._type = result_type
        self._questions = questions

    def get(self, tree: SourceTree, compute: Callable[[], tuple[Result, Files]]) -> Result:
        """The result, computed, with the files that were read for it, if it is not known."""
        found = self._find(tree)
        if found is None:
            found, files = compute()
            self._keep(tree, files.reads, found)
        return found

    def _find(self, tree: SourceTree) -> Result | None:
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
        edits = Edits(tree, Files(tree, tuple(tree.files)), row.contents, now, self._questions())
        # What is said of the source as a whole names its version and the files that cannot be read.
        source = getattr(result, "source", None)
        if tree.unreadable or (isinstance(source, SourceInfo) and source.version != tree.version) or edits.touch(row.reads):
            return None
        found = moved(result, edits.line) if edits.paths else result
        if found is None or not isinstance(source, SourceInfo):
            return found
        # Files that were added or removed and do not touch it count all the same.
        return msgspec.structs.replace(found, source=msgspec.structs.replace(source, files=len(tree.files)))

    def _keep(self, tree: SourceTree, reads: Reads, result: Result) -> None:
        """Keep a result with what was read for it."""
        if self._store is not None and not tree.unreadable:
            now = contents(tree, {})
            keep_bytes(tree, {path: now[path].digest for path in sorted(reads.looked_at & now.keys())})
            row = _Row(now, reads, msgspec.Raw(msgspec.msgpack.encode(result)))
            self._store.put_many(self._kind, [(self._key, msgspec.msgpack.encode(row))])
