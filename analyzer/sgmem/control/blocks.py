"""The block structure of one scope: which statements stand in which block of which compound statement, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from sgmem.syntax.outline import Block, OutlineView, StatementOutline

NOTHING: tuple[int, ...] = ()


class Blocks(msgspec.Struct, frozen=True, eq=False):
    """The statements of one scope. A nested definition is one statement here; its body belongs to its own scope."""

    outline: OutlineView
    scope: int
    top: int
    """What the scope's top-level statements have for a parent: the defining statement, -1 for the module."""
    indices: tuple[int, ...]
    """Every statement of the scope in source order, so that a parent stands before its children."""
    contents: dict[tuple[int, Block], tuple[int, ...]]

    def of(self, parent: int, block: Block) -> tuple[int, ...]:
        """The statements of one block, in order; empty where there is no such block."""
        return self.contents.get((parent, block), NOTHING)

    def row(self, statement: int) -> StatementOutline:
        return self.outline.statements[statement]

    def holds(self, statement: int) -> bool:
        """Whether `statement` is an index of this scope."""
        return 0 <= statement < len(self.outline.statements) and self.row(statement).scope == self.scope


def scope_blocks(outline: OutlineView, scope: int) -> Blocks:
    """Collect the blocks of a scope in one pass over its range of statements."""
    within = outline.scopes[scope]
    indices: list[int] = []
    contents: dict[tuple[int, Block], list[int]] = {}
    for index in range(within.first, within.last):
        row = outline.statements[index]
        if row.scope != scope:
            continue
        indices.append(index)
        contents.setdefault((row.parent, row.block), []).append(index)
    return Blocks(outline, scope, within.statement, tuple(indices), {key: tuple(value) for key, value in contents.items()})
