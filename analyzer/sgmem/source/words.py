"""The words of every file of a tree, for the run that looks for many of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.cache.store import Store

_KIND = "words"
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SEPARATED = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_TOUCHING = re.compile(rb"[A-Za-z0-9_][\x80-\xff]|[\x80-\xff][A-Za-z0-9_]")
_APART, _TOUCHED = b"a", b"u"


class WordIndex:
    """Per file the set of its words. In the store a file's words are one string of bytes, a fifth of the source.

    Words are runs of ASCII letters, digits and underscores. A word next to another kind of character may be part of a
    longer identifier; files where that can be are told apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._words: dict[str, frozenset[bytes]] = {}
        self._apart: dict[str, bool] = {}

    def load(self, digests: Mapping[str, str]) -> set[str]:
        """Take from the store what is known about files, given by path and digest; the paths taken."""
        known = self._store.get_many(_KIND, list(dict.fromkeys(digests.values())))
        found = {path: known[digest] for path, digest in digests.items() if digest in known}
        for path, packed in found.items():
            mark, _, words = packed.partition(b"\n")
            self._keep(path, frozenset(words.split(b"\n")), mark == _APART)
        return set(found)

    def add(self, files: Iterable[tuple[str, str, bytes]]) -> None:
        """Index files, given by path, digest and bytes, and keep that in the store."""
        fresh = []
        for path, digest, data in files:
            words, apart = words_of(data), data.isascii() or _TOUCHING.search(data) is None
            self._keep(path, words, apart)
            if self._store.keeps:
                fresh.append((digest, b"\n".join([_APART if apart else _TOUCHED, *words])))
        self._store.put_many(_KIND, fresh)

    def _keep(self, path: str, words: frozenset[bytes], apart: bool) -> None:
        self._words[path], self._apart[path] = words, apart

    def search(self, word: bytes) -> dict[str, bool]:
        """The files that have `word`; the value is False if only a look at the file can tell that it stands alone."""
        found = [path for path, words in self._words.items() if word in words]
        return {path: self._apart[path] for path in found}


def words_of(data: bytes) -> frozenset[bytes]:
    """The distinct words of `data`."""
    return frozenset(data.translate(_SEPARATED).split())
