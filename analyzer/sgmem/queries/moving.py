"""A result whose files have the code that it names on other lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result", bound=msgspec.Struct)
Line = "Callable[[str, int], int | None]"

_LINES = ("line", "end_line")
_TOLD = re.compile(r"(?:\blines? |(?P<path>[^\s:]+\.py):)(?P<line>[1-9][0-9]{0,8})\b")


class Unknown(Exception):
    """A line is not the same any more, or it cannot be told which."""


def moved(result: Result, line: Callable[[str, int], int | None]) -> Result | None:
    """The result with the lines of its places where they are now; None if that cannot be told.

    A place is a `path` with a `line`, and an `end_line` where it has one; 0 stands for no line.
    """
    plain = msgspec.to_builtins(result)
    paths = sorted({place["path"] for place in _places(plain)})
    try:
        return msgspec.convert(_moved(plain, line, paths), type=type(result))
    except Unknown:
        return None


def told_elsewhere(text: str, paths: list[str], line: Callable[[str, int], int | None]) -> bool:
    """Whether a text names a line, of one of these files if it names none, that is another one now."""
    found = ((match["path"], int(match["line"])) for match in _TOLD.finditer(text))
    return any(line(path, number) != number for named, number in found for path in ([named] if named else paths))


def _places(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if isinstance(node.get("path"), str) and "line" in node:
            yield node
        for value in node.values():
            yield from _places(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _places(value)


def _moved(node: Any, line: Callable[[str, int], int | None], paths: list[str]) -> Any:
    if isinstance(node, dict):
        here = node["path"] if isinstance(node.get("path"), str) and "line" in node else ""
        found = {key: _moved(value, line, paths) for key, value in node.items()}
        for key in _LINES if here else ():
            if node.get(key):
                found[key] = line(here, node[key])
                if found[key] is None:
                    raise Unknown
        return found
    if isinstance(node, list | tuple):
        return [_moved(value, line, paths) for value in node]
    if isinstance(node, str) and told_elsewhere(node, paths, line):
        raise Unknown
    return node
