"""How a user spells a name of the source, and how an error shows what was given."""

from __future__ import annotations

import re
from keyword import kwlist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.source.tree import SourceTree

_SHOWN = 200
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,60}")
_DEFINED = re.compile(rb"\b(?:def|class)[ \t]+([A-Za-z_][A-Za-z0-9_]{2,60})")


def plain_name(name: str) -> str:
    """A name as the source spells it: `--mem-fraction-static` is mem_fraction_static, `self.` is left out."""
    return name.strip().removeprefix("--").replace("-", "_").removeprefix("self.").removesuffix("()")


def shortened(text: str) -> str:
    """A text as an error may show it: one that is endless is cut."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def similar(tree: SourceTree, name: str, *, defined: bool = False) -> tuple[str, ...]:
    """Names in the source that look like a name that was not found; `defined`: of functions and classes only."""
    from difflib import get_close_matches

    pattern = _DEFINED if defined else _WORD
    words: set[str] = set()
    for path in tree.files:
        words.update(word.decode() for word in pattern.findall(tree.read(path)))
    return tuple(get_close_matches(name, words - {name, *kwlist}, n=5, cutoff=0.75))


def occurs(tree: SourceTree, callee: str) -> bool:
    """Whether the source has the last name of a callee anywhere."""
    last = last_of(callee)
    return last.isidentifier() and bool(tree.mentioning(last))


def last_of(callee: str) -> str:
    return re.split(r"[.:]", callee.strip().removesuffix("()"))[-1]
