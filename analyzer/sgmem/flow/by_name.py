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

    def copies(self, words: frozenset[str] | None) -> list[tuple[NamedWrite, Expr]]:
        """The writes by a computed name that store what they read by the same name, each with the object that is read, in the files
        that mention one of `words` (None: in any)."""
        pairs = ((write, self.reads.source(write)) for write in self.writes.copying(words))
        return [(write, source) for write, source in pairs if source is not None]
