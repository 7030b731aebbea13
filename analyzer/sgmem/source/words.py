"""The words of every file of a tree, for the run that looks for many of them."""

from __future__ import annotations

import hashlib
import re
from array import array
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sgmem.cache.store import Store

_KIND = "words"
_TABLES = "word tables"
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SEPARATED = bytes(code if code in _WORD_BYTES else 0x20 for code in range(256))
_TOUCHING = re.compile(rb"[A-Za-z0-9_]+(?=[\x80-\xff])|(?<=[\x80-\xff])[A-Za-z0-9_]+")
_PLAIN, _MIXED = b"a", b"u"
_GROUPS = 192
"""In how many groups files are put by their paths, each with a table of words. Of a large source a group has as many files as a small
integer of Python has bits. Tables of more files would be too large for the processor's caches while they are filled, and an edit has
one of them made anew; sets for each file would hold a word as often as there are files that have it."""
_MOST_KEPT = 64
"""The most files of a table that can be kept: as many as an integer in the store has bits."""
_FEW_TABLES = 2


class WordIndex:
    """Per word the files that have it. In the store a file's words are one string of bytes, a fifth of the source, and the words of a
    group of files are kept beside that as the table that is made of them.

    Words are runs of ASCII letters, digits and underscores. In a file that has other letters too a word may be part of a longer
    identifier; such files are told apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables: dict[int, tuple[dict[bytes, int], list[str]]] = {}
        """For each group of files every word with a bit for each file that has it, and the files in the order of their bits."""
        self._places: dict[str, tuple[int, int]] = {}
        """Where a file's words are: the number of the group, and the file's bit."""
        self._plain: dict[str, bool] = {}
        self._vocabulary = b""
        """Every word once, each on its line; empty while it is not known."""
        self._asked: dict[re.Pattern[bytes], int] = {}
        """In how many tables it was looked for the words in which a pattern matches."""
        self._matching: dict[re.Pattern[bytes], frozenset[bytes]] = {}
        """Of all words those in which a pattern matches."""
        self._passed: dict[tuple[int, re.Pattern[bytes]], dict[bytes, int]] = {}
        """Of the words in a table those in which a pattern matches, with their bits."""

    def load(self, digests: Mapping[str, str]) -> set[str]:
        """Take from the store what is known about files, given by path and digest; the paths taken."""
        groups: dict[int, list[str]] = {}
        for path in sorted(digests):
            groups.setdefault(_group(path), []).append(path)
        keys = {number: _table_key(paths, digests) for number, paths in groups.items()}
        tables = self._store.get_many(_TABLES, list(keys.values()))
        missed = {number: paths for number, paths in groups.items() if not self._take(number, paths, tables.get(keys[number], b""))}
        known = self._store.get_many(_KIND, list(dict.fromkeys(digests[path] for paths in missed.values() for path in paths)))
        for paths in missed.values():
            for path in paths:
                if digests[path] in known:
                    mark, _, words = known[digests[path]].partition(b"\n")
                    self._keep(path, words.split(b"\n") if words else (), mark == _PLAIN)
        self._store_tables(missed, digests)
        return self._places.keys() & digests.keys()

    def _take(self, number: int, paths: list[str], kept: bytes) -> bool:
        """Take over the table of a group of files as it was kept."""
        plain, _, rest = kept.partition(b"\n")
        lines, _, bits = rest.partition(b"\n\n")
        words, numbers = lines.split(b"\n"), array("Q")
        if len(plain) != len(paths) or len(bits) != len(words) * numbers.itemsize:
            return False
        numbers.frombytes(bits)
        self._tables[number] = dict(zip(words, numbers, strict=True)), paths
        for place, path in enumerate(paths):
            self._places[path], self._plain[path] = (number, 1 << place), plain[place : place + 1] == _PLAIN
        return True

    def _store_tables(self, groups: Mapping[int, Sequence[str]], digests: Mapping[str, str]) -> None:
        """Keep the tables of those groups of files, all of whose words are known."""
        if not self._store.keeps:
            return
        fresh = []
        for number, paths in groups.items():
            table, held = self._tables.get(number, ({}, []))
            if held == list(paths) and len(held) <= _MOST_KEPT:
                plain = b"".join(_PLAIN if self._plain[path] else _MIXED for path in held)
                bits = array("Q", table.values()).tobytes()
                fresh.append((_table_key(paths, digests), b"\n".join([plain, *table, b"", bits])))
        self._store.put_many(_TABLES, fresh)

    def add(self, files: Iterable[tuple[str, str, bytes]]) -> None:
        """Index files, given by path, digest and bytes, and keep that in the store."""
        fresh = []
        for path, digest, data in sorted(files, key=lambda file: _group(file[0])):
            words, plain = words_of(data), data.isascii()
            self._keep(path, words, plain)
            if self._store.keeps:
                mark = _PLAIN if plain else b" ".join([_MIXED, *touching(data)])
                fresh.append((digest, b"\n".join([mark, *words])))
        self._store.put_many(_KIND, fresh)

    def _keep(self, path: str, words: Iterable[bytes], plain: bool) -> None:
        number = _group(path)
        table, paths = self._tables.setdefault(number, ({}, []))
        bit = 1 << len(paths)
        paths.append(path)
        self._places[path], self._plain[path] = (number, bit), plain
        self._vocabulary = b""
        self._matching.clear()
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

    def like(self, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes] | None:
        """The words of a file in which a pattern matches; None for a file that is not in the index."""
        if path not in self._places:
            return None
        number, bit = self._places[path]
        found = self._passed.get((number, pattern))
        if found is None:
            table, _ = self._tables[number]
            found = self._passed[number, pattern] = {word: table[word] for word in table.keys() & self._like(pattern, table)}
        return frozenset([word for word, bits in found.items() if bits & bit]) if found else NONE

    def _like(self, pattern: re.Pattern[bytes], table: Mapping[bytes, int]) -> frozenset[bytes]:
        """The words, those of a table at least, in which a pattern matches. Who asks about many files has all words looked at, each
        once: most files have only words that others have too."""
        found = self._matching.get(pattern)
        if found is None:
            asked = self._asked[pattern] = self._asked.get(pattern, 0) + 1
            if asked <= _FEW_TABLES:
                return matching(pattern, b"\n".join(table))
            if not self._vocabulary:
                self._vocabulary = b"\n".join(set[bytes]().union(*(table for table, _ in self._tables.values())))
            found = self._matching[pattern] = matching(pattern, self._vocabulary)
        return found

    def search(self, word: bytes) -> dict[str, bool]:
        """The files that have `word`, in order; the value is False if only a look at the file can tell that it stands alone."""
        found: list[str] = []
        for table, paths in self._tables.values():
            bits = table.get(word)
            if bits:
                found += [path for number, path in enumerate(paths) if bits >> number & 1]
        return {path: self._plain[path] for path in sorted(found)}


def _group(path: str) -> int:
    return crc32(path.encode("utf-8", "surrogatepass")) % _GROUPS


def _table_key(paths: Iterable[str], digests: Mapping[str, str]) -> str:
    """A name for the words of some files in this order."""
    text = "\n".join(f"{path}\0{digests[path]}" for path in paths)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def matching(pattern: re.Pattern[bytes], lines: bytes) -> frozenset[bytes]:
    """The words, each on its line, in which a pattern matches."""
    found: set[bytes] = set()
    search, at = pattern.search, 0
    while (match := search(lines, at)) is not None:
        end = lines.find(b"\n", match.end())
        end = end if end >= 0 else len(lines)
        found.add(lines[lines.rfind(b"\n", 0, match.start()) + 1 : end])
        at = end + 1
    return frozenset(found)


class KeptWords(NamedTuple):
    """The words of a file, whether all its characters are ASCII, and the words that stand beside others."""

    words: frozenset[bytes]
    plain: bool
    touching: frozenset[bytes]


NONE = frozenset[bytes]()
NO_WORDS = KeptWords(NONE, True, NONE)


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
