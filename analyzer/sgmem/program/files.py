"""The files of a program: parsed on demand, searched by name; what is asked is noted."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sgmem.program.class_index import ClassIndex, classes_around, indented_headers
from sgmem.program.contexts import MATCHED, TEXT, Context, mentioned, occurs, places, renamed, stored
from sgmem.program.file import File, dotted, last_assignment, plain_targets
from sgmem.program.file_facts import FileFacts
from sgmem.program.reads import EVERYWHERE, FileReads, Reads, ReadTree
from sgmem.program.text_answers import Matching, Scan, TextAnswers
from sgmem.source.words import words_of
from sgmem.syntax.build import Unparsable
from sgmem.syntax.text import SourceText, Undecodable, contains_plainly, decode, is_plain, without_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.cache.store import Store
    from sgmem.program.text_answers import Answer, TextQuestion


__all__ = ["File", "Files", "Tree", "dotted", "last_assignment", "module_name", "plain_targets"]

T = TypeVar("T")
_CASE = re.compile(r"\n[ \t]*case\b[^\n]*[:(\\]")


class Tree(Protocol):
    """What the program needs of a source tree."""

    @property
    def store(self) -> Store: ...
    @property
    def root(self) -> str: ...
    def read(self, path: str) -> bytes: ...
    def digest(self, path: str) -> str: ...
    def mentions(self, path: str, name: str) -> bool: ...
    def words_like(self, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]: ...
    def mentioning(self, name: str) -> tuple[str, ...]: ...


class Files:
    """All files of a program, parsed when first asked for. `reads` holds what was asked, with `notes` also what each was asked for."""

    def __init__(self, tree: Tree, paths: tuple[str, ...], notes: bool = True) -> None:
        self._paths = frozenset(paths)
        self._notes = notes
        self._facts = FileFacts(tree.store)
        self._parsed: dict[str, File | None] = {}
        self._code: dict[str, bytes] = {}
        self._sources: dict[str, SourceText | None] = {}
        self._problems: dict[str, str] = {}
        self._contexts: dict[tuple[str, str, Context], bool] = {}
        self._contained: dict[tuple[str, str], bool] = {}
        self._scans: dict[tuple[str, Callable[..., Any], tuple[str, ...]], Any] = {}
        self._modules = {module_name(path): path for path in paths}
        self._indices: list[ClassIndex] = []
        self._answers = TextAnswers(tree)
        self._note_from(tree)

    def _note_from(self, tree: Tree, focus: Iterable[str] | None = None) -> None:
        self._tree = tree
        self._files: dict[str, File | None] = {}
        self._failed: set[str] = set()
        self._focus = None if focus is None else tuple(sorted(focus))
        self.reads = Reads(focus=self._focus or ())
        self.tree = ReadTree(tree, self._code, self.reads)

    def unread(self, focus: Iterable[str] | None = None) -> Files:
        """The same files for another program, which looks for something in those of `focus` only, though it may follow it anywhere.

        Its `reads` are empty, but what was parsed is not parsed again.
        """
        files = copy(self)
        files._note_from(self._tree, focus)
        return files

    @property
    def focus(self) -> tuple[str, ...]:
        """Where to look for what is not looked for on behalf of something else: all paths, in order, or those that were chosen."""
        return tuple(sorted(self.paths)) if self._focus is None else self._focus

    def focus_on(self, name: str) -> tuple[str, ...]:
        """Those of the paths to look at whose files mention a name."""
        if self._focus is None:
            return self.tree.mentioning(name)
        self.reads.names_there.add(name)
        return tuple(path for path in self._focus if self._tree.mentions(path, name))

    def focused(self, name: str) -> Iterator[File]:
        """Those of the files to look at that mention a name."""
        return self._all(self.focus_on(name))

    def answering(self, question: TextQuestion, everywhere: bool = False) -> Iterator[tuple[str, Answer]]:
        """Those of the files to look at, or of all, that have an answer to a question about their text, with the answer."""
        if self._focus is None or everywhere:
            self.reads.questions.add(question.key)
        else:
            self.reads.questions_there.add(question.key)
        for path in self._ordered if self._focus is None or everywhere else self._focus:
            answer = self._answer(question, path)
            if answer is not None:
                yield path, answer

    def with_text(self, pattern: str, words: str = "", begins: Iterable[str] = (), holds: Iterable[str] = ()) -> Iterator[str]:
        """Those of the files to look at in whose bytes a pattern matches, in order. For `words`, `begins` and `holds`, which save the
        search of most bytes, see `Matching`."""
        return (path for path, _ in self.answering(Matching(pattern, words, begins, holds)))

    def answer(self, question: TextQuestion, path: str) -> Answer:
        """The answer of one file, wherever it is."""
        self.reads.asked.add((path, question.key))
        return self._answer(question, path)

    def _answer(self, question: TextQuestion, path: str) -> Answer:
        return self._answers.of(question, self._apart, path)

    @cached_property
    def _apart(self) -> Files:
        """The same files for those who answer: what they look at is not noted."""
        apart = self.unread()
        apart._notes = False
        return apart

    @cached_property
    def _ordered(self) -> tuple[str, ...]:
        return tuple(sorted(self._paths))

    def is_answered(self, question: TextQuestion, path: str) -> bool:
        """Whether the answer of a file is known from an earlier run."""
        return self._answers.knows(question, path)

    def note_parsed(self, path: str) -> None:
        """Note that what the parsed file says is known, without parsing it again."""
        self.reads.parsed.add(path)

    @property
    def paths(self) -> frozenset[str]:
        self.reads.listed = True
        return self._paths

    @property
    def parsed(self) -> int:
        return len(self.reads.parsed - self._problems.keys())

    @property
    def unreadable(self) -> dict[str, str]:
        """The files that were asked for and cannot be read, each with the reason."""
        return {path: why for path, why in self._problems.items() if path in self._failed}

    def get(self, path: str) -> File | None:
        """The parsed file, or None where it cannot be read; the reason is then in `unreadable`."""
        self.reads.parsed.add(path)
        if path not in self._files:
            self._files[path] = self._view(path)
        return self._files[path]

    def _view(self, path: str) -> File | None:
        """The parsed file, which notes for this program what it is asked."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        file = self._parsed[path]
        if file is None:
            self._failed.add(path)
            self.reads.texts.add(path)
            return None
        return file.noting(self.reads.inside.setdefault(path, FileReads())) if self._notes else file

    def opaque(self, name: str) -> Iterator[tuple[str, int]]:
        """Where statements stand, as path and line, that mention `name` and were asked for, but could not be read."""
        for path, file in self._files.items():
            for index in file.opaque if file is not None else ():
                if file is not None and index in file.mentions(name):
                    yield path, file.outline.statements[index].span.line

    def source(self, path: str) -> SourceText | None:
        """The decoded text of a file without its comments, which are no evidence of anything. It is not parsed."""
        self.reads.texts.add(path)
        return self._source(path)

    def text_has(self, path: str, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches somewhere in the text of a file, which is not parsed."""
        source = self.source(path)
        return source is not None and pattern.search(source.text) is not None

    def _source(self, path: str) -> SourceText | None:
        if path not in self._sources:
            try:
                # Not kept as bytes too: few files are asked for in both ways.
                code = self._code.get(path) or without_comments(self._tree.read(path))
                self._sources[path] = SourceText(path, decode(code))
            except (Undecodable, OSError) as error:
                self._problems[path] = str(error)
                self._sources[path] = None
        if self._sources[path] is None:
            self._failed.add(path)
        return self._sources[path]

    def module(self, name: str) -> File | None:
        self.reads.modules.add(name)
        path = self._modules.get(name)
        return None if path is None else self.get(path)

    def has_module(self, name: str) -> bool:
        self.reads.modules.add(name)
        return name in self._modules

    def mentioning(self, name: str, context: Context | None = None) -> Iterator[File]:
        """The files that hold `name` as a whole identifier, in the given textual context where one is given."""
        if context is None:
            paths: Iterable[str] = self.tree.mentioning(name)
        else:
            paths = self.holding(name, context)
        return self._all(paths)

    def holding(self, name: str, context: Context) -> Iterator[str]:
        """The files whose text holds `name` in a textual context."""
        return self._where(self._tree.mentioning(name), lambda path: self.holds(path, name, context), (name, context.__name__))

    def mentioning_any(self, paths: Iterable[str], words: frozenset[str]) -> Iterator[str]:
        """Those of some paths whose text mentions one of some words."""
        for word in words:
            self.reads.look((word, mentioned.__name__), EVERYWHERE)
        encoded = frozenset(word.encode() for word in words)
        for path in paths:
            if not encoded.isdisjoint(self._scanned(path, _words_in)):
                self.reads.holding.add(path)
                yield path

    def containing(self, name: str, text: str) -> Iterator[str]:
        """The files that mention `name` and contain a text."""
        return self._where(self._tree.mentioning(name), lambda path: self.contains(path, text), (name, TEXT + text))

    def matching(self, name: str) -> Iterator[File]:
        """The files with case statements that mention `name`."""
        return self._all(self._where(self._tree.mentioning(name), self.has_cases, (name, MATCHED)))

    def _where(self, paths: Iterable[str], fits: Callable[[str], bool], context: tuple[str, str]) -> Iterator[str]:
        """Those of some paths, in order, whose text fits. They are noted, and what cannot be decoded, for it may hold anything."""
        for path in paths:
            held = fits(path)
            if not is_plain(self._tree.read(path)) and self._source(path) is None:
                self.reads.texts.add(path)
            if held:
                self.reads.holding.add(path)
                self.reads.look(context, path)
                yield path
        self.reads.look(context, EVERYWHERE)

    def _all(self, paths: Iterable[str]) -> Iterator[File]:
        for path in paths:
            file = self.get(path)
            if file is not None:
                yield file

    def holds(self, path: str, name: str, context: Context) -> bool:
        """Whether a file holds `name` in a textual context. Not noted: who asks notes the context."""
        key = (path, name, context)
        found = self._contexts.get(key)
        if found is None:
            source = self._source(path)
            found = self._contexts[key] = source is not None and occurs(source.text, name, context)
        return found

    def contains(self, path: str, text: str) -> bool:
        """Whether a file contains a text. Not noted."""
        key = (path, text)
        found = self._contained.get(key)
        if found is None:
            plainly = contains_plainly(self._tree.read(path), text) if path not in self._sources else None
            found = self._contained[key] = self._decoded_contains(path, text) if plainly is None else plainly
        return found

    def _decoded_contains(self, path: str, text: str) -> bool:
        source = self._source(path)
        return source is not None and text in source.text

    def has_cases(self, path: str) -> bool:
        """Whether a file has case statements. Not noted."""
        return self._scanned(path, _has_cases)

    def scanned(self, path: str, scan: Scan[T], *given: str) -> T:
        """What a function, which must rest on nothing else than what it is given, finds in the text of a file; one that cannot be
        decoded is empty. Found out once for all programs over the same files."""
        self.reads.scans.add((path, scan.key, given))
        self._source(path)
        return self._scanned(path, scan.find, *given)

    def _scanned(self, path: str, scan: Callable[..., T], *given: str) -> T:
        key = (path, scan, given)
        if key not in self._scans:
            source = self._source(path)
            self._scans[key] = scan("" if source is None else source.text, *given)
        found: T = self._scans[key]
        return found

    @property
    def _classes(self) -> ClassIndex:
        if not self._indices:
            self._indices.append(ClassIndex(self._tree, self._paths))
        return self._indices[0]

    @property
    def class_names(self) -> dict[str, list[str]]:
        """Every class name of the program with the files that define it."""
        self.reads.classes_listed = True
        return self._classes.defined

    def defining(self, name: str) -> list[str]:
        """The files that define a class of this name, by text alone."""
        self.reads.classes.add(name)
        return self._classes.defined.get(name, [])

    def spelled(self, variable: str) -> list[str]:
        """The names of the classes that a variable's name spells."""
        self.reads.spelled.add(variable)
        return self._classes.spelled.get(variable, [])

    def classes_storing(self, name: str) -> set[str]:
        """By text alone: the names of the classes that seem to store something under `name`."""
        found = set[str]()
        for path in self.holding(name, stored):
            self.reads.scans.add((path, _classes_storing.key, (name,)))
            source = self._source(path)
            if source is not None:
                headers = self._scanned(path, indented_headers)
                found |= classes_around(source.text, headers, places(source.text, name, stored))
        return found

    def deriving(self, name: str) -> Iterator[File]:
        """The files with a class that seems to derive from `name`, under any name it is imported as."""
        self.reads.bases.add(name)
        spelled = f"{name} as "
        seeming = (path for path in self._tree.mentioning(name) if self.contains(path, spelled))
        aliased = self._where(seeming, lambda path: self.holds(path, name, renamed), (name, renamed.__name__))
        return self._all(dict.fromkeys([*self._classes.derived.get(name, ()), *aliased]))

    def _parse(self, path: str) -> File | None:
        source = self._source(path)
        if source is None:
            return None
        digest = self._tree.digest(path) if self._tree.store.keeps else ""
        try:
            outline = self._facts.outline(source, digest)
        except Unparsable as error:
            self._problems[path] = str(error)
            return None
        return File(source, outline, module_name(path), path.endswith("__init__.py"), self._facts.lowered(digest))


@Scan
def _classes_storing(text: str, name: str) -> set[str]:
    return classes_around(text, indented_headers(text), places(text, name, stored))


def _words_in(text: str) -> frozenset[bytes]:
    return words_of(text.encode("utf-8", "surrogatepass"))


def _has_cases(text: str) -> bool:
    return _CASE.search(text) is not None


def module_name(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)
