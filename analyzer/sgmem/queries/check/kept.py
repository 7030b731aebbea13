"""The answers of an earlier check of the same source, as far as no edit since then touches what they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.program_facts import text_questions
from sgmem.program.earlier import keep_bytes
from sgmem.program.edits import Content, Edits, contents
from sgmem.queries.check.noted import moved
from sgmem.queries.check.units import Answer, Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.cache.store import Store
    from sgmem.queries.check.units import Units

_KIND = "units"


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """All answers of one check, and the state of the source that they are about. Of the files in `bytes` the content is kept."""

    contents: dict[str, Content]
    answers: list[tuple[Unit, Answer]]
    bytes: set[str] = set()


class KeptAnswers:
    """The answers of the last check with this key, and those of this one."""

    def __init__(self, store: Store, key: Callable[[], str], units: Units) -> None:
        self._store = store
        self._key = key() if store.keeps else ""
        self._tree = units.tree
        self._answers: dict[Unit, Answer] = {}
        self._new: dict[Unit, Answer] = {}
        row = self._read()
        self._contents = contents(units.tree, row.contents) if store.keeps else {}
        self._bytes = {path for path in row.bytes if row.contents.get(path) == self._contents.get(path)}
        if row.answers:
            edits = Edits(units.tree, units.files, row.contents, self._contents, text_questions(units.models))
            followed = ((unit, _followed(answer, edits)) for unit, answer in row.answers if not edits.touch(answer.reads))
            self._answers = {unit: answer for unit, answer in followed if answer is not None}

    def _read(self) -> _Row:
        data = self._store.get(_KIND, self._key) if self._key else None
        try:
            return _Row({}, []) if data is None else msgspec.msgpack.decode(data, type=_Row)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return _Row({}, [])

    def get(self, unit: Unit, compute: Callable[[Unit], Answer]) -> Answer:
        """The answer of a unit, computed if it is not known."""
        answer = self._answers.get(unit)
        if answer is None:
            answer = compute(unit)
        self._new[unit] = answer
        return answer

    def save(self) -> None:
        """Keep all answers that were asked for."""
        if self._key:
            looked_at = set[str]().union(*(answer.reads.looked_at for answer in self._new.values())) & self._contents.keys()
            keep_bytes(self._tree, {path: self._contents[path].digest for path in sorted(looked_at - self._bytes)})
            row = _Row(self._contents, list(self._new.items()), self._bytes | looked_at)
            self._store.put_many(_KIND, [(self._key, msgspec.msgpack.encode(row))])


def _followed(answer: Answer, edits: Edits) -> Answer | None:
    """An answer that no edit touches, with all that it names where it is now; None if that cannot be told."""
    edits.follow(answer.reads)
    reports = [moved(report, edits.line) for report in answer.reports]
    whole = tuple(report for report in reports if report is not None)
    return msgspec.structs.replace(answer, reports=whole) if len(whole) == len(reports) else None
