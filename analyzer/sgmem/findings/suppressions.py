"""Suppression comments: `# sgmem: ignore[negative-budget] the caller checks it`.

A comment behind code speaks for the statement that it stands in; a comment on a line of its own for the next line of
code. It names rules by name or code, and gives a reason; without a reason it suppresses nothing. It may share a comment
with other tools, before or behind theirs. What suppresses nothing is reported, so that no comment outlives its cause.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMENT = re.compile(r"#+\s*sgmem\s*:\s*ignore\b(?P<rest>[^\n]*)", re.IGNORECASE)
_REST = re.compile(r"\s*\[(?P<rules>[^\]]*)\]\s*(?:[-:,]+\s*)?(?P<reason>.*)")
_NEXT_PRAGMA = re.compile(r"\s+#+\s*(?:[\w-]+\s*:|noqa\b|nosec\b|NOSONAR\b).*")
"""Where another tool's comment begins: `# noqa`, `# type: ignore`, `# pragma: no cover`. An issue number (`#123`) is none."""
MARK = "sgmem"
"""The word by which files with such comments are found."""


class Suppression(msgspec.Struct):
    """One comment: the rules it names as they are written, and the line of code it speaks for. `used` are the names, lower
    case, that matched. Columns are 1-based, the end is exclusive; `alone` says that nothing else is on its line.
    """

    line: int
    column: int
    end_column: int
    target: int
    rules: tuple[str, ...]
    reason: str
    alone: bool = False
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
        matched = {name.lower() for name in names} & {name.lower() for name in self.rules}
        self.used |= matched
        return bool(matched)

    def without(self, names: Iterable[str]) -> str:
        """The comment when these names are taken out of it; "" where none is left."""
        left = [name for name in self.rules if name not in set(names)]
        return f"# sgmem: ignore[{', '.join(left)}] {self.reason}" if left else ""


def suppressions_in(text: str) -> list[Suppression]:
    """The suppression comments of a file, in order."""
    if _COMMENT.search(text) is None:
        return []
    lines = text.split("\n")
    found = []
    for line, start, comment in _comments(text):
        for match in _parts(comment):
            column = start + match.start()
            before = lines[line - 1][: start - 1].strip()
            rest = _REST.match(match["rest"])
            names = tuple(dict.fromkeys(name.strip() for name in rest["rules"].split(",") if name.strip())) if rest else ()
            reason = rest["reason"].strip() if rest else ""
            end = column + len(match.group().rstrip())
            alone = not before and not comment[: match.start()].strip() and start + len(comment.rstrip()) == end
            target = line if before else _next_code(lines, line)
            found.append(Suppression(line, column, end, target, names, reason, alone))
    return found


def _parts(comment: str) -> Iterator[re.Match[str]]:
    """The suppressions within one comment, each cut off where another tool's part begins."""
    at = 0
    while (match := _COMMENT.search(comment, at)) is not None:
        behind = _NEXT_PRAGMA.search(comment, match.start("rest"))
        end = behind.start() if behind is not None else len(comment)
        cut = _COMMENT.search(comment, match.start(), end)
        if cut is not None:
            yield cut
        at = max(end, match.start() + 1)


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
