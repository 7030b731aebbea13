"""Reads a log: each message matched with the patterns, as a stream of readings in the order of the log."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.serverlog.lines import Piece, Readable, Rejoined, lines_of, pieces, split
from sgmem.serverlog.patterns import Found, Pattern, matches, needles
from sgmem.serverlog.rows import rows
from sgmem.serverlog.settings import OF_INTEREST, Setting, settings
from sgmem.serverlog.wrapped import unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_TEXT = 200
SMALL = 1 << 19
"""Logs up to this size are read line by line; of larger ones only the lines that hold an anchor."""


class Reading(msgspec.Struct, frozen=True):
    """One figure or mark of the log. Amounts are GiB. `label` are the words before it, `name` the variable that was printed, `path` and
    `source_line` the logging call."""

    kind: str
    value: float
    step: float
    rank: str
    number: int
    text: str
    label: str = ""
    name: str = ""
    proof: str = ""
    path: str = ""
    source_line: int = 0
    pattern: int = -1
    fields: int = 0


class Release(msgspec.Struct, frozen=True):
    """A release that the log names."""

    value: str
    number: int


Item = Reading | Setting | Release
_RELEASE = re.compile(
    r"\bsglang[\w\s.-]{0,12}?(?:version|==|v)\s*[:=]?\s*v?(\d+\.\d+\.\d+(?:\.?(?:post|rc)\d+)?)(?![\w/])", re.IGNORECASE
)
_RATE = re.compile(r"#(?:running-req|new-seq|queue-req)\b")
"""Messages about batches, of which a log has thousands and none tells of the start-up."""


class Reader:
    """Matches messages with patterns: those of the source first, then those of known releases."""

    def __init__(self, patterns: Sequence[Pattern], fallback: Sequence[Pattern] = ()) -> None:
        own = [(index, pattern, False) for index, pattern in enumerate(patterns)]
        foreign = [(len(own) + index, pattern, True) for index, pattern in enumerate((*fallback, *rows().patterns))]
        self._rows = sorted((*own, *foreign), key=lambda row: (-len(row[1].head), row[0]))
        self._by_word: dict[str, list[tuple[int, Pattern, bool]]] = {}
        for row in self._rows:
            self._by_word.setdefault(_word(row[1]), []).append(row)
        everything = tuple(row[1] for row in self._rows)
        words = (rows().fraction, rows().fraction.replace("_", "-"), "max_total_tokens", "max-total-tokens", "sglang version")
        self.anchors = tuple(dict.fromkeys((*needles(everything), *(word.encode() for word in words))))

    def read(self, stream: Readable, size: int) -> Iterator[Item]:
        """The readings of a log of so many bytes. Wrapped lines are put together where the log is small, as what people paste is."""
        if size > SMALL:
            first = stream.read(SMALL + 1)
            stream = io.BytesIO(first) if len(first) <= SMALL else Rejoined(first, stream)
            size = len(first)
        if size > SMALL:
            for piece in pieces(stream, self.anchors):
                yield from self.items(piece)
            return
        for number, line in unwrapped(list(lines_of(stream)), self):
            for piece in split(number, line):
                yield from self.items(piece)

    def figures(self, number: int, line: str) -> int:
        """How many figures and settings a line shows by itself."""
        lowered = line.lower()
        if not any(word in lowered for word in self._by_word) and not self._sets(line):
            return 0
        return sum(1 for piece in split(number, line) for _ in self.items(piece))

    @staticmethod
    def _sets(text: str) -> bool:
        lowered = text.lower()
        return any(word in lowered for word in _SETTINGS)

    def speaks(self, number: int, line: str) -> bool:
        """Whether a line holds a message of its own."""
        lowered = line.lower()
        if not any(word in lowered for word in self._by_word):
            return False
        return any(isinstance(one, Reading) for piece in split(number, line) for one in self.items(piece))

    def items(self, piece: Piece) -> Iterator[Item]:
        if piece.note:
            named = _RELEASE.search(piece.text)
            if named is not None:
                yield Release(named[1], piece.number)
            yield from settings(piece)
            return
        if _RATE.search(piece.text):
            return
        named = _RELEASE.search(piece.text) if "glang" in piece.text.lower() else None
        if named is not None:
            yield Release(named[1], piece.number)
        yield from self._matched(piece)
        if self._sets(piece.text):
            yield from settings(piece)

    def _matched(self, piece: Piece) -> Iterator[Reading]:
        """The messages in a piece: the best pattern for what stands first, then what follows it."""
        text = piece.text
        lowered = text.lower()
        candidates = [row for word, group in self._by_word.items() if word in lowered for row in group]
        found = [
            (at, pattern, index, foreign, values) for index, pattern, foreign in candidates for at, values in matches(pattern, text)
        ]
        taken: list[tuple[int, int]] = []
        chosen: list[tuple[int, list[Reading]]] = []
        # Own formats come before those of other releases, more values before fewer, longer heads before shorter ones.
        for at, pattern, index, _, values in sorted(found, key=lambda one: (one[3], -len(one[4]), -len(one[1].head), one[0])):
            end = max((value.amount.end for value in values), default=at + len(pattern.head))
            if any(at < high and low < end for low, high in taken):
                continue
            taken.append((at, end))
            chosen.append((at, list(_readings(piece, pattern, index, values))))
        for _, readings in sorted(chosen, key=lambda one: one[0]):
            yield from readings


def _readings(piece: Piece, pattern: Pattern, index: int, values: Iterable[Found]) -> Iterator[Reading]:
    values = list(values)
    text = piece.text[:MAX_TEXT]
    if pattern.mark:
        yield Reading(
            pattern.mark, 0.0, 0.0, piece.rank, piece.number, text, path=pattern.path, source_line=pattern.line, pattern=index
        )
    for value in values:
        kind = value.field.kind
        amount = value.amount.gib() if kind.partition(".")[0] in ("free", "used", "pool", "budget", "reserve", "oom") else value.amount
        yield Reading(
            kind, amount.value, amount.step, piece.rank, piece.number, text, value.field.label.strip(" =:"), value.field.name,
            value.field.proof, pattern.path, pattern.line, index, len(values),
        )  # fmt: skip


def _word(pattern: Pattern) -> str:
    """The word of a head that is looked for first."""
    words = [word for word in pattern.head.rstrip(" =:").split() if word != "*"]
    return max(words or [""], key=len).lower()


_SETTINGS = (
    rows().fraction,
    rows().fraction.replace("_", "-"),
    "--mem-f",
    "--tp ",
    "--tp=",
    "tensor-parallel-size",
    *OF_INTEREST,
    *(name.replace("_", "-") for name in OF_INTEREST),
)
