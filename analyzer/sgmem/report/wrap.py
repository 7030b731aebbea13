"""Breaking long text at spaces, never inside a word: a path or a name stays whole even if it is wider than the line."""

from __future__ import annotations

from rich.cells import cell_len


def wrap(text: str, first: int, rest: int, limit: int | None = None, more: str = "…") -> list[str]:
    """Break `text` into lines of at most `first` cells, then `rest`.

    A word wider than its line overflows. At most `limit` lines are returned; a cut is marked by `more`.
    """
    words = text.split(" ")
    lines: list[str] = []
    line, used, room = words[0], cell_len(words[0]), first
    for word in words[1:]:
        size = cell_len(word)
        if used + 1 + size <= room:
            line, used = f"{line} {word}", used + 1 + size
            continue
        lines.append(line)
        line, used, room = word, size, rest
    lines.append(line)
    if limit is None or len(lines) <= limit:
        return lines
    return [*lines[: limit - 1], cut(lines[limit - 1], first if limit == 1 else rest, more)]


def cut(line: str, room: int, more: str) -> str:
    """Return `line` with `more` at its end, words dropped until both fit."""
    while cell_len(line) + 1 + cell_len(more) > room and " " in line:
        line = line.rpartition(" ")[0]
    return f"{line} {more}"
