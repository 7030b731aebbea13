"""Questions about one file that its content alone decides, and their answers, kept between runs by the hash of the content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from sgmem.program.files import Files, Tree

_KIND = "answers"
_MATCHING = "matching "

Answer = list[int | str] | None
"""None: the file has nothing to do with the question."""


class TextQuestion(Protocol):
    """A question about a file; `key` tells it from all others, whatever it is made with included."""

    @property
    def key(self) -> str: ...

    def ask(self, files: Files, path: str) -> Answer:
        """The answer, which rests on this file only."""


class Matching:
    """Whether a pattern matches somewhere in the bytes of a file: no answer if not, else an empty one.

    `words`, if any, matches in a word of every such file: most files are told by that. So the pattern alone is the key.
    """

    def __init__(self, pattern: str, words: str = "") -> None:
        self.key = _MATCHING + pattern
        self._pattern = re.compile(pattern.encode())
        self._words = re.compile(words.encode()) if words else None

    def ask(self, files: Files, path: str) -> Answer:
        if self._words is not None and not files.tree.words_like(path, self._words):
            return None
        return None if self._pattern.search(files.tree.read(path)) is None else []

    @classmethod
    def from_key(cls, key: str) -> Matching | None:
        """The question that has a key, if it is of this kind."""
        if not key.startswith(_MATCHING):
            return None
        try:
            return cls(key.removeprefix(_MATCHING))
        except re.error:
            return None


class TextAnswers:
    """The answers for the files of one tree. What was found out is written when the store is closed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tables: dict[str, dict[str, Answer]] = {}
        self._asked: dict[str, dict[str, Answer]] = {}
        self._grown: set[str] = set()
        tree.store.before_close(self.save)

    def of(self, question: TextQuestion, files: Files, path: str) -> Answer:
        """The answer for a file."""
        asked = self._asked.setdefault(question.key, {})
        name = self._tree.digest(path) if self._tree.store.keeps else path
        if name not in asked:
            table = self._table(question.key)
            if name not in table:
                table[name] = question.ask(files, path)
                self._grown.add(question.key)
            asked[name] = table[name]
        return asked[name]

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
