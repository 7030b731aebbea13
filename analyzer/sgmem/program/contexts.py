"""Cheap textual filters: what stands around a name on its line, judged before a file is parsed or a statement lowered.

A context must hold wherever the construct it stands for occurs; it may hold elsewhere too, which only costs time.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

Context = Callable[[str, str], bool]
"""Judges the line before a name (with the line above it, where the name comes first on its own) and the line after it."""

_WINDOW = 2000
"""How much of a line is judged on either side of a name."""
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

LONG = 50_000
"""Texts with more characters get an index of their words."""
MANY = 300
KEPT = 16
_asked: dict[str, int] = {}
_ANY_WORD = re.compile(r"\w+")

_QUOTES = ("'", '"')

_CALL = re.compile(r"\s*[(\[]|\s*\.\s*(?:get|options|remote|bind)\b")
_LOOKED_UP = re.compile(r"(?:getattr\(.*|\[)['\"]$")
_HEADER = re.compile(r"\b(?:def|class)\s+$")
_PARTIAL = re.compile(r"partial\(\s*(?:\w+\.)*$")
_STORE = re.compile(r"\s*(?:(?::(?!=))|(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)|:=)")
_BY_NAME = re.compile(r"\(\s*(?:$|[\w.]+\s*(?:$|,\s*(?:$|[\w.]+\s*(?:$|,))))")
_PRODUCT = re.compile(r"\s*=\s*(?:[\w.]|\(\))+_size\s*\*")
_UNPACK = re.compile(r"\s*[,)\]]")
_LINE_ENDS = re.compile(r"\s*[,)\]]?\s*(?:#.*)?$")
_VALUE_BEFORE = re.compile(r"(?:=|['\"\]]\s*:|\w\(|=\s*[(\[{]|\b(?:else|or|if|return))\s*(?:\w+\.)*$")
_VALUE_AFTER = re.compile(r"\s*[(.\[=]")


def called(before: str, after: str) -> bool:
    """`name(...)`, `table[...]`, `name.get(...)`, `partial(name`, getattr(x, "name"), table["name"]; not where the name is defined."""
    if _CALL.match(after) is not None:
        return _HEADER.search(before) is None
    if _PARTIAL.search(before) is not None:
        return True
    return after[:1] in ("'", '"') and _LOOKED_UP.search(before) is not None


def stored(before: str, after: str) -> bool:
    """`x.name = ...`, `name: T`, `name += ...`, a target of unpacking, of a loop, of with; a literal for setattr."""
    if _STORE.match(after) or after[:1] in _QUOTES:
        return True
    if _LINE_ENDS.match(after) and not before.rpartition("\n")[2].strip(" \t([*,"):
        return True  # alone on its line: it may be the last of several targets
    if _UNPACK.match(after) and ("=" in after or _LINE_ENDS.match(after)):
        return True
    return "for " in before or " as " in before or "global " in before


def loaded(before: str, after: str) -> bool:
    """`x.name`, and the literal of `getattr(x, "name")`."""
    above, _, own = before.rpartition("\n")
    return (own.strip() or above.partition("#")[0].rstrip(" \t\\")).endswith(".") or quoted(before, after)


def quoted(before: str, after: str) -> bool:
    """`"name"` and `"--name"`: the last word of a literal."""
    return after[:1] in _QUOTES


def multiplied(before: str, after: str) -> bool:
    """`name = a.b_size * ...`, as a keyword argument too."""
    return _PRODUCT.match(after) is not None


def set_by_name(before: str, after: str) -> bool:
    """`name(target, key,`, on one line or on several."""
    return _BY_NAME.match(after) is not None


def renamed(before: str, after: str) -> bool:
    """`import name as other`."""
    return after.startswith(" as ")


def held(before: str, after: str) -> bool:
    """The bare name as a value: assigned, a default, an entry of a display, an argument; `import name as other`."""
    if after.startswith(" as "):
        return True
    return _VALUE_AFTER.match(after) is None and _VALUE_BEFORE.search(before) is not None


def defined(before: str, after: str) -> bool:
    """`def name`."""
    return before.rstrip().endswith("def")


def mentioned(before: str, after: str) -> bool:
    """The name, whatever stands around it."""
    return True


_ALL = (mentioned, called, stored, loaded, quoted, multiplied, set_by_name, renamed, held, defined)
CONTEXTS: dict[str, Context] = {one.__name__: one for one in _ALL}
MATCHED = "matched"
"""In place of a context: anywhere in a file with case statements."""
TEXT = "text:"
"""In place of a context, with a text behind it: anywhere in a file that contains the text."""


def positions(text: str, name: str, start: int = 0, stop: int = sys.maxsize) -> Iterator[int]:
    """The offsets at which `name` stands as a whole word, all or those of a part of the text."""
    if len(text) > LONG and (found := _indexed(text)) is not None and name.isidentifier():
        at_all = found.get(name, ())
        yield from (at_all[n] for n in range(bisect_left(at_all, start), bisect_right(at_all, stop - len(name))))
        return
    size, find = len(name), text.find
    at = find(name, start, stop)
    while at >= 0:
        end = at + size
        if (at == 0 or not _is_word(text[at - 1])) and (end >= len(text) or not _is_word(text[end])):
            yield at
        at = find(name, end, stop)


def _indexed(text: str) -> Mapping[str, Sequence[int]] | None:
    """Where every word of a long text stands, from the time on when many have been looked for: a thousand functions in one file, each
    searched for its callers."""
    asked = _asked.get(text, 0) + 1
    if len(_asked) >= KEPT and text not in _asked:
        _asked.clear()
    _asked[text] = asked
    return _words(text) if asked > MANY else None


@lru_cache(maxsize=KEPT)
def _words(text: str) -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for match in _ANY_WORD.finditer(text):
        found.setdefault(match[0], []).append(match.start())
    return found


def occurs(text: str, name: str, context: Context) -> bool:
    """Whether `name` stands somewhere in `text` in the given context."""
    return next(places(text, name, context), None) is not None


def places(text: str, name: str, context: Context) -> Iterator[int]:
    """The offsets at which `name` stands in the given context."""
    for at in positions(text, name):
        end = at + len(name)
        start = text.rfind("\n", max(0, at - _WINDOW), at) + 1
        if start == 0 and at > _WINDOW:
            yield at  # far into a line that no person wrote: to judge all of it at every name in it would take for ever
            continue
        if start > 0 and text[start:at].isspace():
            start = text.rfind("\n", 0, start - 1) + 1
        stop = text.find("\n", end, end + _WINDOW)
        if context(text[start:at], text[end : stop if stop >= 0 else end + _WINDOW]):
            yield at


def _is_word(character: str) -> bool:
    return character in _WORD or (character > "\x7f" and character.isalnum())
