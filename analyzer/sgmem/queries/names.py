"""How a user spells a name of the source, and how an error shows what was given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.source.tree import SourceTree

_SHOWN = 200


def plain_name(name: str) -> str:
    """A name as the source spells it: `--mem-fraction-static` is mem_fraction_static, `self.` is left out."""
    return name.strip().removeprefix("--").replace("-", "_").removeprefix("self.").removesuffix("()")


def shortened(text: str) -> str:
    """A text as an error may show it: one that is endless is cut."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def similar(tree: SourceTree, name: str) -> tuple[str, ...]:
    """Names in the source that look like a name that was not found."""
    from difflib import get_close_matches

    words: set[str] = set()
    for path in tree.files:
        words.update(word.decode() for word in re.findall(rb"[A-Za-z_][A-Za-z0-9_]{2,60}", tree.read(path)))
    return tuple(get_close_matches(name, words - {name}, n=5, cutoff=0.75))


def no_path(tree: SourceTree, name: str, callee: str) -> str:
    """Why `trace NAME --to CALLEE` shows nothing."""
    last = re.split(r"[.:]", callee.removesuffix("()"))[-1]
    if last.isidentifier() and tree.mentioning(last):
        return f"no path from {name} ends in an argument of {shortened(callee)}"
    close = similar(tree, last)
    return f"nothing in the source is called {shortened(callee)!r}" + (f"; like it are {', '.join(close)}" if close else "")
