"""The difference of two texts by lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.syntax.text import SourceText

_WORDS = re.compile(r"\w+")
_MOST_LINES = 600
"""Longer pieces are not searched for lines that stayed: that takes time by the square of their length."""


class _Piece(NamedTuple):
    """Lines of the old text, counted from 0, the last exclusive, in whose place there are others now."""

    first: int
    last: int
    first_now: int
    last_now: int


class TextEdit:
    """The pieces of a text that were edited. Between them the lines are the same.

    The slots of a text are the pieces, with odd numbers, and what stands before, between and behind them, with even ones.
    """

    def __init__(self, before: SourceText, now: SourceText) -> None:
        old, new = before.text.split("\n"), now.text.split("\n")
        self._pieces = list(_pieces(old, new))
        self._bounds = [bound + 1 for piece in self._pieces for bound in (piece.first, piece.last)]
        self._bounds_now = [bound + 1 for piece in self._pieces for bound in (piece.first_now, piece.last_now)]
        self._behind: list[int] = []
        """For each piece the offset of what stands behind it, in the old text."""
        self._sizes: list[int] = [0]
        """By how many characters the text grew, up to each piece and in all."""
        changed: list[str] = []
        around: list[str] = []
        for piece in self._pieces:
            came, went = new[piece.first_now : piece.last_now], old[piece.first : piece.last]
            changed += [*went, *came]
            around += [*old[max(0, piece.first - 1) : piece.first], *old[piece.last : piece.last + 1]]
            self._behind.append(before.offset(piece.last + 1, 1) if piece.last < len(old) else len(before.text) + 1)
            self._sizes.append(self._sizes[-1] + sum(len(line) + 1 for line in came) - sum(len(line) + 1 for line in went))
        self.is_blank = not any(line.strip() for line in changed)
        """Whether only blank lines came, or went."""
        self.words = frozenset(_WORDS.findall("\n".join([*changed, *around])))
        """The words on changed lines, and on the lines beside them."""
        self.slots = 2 * len(self._pieces) + 1

    def slot(self, line: int) -> int:
        """The slot of a line of the old text."""
        return bisect_right(self._bounds, line)

    def slot_now(self, line: int) -> int:
        """The slot of a line of the new text."""
        return bisect_right(self._bounds_now, line)

    @staticmethod
    def is_edited(slot: int) -> bool:
        return slot % 2 == 1

    def line(self, line: int) -> int | None:
        """Where a line stands now; None for one that was changed."""
        slot = self.slot(line)
        if self.is_edited(slot):
            return None
        return line if not slot else line + self._bounds_now[slot - 1] - self._bounds[slot - 1]

    def offset(self, offset: int) -> int:
        """Where a character stands now, if it is none of a changed line."""
        return offset + self._sizes[bisect_right(self._behind, offset)]

    def meets(self, first: int, last: int) -> bool:
        """Whether one of some lines was changed, or something came between two of them."""
        return any(
            first <= piece.last and last > piece.first and (first <= piece.first < last or piece.last > piece.first)
            for piece in self._pieces
        )


def _pieces(old: list[str], new: list[str]) -> Iterator[_Piece]:
    least = min(len(old), len(new))
    head = next((at for at in range(least) if old[at] != new[at]), least)
    tail = next((at for at in range(least - head) if old[-1 - at] != new[-1 - at]), least - head)
    last, last_now = len(old) - tail, len(new) - tail
    if last == last_now:
        at = head
        while at < last:
            end = next((after for after in range(at, last) if old[after] == new[after]), last)
            if end > at:
                yield _Piece(at, end, at, end)
            at = end + 1
    elif max(last, last_now) - head > _MOST_LINES:
        yield _Piece(head, last, head, last_now)
    else:
        from difflib import SequenceMatcher

        for kind, *(a, b, c, d) in SequenceMatcher(None, old[head:last], new[head:last_now], autojunk=False).get_opcodes():
            if kind != "equal":
                yield _Piece(head + a, head + b, head + c, head + d)
