"""What changed in a source since something was found out, and whether that touches what was read for it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.program.class_index import class_headers, kept_headers, snake_case
from sgmem.program.contexts import CONTEXTS, MATCHED, TEXT
from sgmem.program.earlier import EarlierTree
from sgmem.program.file_edit import FileEdit
from sgmem.program.files import Files, module_name
from sgmem.program.reads import EVERYWHERE
from sgmem.program.text_answers import Matching, scan_of
from sgmem.program.text_edit import TextEdit
from sgmem.source.identifiers import encoded_identifier, is_word
from sgmem.source.words import NO_WORDS, KeptWords, kept_words, touching, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.program.class_index import ClassHeader
    from sgmem.program.reads import Reads
    from sgmem.program.text_answers import Scan, TextQuestion
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
        self._now = now
        self._before = before
        self.paths = frozenset(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
        self.moved = frozenset(path for path in self.paths if path not in before or path not in now)
        """Those that were added or removed."""
        self._changed = sorted(self.paths - self.moved)
        self._files = files
        self._old_tree = EarlierTree(tree.store, tree.root, {path: before[path].digest for path in self.paths if path in before})
        self._old = Files(self._old_tree, tuple(self._old_tree.digests))
        self._questions = {question.key: question for question in questions}
        self._answered: dict[tuple[str, str], bool] = {}
        self._scanned: dict[tuple[str, str, tuple[str, ...]], bool] = {}
        self._named: dict[str, bool] = {}
        self._held: dict[tuple[str, str, str], bool] = {}
        self._edits: dict[str, FileEdit | None] = {}
        self._texts: dict[str, frozenset[str] | None] = {}

    def touch(self, reads: Reads) -> bool:
        """Whether a question that was asked may have another answer now."""
        if not self.paths:
            return False
        return (
            bool(self.moved and self._touch_moved(reads))
            or any(self._touch_file(path, reads) for path in self._changed)
            or self._touch_classes(reads)
            or any(self._answers_otherwise(path, key) for path in self.paths for key in reads.questions)
            or any(self._other_word(name) for name in reads.names)
            or any(self._holds_otherwise(path, reads) for path in sorted(self.paths))
        )

    def _touch_moved(self, reads: Reads) -> bool:
        return (
            reads.listed
            or not self._modules.isdisjoint(reads.modules)
            or not self.moved.isdisjoint(reads.parsed)
            or not self.moved.isdisjoint(reads.texts)
            or not self.moved.isdisjoint(reads.holding)
            or not self.moved.isdisjoint(reads.focus)
            or any(one[0] in self.moved for one in (*reads.asked, *reads.scans))
        )

    def _touch_file(self, path: str, reads: Reads) -> bool:
        """Whether a changed file is not as it was where it was looked at."""
        inside = reads.inside.get(path)
        if inside is not None or path in reads.texts or path in reads.parsed:
            edit = self.of(path)
            if edit is None or (path in reads.texts and not edit.is_silent) or (inside is not None and edit.touches(inside)):
                return True
        return (
            any(self._answers_otherwise(path, key) for at, key in reads.asked if at == path)
            or any(self._scans_otherwise(*one) for one in reads.scans if one[0] == path)
            or (path in reads.focus and self._touch_focus(path, reads))
        )

    def _touch_focus(self, path: str, reads: Reads) -> bool:
        words = self._words_of.get(path)
        return any(self._answers_otherwise(path, key) for key in reads.questions_there) or any(
            words is None or _is_among(name, *words) for name in reads.names_there
        )

    def of(self, path: str) -> FileEdit | None:
        """What changed in a file; None if that cannot be told."""
        if path not in self._edits:
            self._edits[path] = self._compare(path)
        return self._edits[path]

    def _compare(self, path: str) -> FileEdit | None:
        before = self._old.get(path) if self._old_tree.knows(path) else None
        now = self._files.get(path) if before is not None else None
        return FileEdit(before, now) if before is not None and now is not None else None

    def line(self, path: str, line: int) -> int | None:
        """Where a line of a file stands now; None if it was changed."""
        if path not in self.paths:
            return line
        edit = self.of(path)
        return None if edit is None else edit.text.line(line)

    def follow(self, reads: Reads) -> None:
        """Say of what was looked at, none of which is touched, where it is now."""
        for path in self._changed:
            inside, edit = reads.inside.get(path), self.of(path)
            if inside is not None and edit is not None:
                edit.moved(inside)

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
            before = known.get(old[path]) if path in old else ()
            if before is None and self._old_tree.knows(path):
                before = class_headers(self._old_tree.read(path))
            if before is None:
                return None
            now = class_headers(self._tree.read(path)) if path in self._now else ()
            defined |= _differing((one.name for one in before), (one.name for one in now))
            derived |= _differing(_bases(before), _bases(now))
        return frozenset(defined), frozenset(derived)

    @cached_property
    def _words_of(self) -> dict[str, tuple[frozenset[bytes], bool] | None]:
        """For each file the words that it may have now and had not before, or the other way about, and whether all identifiers are such
        words. None if what was there before is not known."""
        old = {path: self._before[path].digest for path in self.paths if path in self._before}
        known = kept_words(self._tree.store, old.values())
        found: dict[str, tuple[frozenset[bytes], bool] | None] = {}
        for path in self.paths:
            before = NO_WORDS if path not in old else known.get(old[path])
            if before is None and self._old_tree.knows(path):
                text = self._old_tree.read(path)
                before = KeptWords(words_of(text), text.isascii(), touching(text))
            data = self._tree.read(path) if path in self._now else b""
            # A word beside another character may have stood alone as well, and do so no more.
            if before is not None:
                words = (before.words ^ words_of(data)) | before.touching | touching(data)
                found[path] = words, before.plain and data.isascii()
            else:
                found[path] = None
        return found

    @cached_property
    def _words(self) -> tuple[frozenset[bytes], bool] | None:
        """The same for all files together."""
        found: set[bytes] = set()
        plain = True
        for row in self._words_of.values():
            if row is None:
                return None
            found |= row[0]
            plain &= row[1]
        return frozenset(found), plain

    def _other_word(self, name: str) -> bool:
        """Whether other files may mention a name now."""
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = self._words is None or _is_among(name, *self._words)
        return found

    def _answers_otherwise(self, path: str, key: str) -> bool:
        """Whether a file has another answer to a question about its text now."""
        found = self._answered.get((path, key))
        if found is None:
            question = self._questions.get(key) or Matching.from_key(key)
            found = self._answered[path, key] = question is None or self._compare_answers(path, question)
        return found

    def _compare_answers(self, path: str, question: TextQuestion) -> bool:
        now = self._files.answer(question, path) if path in self._now else None
        if path not in self._before:
            return now is not None
        if not self._old.is_answered(question, path) and not self._old_tree.knows(path):
            return True
        before = self._old.answer(question, path)
        if before is None or now is None or before == now:
            return before is not now and before != now
        edit = self.of(path)
        return edit is None or question.follow(before, edit) != now

    def _scans_otherwise(self, path: str, key: str, given: tuple[str, ...]) -> bool:
        """Whether another thing is found in the text of a file now."""
        found = self._scanned.get((path, key, given))
        if found is None:
            scan = scan_of(key)
            known = scan is not None and self._old_tree.knows(path)
            found = self._scanned[path, key, given] = scan is None or not known or self._compare_scans(path, scan, given)
        return found

    def _compare_scans(self, path: str, scan: Scan[Any], given: tuple[str, ...]) -> bool:
        before, now = self._old.scanned(path, scan, *given), self._files.scanned(path, scan, *given)
        edit = self.of(path) if isinstance(before, list) and before != now else None
        if edit is not None and isinstance(before, list):
            before = [edit.text.offset(one) if isinstance(one, int) else one for one in before]
        return bool(before != now)

    def _holds_otherwise(self, path: str, reads: Reads) -> bool:
        """Whether a file, up to which was looked for a name in a context, holds it now and did not before, or the other way about."""
        asked = reads.contexts.items()
        if path not in self._before or not self._old_tree.knows(path):
            held = (one for one, last in asked if path <= last)
            return path in reads.holding or (path in self._now and any(self._holds(self._files, path, *one) for one in held))
        if path not in self._now:
            return path in reads.holding
        near = self._near(path)
        some = [one for one, last in asked if path <= last and (one[1] not in CONTEXTS or _may_be(one[0], near))]
        return any(self._holds(self._old, path, *one) != self._holds(self._files, path, *one) for one in some)

    def _near(self, path: str) -> frozenset[str] | None:
        """The words on changed lines of a file and beside them."""
        if path not in self._texts:
            old, new = self._old.source(path), self._files.source(path)
            self._texts[path] = TextEdit(old, new).words if old is not None and new is not None else None
        return self._texts[path]

    def _holds(self, files: Files, path: str, name: str, context: str) -> bool:
        key = (path, name, context + ("" if files is self._files else " before"))
        found = self._held.get(key)
        if found is None:
            found = self._held[key] = self._holds_in(files, path, name, context)
        return found

    @staticmethod
    def _holds_in(files: Files, path: str, name: str, context: str) -> bool:
        if not files.tree.unnoted.mentions(path, name):
            return False
        if context == MATCHED:
            return files.has_cases(path)
        if context.startswith(TEXT):
            return files.contains(path, context.removeprefix(TEXT))
        return context not in CONTEXTS or files.holds(path, name, CONTEXTS[context])


def _is_among(name: str, words: frozenset[bytes], plain: bool) -> bool:
    """Whether a name is, or may be, one of the words."""
    word = encoded_identifier(name)
    return word in words if is_word(word) else not plain


def _may_be(name: str, words: frozenset[str] | None) -> bool:
    """Whether a name stands among the words of some lines, or may."""
    return words is None or name in words or not name.isidentifier()


def _differing(before: Iterable[str], now: Iterable[str]) -> set[str]:
    """The names that do not stand equally often in both."""
    first, second = Counter(before), Counter(now)
    return {name for name in first.keys() | second.keys() if first[name] != second[name]}


def _bases(headers: Iterable[ClassHeader]) -> Iterable[str]:
    return (base for header in headers for base in header.bases)
