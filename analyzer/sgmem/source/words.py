"""The words of every file of a tree, for the run that looks for many of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

    from sgmem.cache.store import Store

_KIND = "words"
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SEPARATED = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_TOUCHING = re.compile(rb"[A-Za-z0-9_]+(?=[\x80-\xff])|(?<=[\x80-\xff])[A-Za-z0-9_]+")
_PLAIN, _MIXED = b"a", b"u"
_GROUP = 30
"""How many files one table of words tells apart: as many as a small integer of Python has bits. Tables of many files would be too large
for the processor's caches while they are filled; sets for each file would hold a word as often as there are files that have it."""


class WordIndex:
    """Per word the files that have it. In the store a file's words are one string of bytes, a fifth of the source.

    Words are runs of ASCII letters, digits and underscores. In a file that has other letters too a word may be part of a longer
    identifier; such files are told apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables: list[tuple[dict[bytes, int], list[str]]] = []
        """For some files each: every word with a bit for each file that has it, and the files in the order of their bits."""
        self._places: dict[str, tuple[int, int]] = {}
        """Where a file's words are: the number of the table, and the file's bit."""
        self._plain: dict[str, bool] = {}
        self._passed: dict[tuple[int, WordFilter], dict[bytes, int]] = {}
        """Of the words in a table those that a filter lets through, with their bits."""

    def load(self, digests: Mapping[str, str]) -> set[str]:
        """Take from the store what is known about files, given by path and digest; the paths taken."""
        known = self._store.get_many(_KIND, list(dict.fromkeys(digests.values())))
        found = {path for path, digest in digests.items() if digest in known}
        for path in sorted(found):
            mark, _, words = known[digests[path]].partition(b"\n")
            self._keep(path, words.split(b"\n"), mark == _PLAIN)
        return found

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

    def _keep(self, path: str, words: Iterable[bytes], plain: bool) -> None:
        if not self._tables or len(self._tables[-1][1]) == _GROUP:
            self._tables.append(({}, []))
        table, paths = self._tables[-1]
        bit = 1 << len(paths)
        paths.append(path)
        self._places[path], self._plain[path] = (len(self._tables) - 1, bit), plain
        self._passed.clear()
        known = table.get
        for word in words:
            table[word] = known(word, 0) | bit

    def has(self, path: str, word: bytes) -> bool | None:
        """Whether a file has `word`; None if only a look at it can tell."""
        if path not in self._places:
            return None
        number, bit = self._places[path]
        table, _ = self._tables[number]
        return (True if self._plain[path] else None) if table.get(word, 0) & bit else False

    def like(self, path: str, passing: WordFilter) -> frozenset[bytes] | None:
        """The words of a file that a filter lets through; None for a file that is not in the index."""
        if path not in self._places:
            return None
        number, bit = self._places[path]
        found = self._passed.get((number, passing))
        if found is None:
            table, _ = self._tables[number]
            found = self._passed[number, passing] = {word: table[word] for word in passing.of(table.keys())}
        return frozenset([word for word, bits in found.items() if bits & bit])

    def search(self, word: bytes) -> dict[str, bool]:
        """The files that have `word`, in order; the value is False if only a look at the file can tell that it stands alone."""
        found: list[str] = []
        for table, paths in self._tables:
            bits = table.get(word)
            if bits:
                found += [path for number, path in enumerate(paths) if bits >> number & 1]
        return {path: self._plain[path] for path in sorted(found)}


class WordFilter:
    """Tells the words in which a pattern matches. Each word is looked at once, and most files have only words that others have too."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._pattern = pattern
        self._seen: set[bytes] = set()
        self._matching: set[bytes] = set()

    def of(self, words: Set[bytes]) -> Set[bytes]:
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
