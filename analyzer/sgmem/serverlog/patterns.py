"""How a message with memory figures looks in a log, and what each figure is.

A pattern is found by its anchors: `head`, the words a message begins with, then before each number a `label`. Short anchors match
where a whole format would not: in lines that are cut, glued together, retyped, or of a release that prints one value more.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from sgmem.serverlog.numbers import Amount, amount_at

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_GAP = 600
"""How far behind the head a label may stand, in characters: a message is no longer."""


MAX_REPEATED = 200
"""A line in which a message stands more often is not read further."""


class FieldPattern(msgspec.Struct, frozen=True, array_like=True):
    """One printed value. `kind` says which quantity it is (see `quantities.toml`), `name` is the printed expression, `proof` how the
    quantity is known: "flow" followed through the program, "name" by the variable, "label" by the words beside it."""

    label: str
    kind: str
    name: str = ""
    proof: str = "label"


class Pattern(msgspec.Struct, frozen=True, array_like=True):
    """One message. `mark` is what the message tells by itself; `path` and `line` are the logging call's, where the source is known."""

    head: str
    fields: tuple[FieldPattern, ...]
    mark: str = ""
    path: str = ""
    line: int = 0


class Found(msgspec.Struct, frozen=True):
    """A value read from a message."""

    field: FieldPattern
    amount: Amount


def matches(pattern: Pattern, text: str) -> Iterator[tuple[int, list[Found]]]:
    """Where a pattern's head stands in `text` and the values that follow it; nothing where every value is missing."""
    heads = [head.start() for head in _anchor(pattern.head).finditer(text)][:MAX_REPEATED]
    for number, start in enumerate(heads):
        end = min(start + MAX_GAP, heads[number + 1] if number + 1 < len(heads) else len(text))
        found: list[Found] = []
        position = start
        for field in pattern.fields:
            label = _anchor(field.label).search(text, position, end)
            if label is None:
                continue
            amount = amount_at(text, label.end())
            if amount is not None:
                found.append(Found(field, amount))
                position = amount.end
        if pattern.mark or found:
            yield start, found


@lru_cache(maxsize=4096)
def _anchor(text: str) -> re.Pattern[str]:
    """An anchor as a person may retype it: any white space, `=` or `:` before a value."""
    words = text.rstrip(" =:")
    flexible = r"\s+".join(r"\S.{0,60}?" if word == "*" else re.escape(word) for word in words.split())
    if words and words[0].isalnum():
        flexible = rf"(?<![A-Za-z0-9]){flexible}"
    ending = r"\s*[=:]?\s*" if words != text.rstrip() or text.endswith(" ") else ""
    return re.compile(flexible + ending, re.IGNORECASE)


def needles(patterns: tuple[Pattern, ...]) -> tuple[bytes, ...]:
    """Short byte strings, one of which is in every line that a pattern can match as it was printed."""
    words: set[str] = set()
    for pattern in patterns:
        words.add(max(pattern.head.rstrip(" =:").split() or [""], key=len))
    kept = [word for word in sorted(words, key=len) if len(word) > 2]
    return tuple(word.encode() for word in kept if not any(other in word and other != word for other in kept))
