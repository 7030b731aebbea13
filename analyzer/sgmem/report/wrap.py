"""Breaking long text at spaces, never inside a word: a path or a name stays whole even if it is wider than the line."""

from __future__ import annotations

import re

from rich.cells import cell_len

OPENING = re.compile(r"(?<=[(\[{,])(?=[^\s(\[{,])")
"""Where code may be broken without a space, once nothing else helps: after a bracket or a comma."""


def wrap(text: str, first: int, rest: int, limit: int | None = None, more: str = "…", *, code: bool = False) -> list[str]:
    """Break `text` into lines of at most `first` cells, then `rest`.

    A word wider than its line overflows, unless it is `code` with brackets. At most `limit` lines are returned; a cut
    is marked by `more`.
    """
    lines: list[str] = []
    line, room = "", first
    for space, word in pieces(text, rest if code else None):
        longer = f"{line}{space}{word}"
        if cell_len(longer) <= room or not line:
            line = longer
            continue
        lines.append(line)
        line, room = word, rest
    lines.append(line)
    if limit is None or len(lines) <= limit:
        return lines
    return [*lines[: limit - 1], cut(lines[limit - 1], first if limit == 1 else rest, more)]


def pieces(text: str, room: int | None) -> list[tuple[str, str]]:
    """The words of `text`, each with the space before it; words wider than `room` in parts, without a space between."""
    found: list[tuple[str, str]] = []
    for number, word in enumerate(text.split(" ")):
        parts = OPENING.split(word) if room is not None and cell_len(word) > room else [word]
        found.append((" " if number else "", parts[0]))
        found += [("", part) for part in parts[1:]]
    return found


def cut(line: str, room: int, more: str) -> str:
    """Return `line` with `more` at its end, words dropped until both fit."""
    while cell_len(line) + 1 + cell_len(more) > room and " " in line:
        line = line.rpartition(" ")[0]
    return f"{line} {more}"
