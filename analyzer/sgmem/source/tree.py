"""What is analysed: the Python files of one package, wherever they are kept."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from sgmem.cache.store import NullStore, Store
from sgmem.source.contents import Contents, TextContents
from sgmem.source.identifiers import encoded_identifier, is_word, mentions
from sgmem.source.words import WordIndex, matching, words_of

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping


# Indexing the words of a tree takes as long as a dozen searches through its bytes. A trace makes a hundred; who looks for one or two
# names alone should not wait for the index.
SEARCHES_BEFORE_INDEX = 2
FILES_BEFORE_INDEX = 40
"""To look through the words of this many files is the beginning of a look at all."""


class SourceFile(msgspec.Struct, frozen=True):
    """One Python file.

    `path` is relative to the folder that holds the package, with forward slashes; characters that cannot be printed are
    escaped (see `source.names`), so it is always valid text and unique in its tree. `uri` is where an editor finds the
    file: relative to the repository or folder worked in if it is inside, else absolute; percent-encoded where needed.
    """

    path: str
    uri: str


class Unreadable(msgspec.Struct, frozen=True, order=True):
    """A file that is part of the tree but could not be read, and why, in one line."""

    path: str
    why: str


class SourceTree:
    """The Python files of one package and their bytes.

    `root` is the source as users are told about it; `package` is the import name, "" for a plain folder of modules;
    `version` is what the package says about itself. Bytes are kept once read: a tree is one run's view of the source.
    """

    def __init__(
        self,
        *,
        root: str,
        package: str,
        version: str | None,
        files: Iterable[SourceFile],
        contents: Contents,
        unreadable: Iterable[Unreadable] = (),
        store: Store | None = None,
    ) -> None:
        self.root = root
        self.package = package
        self.version = version
        self.files: Mapping[str, SourceFile] = MappingProxyType({file.path: file for file in sorted(files, key=lambda file: file.path)})
        self._contents = contents
        self._unreadable = {file.path: file for file in unreadable}
        self._bytes: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}
        self._mentioning: dict[str, tuple[str, ...]] = {}
        self._store = store or NullStore()
        self._words: WordIndex | None = None
        self._unindexed = set(self.files)
        self._searches = 0
        self._looks = 0
        self._fingerprint: str | None = None

    @classmethod
    def from_texts(
        cls,
        texts: Mapping[str, str | bytes],
        *,
        package: str | None = None,
        version: str | None = None,
        store: Store | None = None,
    ) -> SourceTree:
        """A tree in memory: path -> source text. Without `package` it is the first folder of the first path."""
        encoded = {path: text.encode() if isinstance(text, str) else text for path, text in texts.items()}
        if package is None:
            package = min((path.partition("/")[0] for path in encoded if "/" in path), default="")
        return cls(
            root="<memory>",
            package=package,
            version=version,
            files=[SourceFile(path, path) for path in encoded],
            contents=TextContents(encoded),
            store=store,
        )

    @property
    def store(self) -> Store:
        """Where facts about the files are kept between runs."""
        return self._store

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """The files that could not be read, those found so far by `read` included; sorted by path."""
        return tuple(sorted(self._unreadable.values()))

    def read(self, path: str) -> bytes:
        """The bytes of a file of the tree. KeyError for any other path.

        A file that cannot be read gives b"" and is listed in `unreadable` from then on: one bad file ends no run.
        """
        data = self._bytes.get(path)
        if data is None:
            data = self._bytes[path] = self._read_or_report(self.files[path].path)
            # A digest learnt from the file system before this read may be of other bytes.
            self._digests.pop(path, None)
        return data

    def _read_or_report(self, path: str) -> bytes:
        try:
            return self._contents.read(path)
        except OSError as error:
            self._unreadable[path] = Unreadable(path, one_line_reason(error))
            return b""

    def digest(self, path: str) -> str:
        """The content hash (BLAKE2b, 32 hex digits) of a file. After `read`, always of the bytes that `read` returned.

        Before `read` it may rest on the file system's word that nothing changed; so facts derived from bytes are to be
        stored under the digest asked for after reading them.
        """
        digest = self._digests.get(path)
        if digest is None:
            digest = self._digests[path] = self._find_digest(self.files[path].path)
        return digest

    def _find_digest(self, path: str) -> str:
        if path not in self._bytes:
            known = self._contents.known_digest(path)
            if known is not None:
                return known
        digest = content_digest(self.read(path))
        if path not in self._unreadable:
            self._contents.learn_digest(path, digest)
        return digest

    def fingerprint(self) -> str:
        """A hash over every path and its content: two runs on the same kind of source agree on it if and only if no
        file was added, removed or changed. Reads no file whose state the file system or git vouches for."""
        if self._fingerprint is None:
            self._fingerprint = self._compute_fingerprint()
        return self._fingerprint

    def _compute_fingerprint(self) -> str:
        total = hashlib.blake2b(self.package.encode(), digest_size=16)
        for path in self.files:
            total.update(f"\0{path}\0{self.identity(path)}".encode())
        for file in self.unreadable:
            total.update(f"\0{file.path}\0{file.why}".encode())
        return total.hexdigest()

    def identity(self, path: str) -> str:
        """A name of a file's content, the cheapest there is: equal if and only if the content is, within one kind of source."""
        return self._contents.identity(path) or self.digest(path)

    def place(self, path: str) -> str | None:
        """Where a file is on disk; None where the source is no folder."""
        return self._contents.place(self.files[path].path)

    def mentioning(self, name: str) -> tuple[str, ...]:
        """The files whose bytes contain `name` as a whole identifier, in order of path."""
        found = self._mentioning.get(name)
        if found is None:
            found = self._mentioning[name] = self._search(encoded_identifier(name))
        return found

    def mentions(self, path: str, name: str) -> bool:
        """Whether the bytes of one file contain `name` as a whole identifier."""
        identifier = encoded_identifier(name)
        known = self._words.has(path, identifier) if self._words is not None and is_word(identifier) else None
        return mentions(self.read(path), identifier) if known is None else known

    def words_like(self, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
        """The words of a file, runs of ASCII letters, digits and underscores, in which a pattern matches."""
        self._looks += 1
        if self._looks == FILES_BEFORE_INDEX:
            self._searches += SEARCHES_BEFORE_INDEX
            self._word_index()
        known = self._words.like(path, pattern) if self._words is not None else None
        return matching(pattern, b"\n".join(words_of(self.read(path)))) if known is None else known

    def _search(self, identifier: bytes) -> tuple[str, ...]:
        index = self._word_index() if is_word(identifier) else None
        if index is None:
            return tuple(path for path in self.files if mentions(self.read(path), identifier))
        found = index.search(identifier).items()
        return tuple(path for path, stands_alone in found if stands_alone or mentions(self.read(path), identifier))

    def _word_index(self) -> WordIndex | None:
        """The index of words if it is worth having: most is known from a run before, or many names are looked for."""
        if self._words is None:
            self._words = WordIndex(self._store)
            known = {path: digest for path in self.files if (digest := self._digest_unread(path)) is not None}
            self._unindexed -= self._words.load(known)
        self._searches += 1
        worth_it = self._searches > SEARCHES_BEFORE_INDEX or len(self._unindexed) <= len(self.files) // 10
        if self._unindexed and worth_it:
            keeps = self._store.keeps  # no digest is needed where nothing is kept
            read = self._read_all(self._unindexed)
            self._words.add([(path, self.digest(path) if keeps else "", data) for path, data in read])
            self._unindexed = set()
        return None if self._unindexed else self._words

    def _read_all(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in sorted(paths):
            yield path, self.read(path)

    def _digest_unread(self, path: str) -> str | None:
        """The digest of a file if it is known without reading it."""
        if path in self._bytes or path in self._digests:
            return self.digest(path)
        known = self._contents.known_digest(path) if self._store.keeps else None
        if known is not None:
            self._digests[path] = known
        return known


def content_digest(data: bytes) -> str:
    """BLAKE2b of `data`, 32 hex digits: the key under which facts about these bytes are kept."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def one_line_reason(error: OSError) -> str:
    """Why a file could not be read, without its path, which is told beside it."""
    reason = error.strerror or str(error) or type(error).__name__
    return " ".join(reason.split())
