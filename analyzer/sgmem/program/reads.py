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


class FileReads(msgspec.Struct, array_like=True):
    """What of one parsed file was looked at; statements and scopes are indices of its outline.

    Of the statements in `rows` the outline, the text or the lowered form was, of those in `shapes` only what kind they are and where
    they belong; from those in `through` to what follows was gone on. The members of the scopes, and of the blocks, in `walked` and
    `opened` were gone through, whatever was then looked at; of the scopes in `kinds` only the statements of one kind. In which order
    the statements of the scopes in `flows` are executed was asked.

    `holding` are texts with the scope, -1 for the whole file, whose statements with them were looked for, `found` words likewise;
    `patterns` those that were looked for in the whole text for the statements in which they match, `texts` for whether they stand
    there. `members` and `imported` are names with the scope whose definition or import of it was asked for, -1 for
    imports anywhere; `renamed` those that were looked for where imports give them another name. `listed` says that all scopes, `whole`
    that the whole text or all statements were gone through.
    """

    rows: set[int] = msgspec.field(default_factory=set)
    shapes: set[int] = msgspec.field(default_factory=set)
    through: set[int] = msgspec.field(default_factory=set)
    walked: set[int] = msgspec.field(default_factory=set)
    opened: set[int] = msgspec.field(default_factory=set)
    kinds: set[tuple[int, str]] = msgspec.field(default_factory=set)
    flows: set[int] = msgspec.field(default_factory=set)
    holding: set[tuple[int, str]] = msgspec.field(default_factory=set)
    found: set[tuple[int, str]] = msgspec.field(default_factory=set)
    members: set[tuple[int, str]] = msgspec.field(default_factory=set)
    imported: set[tuple[int, str]] = msgspec.field(default_factory=set)
    renamed: set[str] = msgspec.field(default_factory=set)
    texts: set[str] = msgspec.field(default_factory=set)
    patterns: set[str] = msgspec.field(default_factory=set)
    listed: bool = False
    whole: bool = False


class Reads(msgspec.Struct):
    """The questions, each kind a set.

    `parsed` are the paths of files whose outline was looked at, `inside` says at what of it; `texts` those whose text was read, or that
    could not be parsed. `names` were looked for in all files. `contexts` (a name and what must stand around it) were looked for in all
    files up to a path; `holding` are the files that hold one. `questions` about its text were put to every file; `focus` are the files
    to which `questions_there` were put, and in which `names_there` were looked for. `asked` are a file and a question that was put to
    it alone, `scans` a file and what was found in its text. `modules` were looked for by their names, `classes` by theirs, `bases` for
    the classes under them, `spelled` by variables that spell a class. `listed` says that all paths, `classes_listed` that all names of
    classes were asked for.
    """

    parsed: set[str] = msgspec.field(default_factory=set)
    inside: dict[str, FileReads] = msgspec.field(default_factory=dict)
    texts: set[str] = msgspec.field(default_factory=set)
    names: set[str] = msgspec.field(default_factory=set)
    contexts: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    holding: set[str] = msgspec.field(default_factory=set)
    modules: set[str] = msgspec.field(default_factory=set)
    classes: set[str] = msgspec.field(default_factory=set)
    bases: set[str] = msgspec.field(default_factory=set)
    spelled: set[str] = msgspec.field(default_factory=set)
    questions: set[str] = msgspec.field(default_factory=set)
    focus: tuple[str, ...] = ()
    questions_there: set[str] = msgspec.field(default_factory=set)
    names_there: set[str] = msgspec.field(default_factory=set)
    asked: set[tuple[str, str]] = msgspec.field(default_factory=set)
    scans: set[tuple[str, str, tuple[str, ...]]] = msgspec.field(default_factory=set)
    listed: bool = False
    classes_listed: bool = False

    @property
    def looked_at(self) -> set[str]:
        """The files that must be known in both states to tell what an edit of them changes."""
        asked, scanned = (path for path, _ in self.asked), (path for path, _, _ in self.scans)
        return {*self.parsed, *self.texts, *self.holding, *asked, *scanned}

    @property
    def anywhere(self) -> Reads:
        """What of this was asked of the source as a whole, and not of the files in `looked_at` and `focus`."""
        return Reads(
            names=self.names,
            contexts=self.contexts,
            modules=self.modules,
            classes=self.classes,
            bases=self.bases,
            spelled=self.spelled,
            questions=self.questions,
            listed=self.listed,
            classes_listed=self.classes_listed,
        )

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
