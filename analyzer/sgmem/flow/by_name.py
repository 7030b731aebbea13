"""Fields read and written by computed names, from all sides: what the rest of the dataflow asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.flow.named_reads import NamedReads
from sgmem.flow.named_writes import NamedWrite, NamedWrites
from sgmem.flow.stored_items import StoredItems

if TYPE_CHECKING:
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class ByName(StoredItems):
    """Answers for one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, NamedWrites(program))
        self.reads = NamedReads(program)
        self._sources: dict[Expr, Expr | None] = {}

    def copies(self, words: frozenset[str] | None = None) -> list[tuple[NamedWrite, Expr]]:
        """The writes by a computed name that store what they read by the same name, each with the object that is read, in all files or
        those that mention one of `words`."""
        return [(write, source) for write in self.writes.copying(words) if (source := self._source(write)) is not None]

    def _source(self, write: NamedWrite) -> Expr | None:
        if write.call not in self._sources:
            self._sources[write.call] = self.reads.source(write)
        return self._sources[write.call]
