"""Lines that a terminal, an editor or a person wrapped, put together again.

A line is continued by the next where that one begins no message of its own. Two things tell where to join: a text that was cut at a
fixed width has many lines of exactly that length; and words that were wrapped print more figures together than apart.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

Numbered = tuple[int, str]
MOST_PARTS = 5
"""So many lines a wrapped message may take: more is a traceback or prose."""
NARROWEST = 40
MOST_CUT = 0.6
"""At least this share of the lines that are continued were cut at one width, where anything was."""
MOST_JOINED = 1 << 14
FAR = 600
"""A message is no longer: what stands before tells nothing about how two parts read together."""
PATIENCE = 500
"""After so many lines that do not complete one another a text is prose or another program's output."""
_BEGINS = re.compile(
    r"\W{0,4}(?:\d{4}-\d\d-\d\d[ T]|\d\d:\d\d:\d\d|[A-Z][a-z]{2}\s+\d{1,2}\s\d\d:|(?:INFO|WARNING|ERROR|DEBUG)\b|Traceback\b|File \")"
)
_TAGGED = re.compile(r"\[[^\]\n]{0,40}(?:\d\d:\d\d:\d\d|\b(?:DP|TP|PP|EP)\s?\d|(?:gpu(?:_id)?|rank)\s?[=: ]\s?\d)")


def begins(text: str) -> bool:
    """Whether a line begins something of its own: a time, a level, a rank, a note, nothing at all."""
    bare = text.strip()
    return not bare or bare[0] in "#" or bool(_BEGINS.match(bare)) or bool(_TAGGED.search(bare))


class Reads(Protocol):
    """What can be read in a line by itself."""

    def figures(self, number: int, line: str) -> int:
        """How many figures and settings it shows."""

    def speaks(self, number: int, line: str) -> bool:
        """Whether it holds a message of its own."""


def unwrapped(lines: list[Numbered], reads: Reads) -> Iterator[Numbered]:
    """The lines, wrapped ones joined and counted by their first number."""
    yield from _soft(list(_hard(lines, reads)), reads)


def _hard(lines: list[Numbered], reads: Reads) -> Iterator[Numbered]:
    """Join what was cut at a fixed width."""
    width, patience = _width(lines), PATIENCE
    position = 0
    while position < len(lines):
        number, text = lines[position]
        last = text
        position += 1
        while width and patience > 0 and width - 1 <= len(last) <= width and position < len(lines) and len(text) < MOST_JOINED:
            following = lines[position][1]
            if begins(following) or reads.speaks(*lines[position]):
                break
            text = _pasted(number, text, following, len(last) == width, reads)
            last = following
            position += 1
            patience -= 1
        patience += 5 if last is not text and reads.figures(number, text) else 0
        yield number, text


def _pasted(number: int, text: str, following: str, full: bool, reads: Reads) -> str:
    """Two parts of one line. A blank at the cut may be lost: it was there where the message reads better with it."""
    end = text[-FAR:]
    spaced = not full or reads.figures(number, f"{end} {following}") > reads.figures(number, end + following)
    return f"{text} {following}" if spaced else text + following


def _width(lines: list[Numbered]) -> int:
    """The width at which a text was cut; 0 where it was not."""
    longest = max((len(text) for _, text in lines if not text.startswith("#")), default=0)
    if longest < NARROWEST:
        return 0
    lengths: Counter[int] = Counter()
    for (_, text), (_, following) in pairwise(lines):
        if not begins(following):
            lengths[len(text)] += 1
    cut = lengths[longest] + lengths[longest - 1]
    return longest if lengths[longest] >= 2 and cut >= MOST_CUT * lengths.total() else 0


def _soft(lines: list[Numbered], reads: Reads) -> Iterator[Numbered]:
    """Join words that show more figures together than apart."""
    position, patience = 0, PATIENCE
    while position < len(lines):
        number, text = lines[position]
        taken = 1
        followed = position + 1 < len(lines) and not begins(lines[position + 1][1])
        if followed and patience > 0 and text.strip() and not text.lstrip().startswith("#"):
            text, taken = _continued(lines, position, reads)
            patience += 5 if taken > 1 else -1
        yield number, text
        position += taken


def _continued(lines: list[Numbered], position: int, reads: Reads) -> tuple[str, int]:
    """A line with the lines after it that complete its message, and how many these are."""
    number, text = lines[position]
    best, taken = text, 1
    alone = reads.figures(number, text)
    for count in range(2, MOST_PARTS + 1):
        if position + count > len(lines) or begins(lines[position + count - 1][1]):
            break
        following = lines[position + count - 1]
        if reads.speaks(*following):
            break
        alone += reads.figures(*following)
        ways = (f"{text} {following[1].strip()}", text + following[1])
        together, text = max(((reads.figures(number, way), way) for way in ways), key=lambda one: one[0])
        if together > alone:
            best, taken, alone = text, count, together
    return best, taken
