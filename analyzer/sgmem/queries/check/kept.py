"""The answers of an earlier check of the same source, as far as no edit since then touches what they rest on.

What an answer rests on is kept in two parts. One says what it read of the source as a whole and in which files it looked; that of all
answers is asked after every edit. The other says at what it looked in each file, most of all that is kept; it is asked only of answers
that looked into an edited file, and kept by its hash, so that what stays is not written again.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.program_facts import text_questions
from sgmem.findings.suppressions import MARK
from sgmem.program.earlier import keep_bytes
from sgmem.program.edits import Content, Edits, contents
from sgmem.program.reads import Reads
from sgmem.queries.check.noted import Noted, moved
from sgmem.queries.check.units import Answer, Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.cache.store import Store
    from sgmem.queries.check.units import Units

_KIND = "units"
_DETAILS = "unit reads"


class _Kept(msgspec.Struct, array_like=True):
    """An answer. `anywhere` is what was read of the source as a whole, `details` the hash of all that was read; `files` and `parsed`
    are paths by their numbers."""

    unit: Unit
    reports: tuple[Noted, ...]
    anywhere: Reads
    files: list[int]
    parsed: list[int]
    details: str
    unreadable: dict[str, str] = {}


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """All answers of one check, and the state of the source that they are about. Of the files in `bytes` the content is kept; those
    `marked` hold the word by which comments are found that suppress findings."""

    contents: dict[str, Content]
    paths: list[str]
    answers: list[_Kept]
    bytes: set[str] = set()
    marked: set[str] = set()


_NOTHING = _Row({}, [], [])


class KeptAnswers:
    """The answers of the last check with this key, and those of this one."""

    def __init__(self, store: Store, key: Callable[[], str], units: Units) -> None:
        self._store = store
        self._key = key() if store.keeps else ""
        self._tree = units.tree
        self._row = self._read()
        self._contents = contents(units.tree, self._row.contents) if self._key else {}
        self._paths = list(self._row.paths)
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        self._kept: dict[Unit, _Kept] = {}
        self._details: dict[str, bytes] = {}
        self._asked: list[_Kept] = []
        if self._row.answers:
            self._take(Edits(units.tree, units.files, self._row.contents, self._contents, text_questions(units.models)))

    def _read(self) -> _Row:
        data = self._store.get(_KIND, self._key) if self._key else None
        try:
            row = _NOTHING if data is None else msgspec.msgpack.decode(data, type=_Row)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return _NOTHING
        last = max((number for one in row.answers for number in (*one.files, *one.parsed)), default=-1)
        return row if last < len(row.paths) else _NOTHING

    def _take(self, edits: Edits) -> None:
        """Take over what no edit touches."""
        edited = {number for path, number in self._numbers.items() if path in edits.paths}
        left = [one for one in self._row.answers if not edits.touch(one.anywhere)]
        inside = [one.details for one in left if not edited.isdisjoint(one.files)]
        details = self._store.get_many(_DETAILS, inside) if inside else {}
        for one in left:
            followed = one if edited.isdisjoint(one.files) else self._followed(one, details.get(one.details, b""), edits)
            if followed is not None:
                self._kept[one.unit] = followed

    def _followed(self, kept: _Kept, details: bytes, edits: Edits) -> _Kept | None:
        """An answer that no edit touches, with all that it names where it is now; None if one does, or if that cannot be told."""
        try:
            reads = msgspec.msgpack.decode(details, type=Reads)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None
        if edits.touch(reads):
            return None
        edits.follow(reads)
        reports = [moved(report, edits.line) for report in kept.reports]
        whole = tuple(report for report in reports if report is not None)
        return self._to_keep(kept.unit, whole, reads, kept.unreadable) if len(whole) == len(reports) else None

    def _to_keep(self, unit: Unit, reports: tuple[Noted, ...], reads: Reads, unreadable: dict[str, str]) -> _Kept:
        details = msgspec.msgpack.encode(reads)
        digest = hashlib.blake2b(details, digest_size=16).hexdigest()
        self._details[digest] = details
        files, parsed = self._numbers_of({*reads.looked_at, *reads.focus}), self._numbers_of(reads.parsed)
        return _Kept(unit, reports, reads.anywhere, files, parsed, digest, unreadable)

    def _numbers_of(self, paths: set[str]) -> list[int]:
        for path in sorted(paths - self._numbers.keys()):
            self._numbers[path] = len(self._paths)
            self._paths.append(path)
        return sorted(self._numbers[path] for path in paths)

    def get(self, unit: Unit, compute: Callable[[Unit], Answer]) -> Answer:
        """The answer of a unit, computed if it is not known."""
        kept = self._kept.get(unit)
        if kept is not None:
            self._asked.append(kept)
            return Answer(kept.reports, frozenset(self._paths[number] for number in kept.parsed), kept.unreadable)
        answer = compute(unit)
        if self._key:
            self._asked.append(self._to_keep(unit, answer.reports, answer.reads, answer.unreadable))
        return answer

    def _unchanged(self, paths: set[str]) -> set[str]:
        """Those of some paths whose files are as they were."""
        return {path for path in paths if path in self._contents and self._contents[path] == self._row.contents.get(path)}

    @cached_property
    def marked(self) -> tuple[str, ...]:
        """The files that may have a comment which suppresses a finding, in order. Those of unchanged files are known."""
        if not self._row.answers:
            return self._tree.mentioning(MARK)
        edited = self._contents.keys() - self._unchanged(set(self._contents))
        return tuple(sorted(self._unchanged(self._row.marked) | {path for path in edited if self._tree.mentions(path, MARK)}))

    def save(self) -> None:
        """Keep all answers that were asked for."""
        if not self._key:
            return
        looked_at = {self._paths[number] for one in self._asked for number in one.files} & self._contents.keys()
        known = self._unchanged(self._row.bytes)
        keep_bytes(self._tree, {path: self._contents[path].digest for path in sorted(looked_at - known)})
        self._store.put_many(_DETAILS, list(self._details.items()))
        row = _Row(self._contents, self._paths, self._asked, known | looked_at, set(self.marked))
        self._store.put_many(_KIND, [(self._key, msgspec.msgpack.encode(row))])
