"""How deep Python code may recurse while a parsed slice is walked."""

from __future__ import annotations

import sys

_RECURSION = 20_000
"""Enough for what `limits` lets through."""


class DeepRecursion:
    """While entered, Python code may recurse as deep as a slice within the limits needs, however deep the caller stands."""

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, _RECURSION))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self.before)
