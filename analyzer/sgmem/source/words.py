"""The words of every file of a tree, for the run that looks for many of them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.cache.store import Store

_KIND = "words"
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SEPARATED = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_ALL_ASCII, _NOT_ALL_ASCII = b"a", b"u"


class WordIndex:
    """Per file its words, each once, in one string of bytes: a fifth of the source, and a hit needs no second look.

    Words are runs of ASCII letters, digits and underscores. A word next to another kind of letter may be part of a
    longer identifier; files where that can be are told apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._words: dict[str, bytes] = {}
        self._together: tuple[bytes, list[int], list[str]] | None = None

    def load(self, digests: Mapping[str, str]) -> set[str]:
        """Take from the store what is known about files, given by path and digest; the paths taken."""
        known = self._store.get_many(_KIND, list(dict.fromkeys(digests.values())))
        found = {path: known[digest] for path, digest in digests.items() if digest in known}
        self._words.update(found)
        return set(found)

    def add(self, files: Iterable[tuple[str, str, bytes]]) -> None:
        """Index files, given by path, digest and bytes, and keep that in the store."""
        fresh = []
        for path, digest, data in files:
            words = self._words[path] = words_of(data)
            fresh.append((digest, words))
        self._store.put_many(_KIND, fresh)

    def search(self, word: bytes) -> dict[str, bool]:
        """The files that have `word`; the value is False if only a look at the file can tell that it stands alone."""
        line = b"\n" + word + b"\n"
        joined, starts, paths = self._joined()
        found: dict[str, bool] = {}
        at = joined.find(line)
        while at >= 0:
            path = paths[bisect_right(starts, at) - 1]
            found[path] = self._words[path].startswith(_ALL_ASCII)
            at = joined.find(line, at + 1)
        return found

    def _joined(self) -> tuple[bytes, list[int], list[str]]:
        """All files' words in one string, where each file's begin, and the files: one search instead of thousands."""
        if self._together is None or len(self._together[2]) != len(self._words):
            starts, end = [], 0
            for words in self._words.values():
                starts.append(end)
                end += len(words) + 1
            # A null byte between two files, so that no file's mark stands on a line of its own.
            self._together = (b"\0".join(self._words.values()), starts, list(self._words))
        return self._together


def words_of(data: bytes) -> bytes:
    """The distinct words of `data`, each between newlines, after a mark that says whether it is all ASCII."""
    mark = _ALL_ASCII if data.isascii() else _NOT_ALL_ASCII
    return b"\n".join([mark, *set(data.translate(_SEPARATED).split()), b""])
