"""The cases of a rule's page: fenced code that must, or must not, be reported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^```python (?P<kind>valid|invalid)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^# file: (?P<path>\S+)\n", re.MULTILINE)
MARK = "# finding"


class Case(NamedTuple):
    """A small program: path -> text, and the places, path and line, where the rule must report something."""

    name: str
    files: dict[str, str]
    expected: list[tuple[str, int]]


def cases_of(page: str) -> Iterator[Case]:
    """The cases of a page, in order. A case of one file is called `serving/case.py`."""
    for number, match in enumerate(_FENCE.finditer(page), 1):
        files = split(match["code"])
        expected = [
            (path, line)
            for path, text in files.items()
            for line, code in enumerate(text.split("\n"), 1)
            if code.rstrip().endswith(MARK)
        ]
        assert bool(expected) == (match["kind"] == "invalid"), f"case {number} is {match['kind']}, marks say otherwise"
        yield Case(f"{number}-{match['kind']}", files, sorted(expected))


def split(code: str) -> dict[str, str]:
    """The files of a case, by the `# file:` lines."""
    parts = _FILE.split(code)
    if len(parts) == 1:
        return {"serving/case.py": code}
    assert not parts[0].strip(), "code before the first # file: line"
    return dict(zip(parts[1::2], parts[2::2], strict=True))
