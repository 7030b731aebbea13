"""The names under which a program keeps amounts, shares and counts of memory: those of the models, and longer ones that end in one."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.models.load import Models
    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import Files
    from sgmem.program.program import Program
    from sgmem.program.text_answers import Answer

_NO_QUANTITY = frozenset({"ranks", "layers", "heads", "bytes/element", "elements"})
"""Units of what a memory quantity is worked out from rather than kept as."""
_AMOUNTS = frozenset({"fraction", "GiB", "GB", "MiB", "bytes"})
_ENDINGS = ("cache_size", "pool_size", "gpu_memory", "num_pages", "num_reqs")
"""What else names of budgets and capacities end in."""
_UNIT_ENDING = re.compile(r"_(?:gib|mib|gb|mb|bytes)$")


class QuantityNames:
    """Tells such names, and finds those in the text of a file; see `TextQuestion`."""

    def __init__(self, models: Models) -> None:
        self.modelled: dict[str, str] = {}
        """Names of fields and their units, as the models have them."""
        for row in models.units.rows:
            if row.kind == "field" and row.unit not in _NO_QUANTITY:
                for pattern in row.names:
                    last = pattern.rpartition(".")[2]
                    if last.isidentifier():
                        self.modelled.setdefault(last, row.unit)
        endings = sorted((*self.modelled, *_ENDINGS), key=len, reverse=True)
        self._word = re.compile(rb"(?:\b|_)(?:%s)\b" % b"|".join(one.encode() for one in endings))
        self._endings = tuple(endings)

    @cached_property
    def key(self) -> str:
        return "quantities " + hashlib.blake2b(" ".join(self._endings).encode(), digest_size=8).hexdigest()

    def is_longer(self, name: str) -> bool:
        return any(name == one or name.endswith(f"_{one}") for one in self._endings)

    def ask(self, files: Files, path: str) -> Answer:
        """The names that the models lead to; None where there are none."""
        return [*sorted(word.decode() for word in files.tree.words_like(path, self._word))] or None

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        return answer


class Quantities:
    """The names of one program, each with the files that mention it."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self._names = QuantityNames(models)

    def is_quantity(self, name: str) -> bool:
        """Whether a field or variable of that name keeps a quantity of memory."""
        return self._names.is_longer(name) or _UNIT_ENDING.search(name) is not None

    def is_modelled(self, name: str) -> bool:
        """Whether the models know a field of exactly that name."""
        return name in self._names.modelled

    def is_amount(self, name: str) -> bool:
        """Whether a field or variable of that name keeps an amount or a share of memory, not a count."""
        return self._names.modelled.get(name) in _AMOUNTS or _UNIT_ENDING.search(name) is not None

    @cached_property
    def paths(self) -> Mapping[str, tuple[str, ...]]:
        """Every such name that the models lead to, with the files that hold it, both in order."""
        found: dict[str, dict[str, None]] = {}
        for path, names in self.program.files.answering(self._names):
            for name in names or ():
                found.setdefault(str(name), {})[path] = None
        return {name: tuple(paths) for name, paths in sorted(found.items())}


def kept_as(target: ir.Expr) -> str | None:
    """The last name of what an assignment fills: the field, or the variable."""
    text = dotted(target)
    return text.rpartition(".")[2] if text is not None else None
