"""On which line of a TOML file a key stands: its parser does not say."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Keys = tuple[str, ...]


def line_of(text: str, keys: Sequence[str | int]) -> int | None:
    """The line (1-based) of the statement that sets `keys`, or that opens the table nearest to them; None without any.

    A number among the keys counts the tables of an array of tables.
    """
    best: tuple[int, int] | None = None
    for line, found in statements(text):
        shared = _shared(found, keys)
        if shared and (best is None or shared > best[0]):
            best = (shared, line)
    return best[1] if best is not None else None


def _shared(found: Sequence[str | int], keys: Sequence[str | int]) -> int:
    """How many keys a statement says of those looked for; none where it says another one."""
    shared = 0
    for mine, wanted in zip(found, keys, strict=False):
        if mine != wanted:
            return 0
        shared += 1
    return shared


def statements(text: str) -> Iterator[tuple[int, tuple[str | int, ...]]]:
    """Every statement of a sound TOML document: its line, and the keys it sets or the table it opens.

    A statement is the fewest lines that are a document by themselves, which holds for values of many lines too.
    """
    table: tuple[str | int, ...] = ()
    arrays: dict[tuple[str | int, ...], int] = {}
    pending, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start if pending else number
        pending += line.removesuffix("\r") + "\n"
        try:
            document = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        pending, said = "", pending.strip()
        if not document:
            continue
        keys = _keys(document)
        if said.startswith("["):
            table = _opened(keys, said.startswith("[["), arrays)
            yield start, table
        else:
            yield start, (*table, *keys)


def _opened(keys: Keys, is_array: bool, arrays: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The table that a header opens, its place in an array of tables included."""
    path: tuple[str | int, ...] = ()
    for key in keys[: -1 if is_array else None]:
        path = (*path, key)
        if path in arrays:
            path = (*path, arrays[path])
    if is_array:
        path = (*path, keys[-1])
        arrays[path] = arrays.get(path, -1) + 1
        path = (*path, arrays[path])
    return path


def _keys(document: dict[str, Any]) -> Keys:
    """The keys of a document of one statement, down to its value."""
    keys: list[str] = []
    value: Any = document
    while isinstance(value, dict) and len(value) == 1:
        key, value = next(iter(value.items()))
        keys.append(key)
    return tuple(keys)
