"""How deep the parsers and the lowering of a slice may recurse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_RECURSION = 20_000
"""Enough for what `limits` lets through."""


class DeepRecursion:
    """While entered, Python code may recurse as deep as a slice within the limits needs, however deep the caller stands."""

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, _RECURSION))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.setrecursionlimit(self.before)
