"""Where a file gives a count of what is split over ranks to a name, by its text alone."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import Files
    from sgmem.program.text_answers import Answer

_TARGET = re.compile(rb"(?:^|[\s(,])((?:self\.)?[A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)[^=]*$", re.DOTALL)
_LOOK_BACK = 200
_FIELDS, _LINE = 5, 2


class CountHint(msgspec.Struct, frozen=True):
    """What the text says: a count is given to `target` at a line; `divides`: a division follows."""

    target: str
    count: str
    path: str
    line: int
    column: int
    divides: bool


def count_hints(files: Files, models: Models) -> Iterator[CountHint]:
    """The hints of the files to look at, in order."""
    for path, answer in files.answering(CountHints(models)):
        fields = iter(answer or ())
        for target, count, line, column, divides in zip(fields, fields, fields, fields, fields, strict=True):
            yield CountHint(str(target), str(count), path, int(line), int(column), bool(divides))


class CountHints:
    """Finds them, as a question about a file's text; see `TextQuestion`. The answer holds the fields of one after another."""

    def __init__(self, models: Models) -> None:
        rows = [row for row in models.counts.rows if row.by and not row.part and row.ranks is None]
        lasts = sorted({pattern.rpartition(".")[2] for row in rows for pattern in row.names})
        alternatives = "|".join(last.replace("*", r"\w*") for last in lasts) or "(?!)"
        self._words = re.compile(rf"\b(?:{alternatives})\b".encode())
        self._counts = re.compile(rf"\.((?:{alternatives}))\b(?!\s*=[^=])(?!\()".encode())

    @cached_property
    def key(self) -> str:
        return "count hints " + hashlib.blake2b(self._counts.pattern, digest_size=8).hexdigest()

    def ask(self, files: Files, path: str) -> Answer:
        if not files.tree.words_like(path, self._words):
            return None
        return [field for hint in self._in_text(files.tree.read(path)) for field in hint] or None

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        if answer is None:
            return None
        fields = list(answer)
        fields[_LINE::_FIELDS] = [edit.text.line(int(line)) or 0 for line in fields[_LINE::_FIELDS]]
        return fields

    def _in_text(self, data: bytes) -> Iterator[tuple[str, str, int, int, int]]:
        for match in self._counts.finditer(data):
            if data[max(0, match.start() - 4) : match.start()] == b"self":
                continue  # an object's own count may be anything
            target = _TARGET.search(data, max(0, match.start() - _LOOK_BACK), match.start())
            if target is None:
                continue
            start = data.rfind(b"\n", 0, match.start()) + 1
            column = len(data[start : match.start()].decode(errors="replace")) + 1
            divides = re.match(rb"\s*\)?\s*//?", data[match.end() : match.end() + 80]) is not None
            yield target[1].decode(), match[1].decode(), data.count(b"\n", 0, start) + 1, column, int(divides)
