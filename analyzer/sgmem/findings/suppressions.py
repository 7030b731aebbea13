"""Suppression comments: `# sgmem: ignore[negative-budget] the caller checks it`.

A comment behind code speaks for the statement that it stands in; a comment on a line of its own for the next line of
code. It names rules by name or code, and gives a reason; without a reason it suppresses nothing. What suppresses
nothing is reported, so that no comment outlives its cause.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMENT = re.compile(r"#\s*sgmem\s*:\s*ignore\b(?P<rest>[^\n]*)", re.IGNORECASE)
_REST = re.compile(r"\s*\[(?P<rules>[^\]]*)\]\s*(?:[-:,]\s*)?(?P<reason>.*)")
MARK = "sgmem"
"""The word by which files with such comments are found."""


class Suppression(msgspec.Struct):
    """One comment: the rules it names, lower case, and the line of code it speaks for. `used` are the names that
    matched.
    """

    line: int
    column: int
    end_column: int
    target: int
    rules: tuple[str, ...]
    reason: str
    used: set[str] = msgspec.field(default_factory=set)

    @property
    def problem(self) -> str | None:
        """Why it cannot suppress anything, if that is so."""
        if not self.rules:
            return "names no rule; write # sgmem: ignore[RULE] REASON"
        return None if self.reason else "gives no reason; write it behind the brackets"

    def covers(self, first: int, last: int, names: Iterable[str]) -> bool:
        """Whether it speaks for code on these lines and names the rule, which goes by several names. Notes the use."""
        if self.problem is not None or not first <= self.target <= last:
            return False
        matched = {name for name in names if name.lower() in self.rules}
        self.used |= {name.lower() for name in matched}
        return bool(matched)


def suppressions_in(text: str) -> list[Suppression]:
    """The suppression comments of a file, in order."""
    if _COMMENT.search(text) is None:
        return []
    lines = text.split("\n")
    found = []
    for line, column, comment in _comments(text):
        match = _COMMENT.match(comment)
        if match is None:
            continue
        target = line if lines[line - 1][: column - 1].strip() else _next_code(lines, line)
        rest = _REST.match(match["rest"])
        names = tuple(name.strip().lower() for name in rest["rules"].split(",") if name.strip()) if rest else ()
        reason = rest["reason"].strip() if rest else ""
        found.append(Suppression(line, column, column + len(comment.rstrip()), target, names, reason))
    return found


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """The comments with their 1-based positions. A text in a string is none, so the file is tokenised."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.start[1] + 1, token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        return  # what was found before the fault stands


def _next_code(lines: list[str], line: int) -> int:
    """The first line behind `line` that holds code."""
    for number in range(line, len(lines)):
        stripped = lines[number].strip()
        if stripped and not stripped.startswith("#"):
            return number + 1
    return line
