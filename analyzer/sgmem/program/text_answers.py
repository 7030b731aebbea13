"""Questions about one file that its content alone decides, and their answers, kept between runs by the hash of the content."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, AnyStr, Generic, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import Files, Tree

Found = TypeVar("Found")

_KIND = "answers"
_MATCHING = "matching "
_PACKAGE = "sgmem."

Answer = list[int | str] | None
"""None: the file has nothing to do with the question."""


class TextQuestion(Protocol):
    """A question about a file; `key` tells it from all others, whatever it is made with included."""

    @property
    def key(self) -> str: ...

    def ask(self, files: Files, path: str) -> Answer:
        """The answer, which rests on this file only."""

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        """The answer with the places in it where an edit of the file leaves them."""


class Matching:
    """Whether a pattern matches somewhere in the bytes of a file: no answer if not, else an empty one.

    The rest only saves time, so that the pattern alone is the key: to find a plain text is fifty times as fast as to search for a
    pattern. `words`, if any, matches in a word of every such file; every match begins with one of the texts `begins`, or lies in a
    line that holds one of the texts `holds`, its newline included.
    """

    def __init__(self, pattern: str, words: str = "", begins: Iterable[str] = (), holds: Iterable[str] = ()) -> None:
        self.key = _MATCHING + pattern
        self._pattern = re.compile(pattern.encode())
        self._words = re.compile(words.encode()) if words else None
        self._begins = tuple(text.encode() for text in begins)
        self._holds = tuple(text.encode() for text in holds)

    def ask(self, files: Files, path: str) -> Answer:
        if self._words is not None:
            if not files.tree.words_like(path, self._words):
                return None
            if self._words.pattern == self._pattern.pattern:
                return []
        return [] if self._matches(files.tree.read(path)) else None

    def _matches(self, data: bytes) -> bool:
        if self._begins:
            match = self._pattern.match
            return any(match(data, at) for text in self._begins for at in offsets(data, text))
        if self._holds:
            search = self._pattern.search
            return any(search(data, *line) for text in self._holds for line in lines_with(data, text, b"\n"))
        return self._pattern.search(data) is not None

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        return answer

    @classmethod
    def from_key(cls, key: str) -> Matching | None:
        """The question that has a key, if it is of this kind."""
        if not key.startswith(_MATCHING):
            return None
        try:
            return cls(key.removeprefix(_MATCHING))
        except re.error:
            return None


def offsets(data: bytes, text: bytes) -> Iterator[int]:
    """Where a text begins."""
    at = data.find(text)
    while at >= 0:
        yield at
        at = data.find(text, at + 1)


def lines_with(text: AnyStr, part: AnyStr, newline: AnyStr) -> Iterator[tuple[int, int]]:
    """Where the lines that hold `part` begin and end, their newline included; each once."""
    at = text.find(part)
    while at >= 0:
        end = text.find(newline, at) + 1 or len(text)
        yield text.rfind(newline, 0, at) + 1, end
        at = text.find(part, end)


class Scan(Generic[Found]):
    """A function that finds something in the text of a file, by words or patterns that it is given. Numbers in a list that it finds are
    offsets."""

    def __init__(self, find: Callable[..., Found]) -> None:
        self.find = find
        self.key = f"{find.__module__}.{find.__qualname__}"
        SCANS[self.key] = self


def scan_of(key: str) -> Scan[Any] | None:
    """The scan that has a key."""
    if key.startswith(_PACKAGE) and key not in SCANS:  # what looks for it is not imported before there is something to compute
        with suppress(ImportError):
            import_module(key.rpartition(".")[0])
    return SCANS.get(key)


SCANS: dict[str, Scan[Any]] = {}
"""All of them."""


@Scan
def matches(text: str, pattern: str) -> bool:
    """Whether a pattern, which knows letters of ASCII only, matches somewhere."""
    return re.search(pattern, text, re.ASCII) is not None


class TextAnswers:
    """The answers for the files of one tree. What was found out is written when the store is closed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tables: dict[str, dict[str, Answer]] = {}
        self._asked: dict[str, dict[str, Answer]] = {}
        self._grown: set[str] = set()
        tree.store.before_close(self.save)

    def of(self, question: TextQuestion, files: Files, path: str) -> Answer:
        """The answer for a file, looked for in `files`."""
        asked = self._asked.setdefault(question.key, {})
        name = self._tree.digest(path) if self._tree.store.keeps else path
        if name not in asked:
            table = self._table(question.key)
            if name not in table:
                table[name] = question.ask(files, path)
                self._grown.add(question.key)
            asked[name] = table[name]
        return asked[name]

    def knows(self, question: TextQuestion, path: str) -> bool:
        """Whether the answer for a file need not be looked for in it."""
        return self._tree.digest(path) in self._table(question.key)

    def _table(self, key: str) -> dict[str, Answer]:
        if key not in self._tables:
            data = self._tree.store.get(_KIND, self._row(key))
            try:
                self._tables[key] = {} if data is None else msgspec.msgpack.decode(data, type=dict[str, Answer])
            except (msgspec.DecodeError, msgspec.ValidationError):
                self._tables[key] = {}
        return self._tables[key]

    def _row(self, key: str) -> str:
        """One row for each question and place: each tree asks about other files."""
        return f"{key} {self._tree.root}"

    def save(self) -> None:
        """Hand what is new to the store, and with it only what was asked for."""
        rows = [(self._row(key), msgspec.msgpack.encode(self._asked[key])) for key in self._grown]
        self._tree.store.put_many(_KIND, rows)
        self._grown.clear()
