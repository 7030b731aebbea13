"""The names under which a program keeps amounts, shares and counts of memory: those of the models, and longer ones that end in one."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.models.load import Models
    from sgmem.program.program import Program

_NO_QUANTITY = frozenset({"ranks", "layers", "heads", "bytes/element", "elements"})
"""Units of what a memory quantity is worked out from rather than kept as."""
_ENDINGS = ("cache_size", "pool_size", "gpu_memory", "num_pages", "num_reqs")
"""What else names of budgets and capacities end in."""
_UNIT_ENDING = re.compile(r"_(?:gib|mib|gb|mb|bytes)$")
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Quantities:
    """The names of one program, each with the files that mention it."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.modelled: dict[str, str] = {}
        """Names of fields and their units, as the models have them."""
        for row in models.units.rows:
            if row.kind == "field" and row.unit not in _NO_QUANTITY:
                for pattern in row.names:
                    last = pattern.rpartition(".")[2]
                    if last.isidentifier():
                        self.modelled.setdefault(last, row.unit)
        endings = sorted((*self.modelled, *_ENDINGS), key=len, reverse=True)
        self._ending = re.compile(rb"(?:%s)\b" % b"|".join(one.encode() for one in endings))
        self._endings = tuple(endings)

    def is_quantity(self, name: str) -> bool:
        """Whether a field or variable of that name keeps a quantity of memory."""
        return self._is_longer(name) or _UNIT_ENDING.search(name) is not None

    def is_modelled(self, name: str) -> bool:
        """Whether the models know a field of exactly that name."""
        return name in self.modelled

    def _is_longer(self, name: str) -> bool:
        return any(name == one or name.endswith(f"_{one}") for one in self._endings)

    @cached_property
    def paths(self) -> Mapping[str, tuple[str, ...]]:
        """Every such name that the models lead to, with the files that hold it, both in order."""
        found: dict[str, dict[str, None]] = {}
        for path in self.program.files.focus:
            data = self.program.files.tree.read(path)
            for name in {data[_begin(data, match.start()) : match.end()] for match in self._ending.finditer(data)}:
                found.setdefault(name.decode(errors="replace"), {})[path] = None
        return {name: tuple(paths) for name, paths in sorted(found.items()) if self._is_longer(name)}


def _begin(data: bytes, at: int) -> int:
    """Where the word that holds offset `at` begins."""
    while at > 0 and data[at - 1] in _WORD:
        at -= 1
    return at


def kept_as(target: ir.Expr) -> str | None:
    """The last name of what an assignment fills: the field, or the variable."""
    text = dotted(target)
    return text.rpartition(".")[2] if text is not None else None
