"""Files as they were: of what a result rests on, the content is kept, so that both states can be compared after an edit."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from sgmem.cache.store import Store
from sgmem.source.identifiers import encoded_identifier, mentions
from sgmem.source.words import matching, words_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sgmem.source.tree import SourceTree

_BYTES = "bytes"


def kept_bytes(store: Store, digests: Iterable[str]) -> dict[str, bytes]:
    """Those of some contents, given by their hashes, that the store has."""
    found = {}
    for digest, packed in store.get_many(_BYTES, list(dict.fromkeys(digests))).items():
        with suppress(zlib.error):
            found[digest] = zlib.decompress(packed)
    return found


def keep_bytes(tree: SourceTree, digests: Mapping[str, str]) -> None:
    """Keep the content of some files, given by path with its hash."""
    tree.store.put_many(_BYTES, ((digest, zlib.compress(tree.read(path), 1)) for path, digest in digests.items()))


class EarlierTree:
    """Files in an earlier state, as far as the store has their text."""

    def __init__(self, store: Store, root: str, digests: Mapping[str, str]) -> None:
        self.store: Store = _ReadOnly(store)
        self.root = root
        self.digests = digests
        self._bytes = kept_bytes(store, digests.values())

    def knows(self, path: str) -> bool:
        return self.digests.get(path) in self._bytes

    def read(self, path: str) -> bytes:
        return self._bytes[self.digests[path]]

    def digest(self, path: str) -> str:
        return self.digests[path]

    def mentions(self, path: str, name: str) -> bool:
        return mentions(self.read(path), encoded_identifier(name))

    def words_like(self, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
        return matching(pattern, b"\n".join(words_of(self.read(path))))

    def mentioning(self, name: str) -> tuple[str, ...]:
        return tuple(path for path in sorted(self.digests) if self.knows(path) and self.mentions(path, name))


class _ReadOnly(Store):
    """What another store keeps. Of another state of the source there is nothing to add."""

    def __init__(self, store: Store) -> None:
        super().__init__(None)
        self._known = store

    @property
    def keeps(self) -> bool:
        return self._known.keeps

    def get_many(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        return self._known.get_many(kind, keys)

    def put_many(self, kind: str, facts: Iterable[tuple[str, bytes]]) -> None:
        pass

    def before_close(self, callback: Callable[[], None]) -> None:
        pass
