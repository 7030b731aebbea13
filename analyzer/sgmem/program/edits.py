"""What changed in a source since something was found out, and whether that touches what was read for it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.class_index import class_headers, kept_headers, snake_case
from sgmem.program.contexts import CONTEXTS, MATCHED, TEXT
from sgmem.program.files import module_name
from sgmem.program.reads import EVERYWHERE
from sgmem.program.text_answers import Matching
from sgmem.source.identifiers import encoded_identifier, is_word
from sgmem.source.words import NO_WORDS, kept_words, touching, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.program.class_index import ClassHeader
    from sgmem.program.files import Files
    from sgmem.program.reads import Reads
    from sgmem.program.text_answers import TextQuestion
    from sgmem.source.tree import SourceTree


NOWHERE = EVERYWHERE * 2


class Content(msgspec.Struct, frozen=True, array_like=True):
    """Which content a file had: by the cheapest name of it, and by its hash, under which facts are kept."""

    identity: str
    digest: str


def contents(tree: SourceTree, before: Mapping[str, Content]) -> dict[str, Content]:
    """The content of every file. What has the same name as before is not read."""
    found = {}
    for path in tree.files:
        identity, known = tree.identity(path), before.get(path)
        found[path] = known if known is not None and known.identity == identity else Content(identity, tree.digest(path))
    return found


class Edits:
    """The files that were added, removed or changed between two states of a source, the second being that of `files`."""

    def __init__(
        self,
        tree: SourceTree,
        files: Files,
        before: Mapping[str, Content],
        now: Mapping[str, Content],
        questions: Iterable[TextQuestion] = (),
    ) -> None:
        self._tree = tree
        self._files = files
        self._before = before
        self._now = now
        self.paths = frozenset(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        self.moved = frozenset(path for path in self.paths if path not in before or path not in now)
        """Those that were added or removed."""
        self._loud = self.paths
        """Those that may change more than where things stand."""
        self._questions = {question.key: question for question in questions}
        self._answered: dict[str, bool] = {}
        self._held: dict[tuple[str, str], str] = {}

    def ignore(self, silent: Iterable[str]) -> None:
        """Take some of the paths for files whose code is as it was: only what they mention may have changed."""
        self._loud = self.paths.difference(silent)

    def touch(self, reads: Reads) -> bool:
        """Whether a question that was asked may have another answer now."""
        if not self.paths:
            return False
        return (
            not self._loud.isdisjoint(reads.parsed)
            or not self._loud.isdisjoint(reads.texts)
            or bool(self.moved and (reads.listed or not self._modules.isdisjoint(reads.modules)))
            or self._touch_classes(reads)
            or any(self._answers(question) for question in reads.questions)
            or any(self._other_word(name) for name in reads.names)
            or any(self._holds(name, context, last) for (name, context), last in reads.contexts.items())
        )

    def _touch_classes(self, reads: Reads) -> bool:
        if self._headers is None:
            return bool(reads.classes or reads.bases or reads.spelled or reads.classes_listed)
        defined, derived = self._headers
        spelled = {snake_case(name) for name in defined}
        return (
            bool(defined and reads.classes_listed)
            or not defined.isdisjoint(reads.classes)
            or not derived.isdisjoint(reads.bases)
            or not spelled.isdisjoint(reads.spelled)
        )

    @cached_property
    def _modules(self) -> frozenset[str]:
        return frozenset(module_name(path) for path in self.moved)

    @cached_property
    def _headers(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """The names under which other classes are defined now than before, and those from which others derive; None if that is not
        known."""
        old = {path: self._before[path].digest for path in self.paths if path in self._before}
        known = kept_headers(self._tree, old.values())
        defined: set[str] = set()
        derived: set[str] = set()
        for path in self.paths:
            if path in old and old[path] not in known:
                return None
            before = known[old[path]] if path in old else ()
            now = class_headers(self._tree.read(path)) if path in self._now else ()
            defined |= _differing((one.name for one in before), (one.name for one in now))
            derived |= _differing(_bases(before), _bases(now))
        return frozenset(defined), frozenset(derived)

    @cached_property
    def _words(self) -> tuple[frozenset[bytes], bool] | None:
        """The words that some file may have now and had not before, or the other way about, and whether all identifiers are such words.
        None if what was there before is not known."""
        old = {path: self._before[path].digest for path in self.paths if path in self._before}
        known = kept_words(self._tree.store, old.values())
        found: set[bytes] = set()
        plain = True
        for path in self.paths:
            if path in old and old[path] not in known:
                return None
            before = known[old[path]] if path in old else NO_WORDS
            data = self._tree.read(path) if path in self._now else b""
            # A word beside another character may have stood alone as well, and do so no more.
            found |= (before.words ^ words_of(data)) | before.touching | touching(data)
            plain &= before.plain and data.isascii()
        return frozenset(found), plain

    def _answers(self, key: str) -> bool:
        """Whether a file that was changed has an answer to a question now. One that had one before was noted as read."""
        found = self._answered.get(key)
        if found is None:
            question = self._questions.get(key) or Matching.from_key(key)
            changed = [path for path in self._loud if path in self._now]
            found = question is None or any(self._files.answer(question, path) is not None for path in changed)
            self._answered[key] = found
        return found

    def _other_word(self, name: str) -> bool:
        """Whether other files may mention a name now."""
        if self._words is None:
            return True
        words, plain = self._words
        word = encoded_identifier(name)
        return word in words if is_word(word) else not plain

    def _holds(self, name: str, context: str, last: str) -> bool:
        """Whether a file up to some path that was changed holds a name in a context now. One that did before was noted as read."""
        key = (name, context)
        first = self._held.get(key)
        if first is None:
            holding = (path for path in sorted(self._loud) if path in self._now and self._holds_in(path, name, context))
            first = self._held[key] = next(holding, NOWHERE)
        return first <= last

    def _holds_in(self, path: str, name: str, context: str) -> bool:
        if not self._tree.mentions(path, name):
            return False
        if context == MATCHED:
            return self._files.has_cases(path)
        if context.startswith(TEXT):
            return self._files.contains(path, context.removeprefix(TEXT))
        return context not in CONTEXTS or self._files.holds(path, name, CONTEXTS[context])


def _differing(before: Iterable[str], now: Iterable[str]) -> set[str]:
    """The names that do not stand equally often in both."""
    first, second = Counter(before), Counter(now)
    return {name for name in first.keys() | second.keys() if first[name] != second[name]}


def _bases(headers: Iterable[ClassHeader]) -> Iterable[str]:
    return (base for header in headers for base in header.bases)
