"""Where a file gives a count of what is split over ranks to a name, by its text alone."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.text_answers import offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.models.load import Models
    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import Files
    from sgmem.program.text_answers import Answer

_TARGET = re.compile(rb"(?:^|[\s(,])((?:self\.)?[A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)[^=]*$", re.DOTALL)
_LOOK_BACK = 200
_READ = re.compile(rb"\b(?!\s*=[^=])(?!\()")
"""Behind a count that is read: neither set nor called."""
_DIVIDES = re.compile(rb"\s*\)?\s*//?")
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
        # A pattern that begins with letters is found much faster.
        ends = "|".join(one.removeprefix("*") if one[:1] == "*" else f"^{one}" for one in lasts).replace("*", r"\w*")
        self._words = re.compile(rf"(?m)(?:{ends or '(?!)'})$".encode())

    @cached_property
    def key(self) -> str:
        return "count hints " + hashlib.blake2b(self._words.pattern, digest_size=8).hexdigest()

    def ask(self, files: Files, path: str) -> Answer:
        words = files.tree.words_like(path, self._words)
        return [field for hint in _in_text(files.tree.read(path), words) for field in hint] or None if words else None

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        if answer is None:
            return None
        fields = list(answer)
        fields[_LINE::_FIELDS] = [edit.text.line(int(line)) or 0 for line in fields[_LINE::_FIELDS]]
        return fields


def _in_text(data: bytes, counts: Iterable[bytes]) -> Iterator[tuple[str, str, int, int, int]]:
    found = ((at, count, at + 1 + len(count)) for count in counts for at in offsets(data, b"." + count))
    for at, count, end in sorted(one for one in found if _READ.match(data, one[2]) is not None):
        if data[max(0, at - 4) : at] == b"self":
            continue  # an object's own count may be anything
        target = _TARGET.search(data, max(0, at - _LOOK_BACK), at)
        if target is None:
            continue
        start = data.rfind(b"\n", 0, at) + 1
        column = len(data[start:at].decode(errors="replace")) + 1
        divides = _DIVIDES.match(data, end, end + 80) is not None
        yield target[1].decode(), count.decode(), data.count(b"\n", 0, start) + 1, column, int(divides)
