"""The words of every file of a tree, for the run that looks for many of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.cache.store import Store

_KIND = "words"
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SEPARATED = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_TOUCHING = re.compile(rb"[A-Za-z0-9_]+(?=[\x80-\xff])|(?<=[\x80-\xff])[A-Za-z0-9_]+")
_PLAIN, _MIXED = b"a", b"u"
_GROUP = 64
"""How many files are ruled out at once: most names are in few files, and these stand close together."""


class WordIndex:
    """Per file the set of its words. In the store a file's words are one string of bytes, a fifth of the source.

    Words are runs of ASCII letters, digits and underscores. In a file that has other letters too a word may be part of a longer
    identifier; such files are told apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._words: dict[str, frozenset[bytes]] = {}
        self._plain: dict[str, bool] = {}
        self._groups: list[tuple[frozenset[bytes], list[str]]] = []

    def load(self, digests: Mapping[str, str]) -> set[str]:
        """Take from the store what is known about files, given by path and digest; the paths taken."""
        known = kept_words(self._store, digests.values())
        found = {path: known[digest] for path, digest in digests.items() if digest in known}
        for path, kept in found.items():
            self._keep(path, kept.words, kept.plain)
        return set(found)

    def add(self, files: Iterable[tuple[str, str, bytes]]) -> None:
        """Index files, given by path, digest and bytes, and keep that in the store."""
        fresh = []
        for path, digest, data in files:
            words, plain = words_of(data), data.isascii()
            self._keep(path, words, plain)
            if self._store.keeps:
                mark = _PLAIN if plain else b" ".join([_MIXED, *touching(data)])
                fresh.append((digest, b"\n".join([mark, *words])))
        self._store.put_many(_KIND, fresh)

    def _keep(self, path: str, words: frozenset[bytes], plain: bool) -> None:
        self._words[path], self._plain[path] = words, plain
        self._groups.clear()

    def has(self, path: str, word: bytes) -> bool | None:
        """Whether a file has `word`; None if only a look at it can tell."""
        words = self._words.get(path)
        if words is None:
            return None
        return (True if self._plain[path] else None) if word in words else False

    def words(self, path: str) -> frozenset[bytes] | None:
        """The words of a file, if it is in the index."""
        return self._words.get(path)

    def search(self, word: bytes) -> dict[str, bool]:
        """The files that have `word`, in order; the value is False if only a look at the file can tell that it stands alone."""
        found = (path for words, paths in self._grouped() if word in words for path in paths if word in self._words[path])
        return {path: self._plain[path] for path in found}

    def _grouped(self) -> list[tuple[frozenset[bytes], list[str]]]:
        """The files in groups, each with the words of them all."""
        if not self._groups:
            paths = sorted(self._words)
            for first in range(0, len(paths), _GROUP):
                group = paths[first : first + _GROUP]
                self._groups.append((frozenset().union(*(self._words[path] for path in group)), group))
        return self._groups


class WordFilter:
    """Tells the words in which a pattern matches. Each word is looked at once, and most files have only words that others have too."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self._seen: set[bytes] = set()
        self._matching: set[bytes] = set()

    def of(self, words: frozenset[bytes]) -> frozenset[bytes]:
        """Those of some words in which the pattern matches."""
        fresh = words - self._seen
        if fresh:
            self._seen |= fresh
            text = b"\n".join(fresh)
            for match in self._pattern.finditer(text):
                end = text.find(b"\n", match.end())
                self._matching.add(text[text.rfind(b"\n", 0, match.start()) + 1 : end if end >= 0 else len(text)])
        return words & self._matching


class KeptWords(NamedTuple):
    """The words of a file, whether all its characters are ASCII, and the words that stand beside others."""

    words: frozenset[bytes]
    plain: bool
    touching: frozenset[bytes]


NO_WORDS = KeptWords(frozenset(), True, frozenset())


def kept_words(store: Store, digests: Iterable[str]) -> dict[str, KeptWords]:
    """The words of those files, given by the hash of their content, that the store knows."""
    found = {}
    for digest, packed in store.get_many(_KIND, list(dict.fromkeys(digests))).items():
        mark, _, words = packed.partition(b"\n")
        found[digest] = KeptWords(frozenset(words.split(b"\n")), mark == _PLAIN, frozenset(mark.split(b" ")[1:]))
    return found


def touching(data: bytes) -> frozenset[bytes]:
    """The words of `data` that stand beside a character that is not ASCII: they may be part of a longer identifier."""
    return frozenset() if data.isascii() else frozenset(_TOUCHING.findall(data))


def words_of(data: bytes) -> frozenset[bytes]:
    """The distinct words of `data`."""
    return frozenset(data.translate(_SEPARATED).split())
