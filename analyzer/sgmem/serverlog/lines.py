"""A log as pieces of text: decoded, freed of terminal control, cut where several messages share a line, with their rank.

Logs are read as a stream of blocks, so that their size does not matter; a line is kept only up to `MAX_LINE` bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BLOCK = 1 << 18
MAX_LINE = 1 << 16
"""What a line holds beyond is not looked at: no server prints a memory figure that late in a line."""


class Readable(Protocol):
    """What a log is read from."""

    def read(self, size: int = -1, /) -> bytes: ...


class Rejoined:
    """A stream of which the first part was read already."""

    def __init__(self, first: bytes, rest: Readable) -> None:
        self._first, self._rest = first, rest

    def read(self, size: int = -1, /) -> bytes:
        if not self._first:
            return self._rest.read(size)
        part, self._first = (self._first, b"") if size < 0 else (self._first[:size], self._first[size:])
        return part + (self._rest.read() if size < 0 else b"")


class Piece(msgspec.Struct, frozen=True):
    """One message. `rank` is what the log prints of it ("TP3", "DP0 TP2", "gpu 1"), "" where it prints none.

    `note` marks a comment line that a person added (it begins with #).
    """

    number: int
    text: str
    rank: str = ""
    note: bool = False


_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|(?:\^\[|\u241b|\\x1b|\\033|\\u001b)?\[\d{1,3}(?:;\d{1,3})*m"  # colours whose escape character was spelled out or lost
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles and links
    r"|\x1b[@-Z\\-_]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\u200b]"
)
_NUMBERED = r"(?:DP|TP|PP|EP|ATTN_DP|MOE_DP|CP)\s?\d+"
_STAMP = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,\d]*|\d\d:\d\d:\d\d"
_RETURNS = re.compile(r"\r")
_SPELLED = re.compile(r"\r|(?:\\r)?\\n")
MANY_BREAKS = 2
"""So many line breaks spelled as \\n in one line make it a text of several lines, as in the JSON of an error."""
_TIMED = rf"(?:{_STAMP})(?:\s+(?P<timed>{_NUMBERED}(?:\s+{_NUMBERED})*))?[^\]\n]{{0,24}}"
_RANKS = rf"(?P<ranks>{_NUMBERED}(?:\s+{_NUMBERED})*)"
_TAG = re.compile(rf"\[(?:{_TIMED}|{_RANKS}|(?:gpu(?:_id)?|rank)\s?[=: ]\s?(?P<gpu>\d+))\]")
"""What SGLang puts before a message: its time, its ranks, or both."""

_BARE = re.compile(rf"\b(?:(?P<ranks>{_NUMBERED}(?:\s+{_NUMBERED})*)\b|[Rr]ank (?P<gpu>\d+):)")


def rank_of(match: re.Match[str]) -> str:
    """The rank that a tag names."""
    groups = match.groupdict()
    text = groups.get("timed") or groups.get("ranks")
    if text:
        return " ".join(re.sub(r"\s+(?=\d)", "", text).split())
    return f"gpu {groups['gpu']}" if groups.get("gpu") else ""


def pieces(stream: Readable, anchors: Sequence[bytes] = ()) -> Iterator[Piece]:
    """The messages of a log. With `anchors`, only the lines that hold one of them; numbering counts all."""
    for number, raw in _lines(stream, anchors):
        yield from split(number, raw.decode("utf-8", "replace"))


def lines_of(stream: Readable) -> Iterator[tuple[int, str]]:
    """All lines of a log by number, without terminal control but for returns to the start of the line."""
    for number, raw in _lines(stream, ()):
        yield number, _CONTROL.sub("", raw.decode("utf-8", "replace").rstrip("\r"))


def split(number: int, line: str) -> Iterator[Piece]:
    """The messages of one line: progress bars return to its start, and writers of several ranks may glue theirs together."""
    for part in (_SPELLED if line.count("\\n") >= MANY_BREAKS else _RETURNS).split(line):
        text = _CONTROL.sub("", part).strip()
        if not text:
            continue
        note = text.startswith("#")
        tags = list(_TAG.finditer(text))
        if not tags:
            bare = _BARE.search(text[:80])
            yield Piece(number, text, rank_of(bare) if bare else "", note)
            continue
        before = text[: tags[0].start()]
        if any(character.isdigit() for character in before):
            yield Piece(number, before, "", note)
        bounds = [*(tag.start() for tag in tags[1:]), len(text)]
        rank = ""
        for tag, end in zip(tags, bounds, strict=True):
            rank = rank_of(tag) or (rank if not text[tag.start() : end].strip(tag.group()) else "")
            body = text[tag.end() : end].strip()
            if body:
                yield Piece(number, body, rank or _bare_rank(body), note)


def _bare_rank(body: str) -> str:
    bare = _BARE.match(body)
    return rank_of(bare) if bare else ""


def _lines(stream: Readable, anchors: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold an anchor, by number. A block without any is only counted."""
    number, rest, dropping = 1, b"", False
    while True:
        block = stream.read(BLOCK)
        if not block:
            break
        whole, newline, tail = block.rpartition(b"\n")
        if not newline:
            rest, dropping = (rest, True) if dropping or len(rest) > MAX_LINE else (rest + block, False)
            continue
        data = rest + whole
        rest, dropping = tail, False
        if not anchors or any(anchor in data for anchor in anchors):
            for offset, line in enumerate(data.split(b"\n")):
                if not anchors or any(anchor in line for anchor in anchors):
                    yield number + offset, line[:MAX_LINE]
        number += data.count(b"\n") + 1
    if rest and (not anchors or any(anchor in rest for anchor in anchors)):
        yield number, rest[:MAX_LINE]
