"""What a program asked of its source. Whoever remembers an answer remembers this with it: as long as every one of these questions has
the same answer, so has the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.syntax.text import without_comments

if TYPE_CHECKING:
    import re

    from sgmem.cache.store import Store
    from sgmem.program.files import Tree


EVERYWHERE = "\U0010ffff"
"""Behind all paths."""


class Reads(msgspec.Struct):
    """The questions, each kind a set.

    `parsed` and `texts` are the paths of files whose outline, or whose text alone, was looked at. `names` were looked for in all files.
    `contexts` (a name and what must stand around it) were looked for in all files up to a path, and only those that hold them were
    noted as looked at. `questions` about its text were put to every file, and those that have an answer were noted. `modules` were
    looked for by their names, `classes` by theirs, `bases` for the classes under them, `spelled` by variables that spell a class.
    `listed` says that all paths, `classes_listed` that all names of classes were asked for.
    """

    parsed: set[str] = msgspec.field(default_factory=set)
    texts: set[str] = msgspec.field(default_factory=set)
    names: set[str] = msgspec.field(default_factory=set)
    contexts: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    modules: set[str] = msgspec.field(default_factory=set)
    classes: set[str] = msgspec.field(default_factory=set)
    bases: set[str] = msgspec.field(default_factory=set)
    spelled: set[str] = msgspec.field(default_factory=set)
    questions: set[str] = msgspec.field(default_factory=set)
    listed: bool = False
    classes_listed: bool = False

    def look(self, context: tuple[str, str], path: str) -> None:
        """Note that a context was looked for in the files up to a path."""
        if path > self.contexts.get(context, ""):
            self.contexts[context] = path


def code_of(tree: Tree, known: dict[str, bytes], path: str) -> bytes:
    """The bytes of a file without its comments, worked out once."""
    code = known.get(path)
    if code is None:
        code = known[path] = without_comments(tree.read(path))
    return code


class ReadTree:
    """A source tree that notes what it is asked. `code` are the bytes of files without their comments, as far as they are known."""

    def __init__(self, tree: Tree, code: dict[str, bytes], reads: Reads) -> None:
        self.unnoted = tree
        self._code = code
        self._reads = reads

    @property
    def store(self) -> Store:
        return self.unnoted.store

    def read(self, path: str) -> bytes:
        """The bytes of a file without its comments."""
        self._reads.texts.add(path)
        return code_of(self.unnoted, self._code, path)

    def digest(self, path: str) -> str:
        self._reads.texts.add(path)
        return self.unnoted.digest(path)

    def words_like(self, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
        self._reads.texts.add(path)
        return self.unnoted.words_like(path, pattern)

    def mentioning(self, name: str) -> tuple[str, ...]:
        self._reads.names.add(name)
        return self.unnoted.mentioning(name)
