"""Where control goes when it leaves a statement: normally, by a jump or by an exception, and through what `finally`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sgmem.control.blocks import Blocks

EXIT = -2
RAISED = -3

Label = Literal["next", "true", "false", "exception", "loop", "case"]
Edge = tuple[int, Label]
"""Where an edge leads, and its label; as an incoming edge, where it comes from."""

_NONE = -1


class Routing:
    """Continuations of the statements of one scope. `place` them in source order; then ask.

    For each statement there is one context: the continuation behind it, the handler of its exceptions, its loop, and
    the `try` whose `finally` block a jump out of it runs first. All follow from the parent's context, so nesting costs
    no recursion.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._after: dict[int, tuple[Edge, ...]] = {}
        self._finishing: dict[int, int] = {}
        """The `try` whose `finally` block stands behind a statement: ending normally is going on behind that `try`."""
        self._handler: dict[int, int] = {blocks.top: RAISED}
        self._loop: dict[int, int] = {blocks.top: _NONE}
        self._guard: dict[int, int] = {blocks.top: _NONE}
        self._leaving: dict[int, dict[Edge, None]] = {}
        """For each `try` with a `finally` block: where control goes at its end, as far as is known."""
        self._next: dict[int, int] = {}
        for block in blocks.contents.values():
            self._next.update(pairwise(block))

    def sibling(self, statement: int) -> int | None:
        """The next statement of the same block."""
        return self._next.get(statement)

    def handler(self, statement: int) -> int:
        """Where an exception of `statement` goes: an `except`, a `finally` block's first statement, or RAISED."""
        return self._handler[statement]

    def after(self, statement: int) -> tuple[Edge, ...]:
        """The continuations of a statement that ends normally; several only at the end of a `finally` block.

        Asking means that the statement can end normally: it opens the way on behind the `finally` blocks that follow.
        """
        finishing = self._finishing[statement]
        while finishing != _NONE:
            leaving, behind = self._leaving[finishing], self._after[finishing]
            if all(edge in leaving for edge in behind):
                break
            leaving.update(dict.fromkeys(behind))
            finishing = self._finishing[finishing]
        return self._after[statement]

    def jump(self, statement: int) -> tuple[Edge, ...]:
        """The edges of a `return`, `break` or `continue`."""
        kind = self._blocks.row(statement).kind
        if kind == "return":
            return self._through(statement, _NONE, ((EXIT, "next"),))
        loop = self._loop[statement]
        if loop == _NONE:  # not Python, though `ast.parse` lets it pass
            return ((RAISED, "exception"),)
        return self._through(statement, loop, ((loop, "loop"),) if kind == "continue" else self.after(loop))

    def place(self, statement: int) -> None:
        """Derive the context of a statement from its parent's, which was placed before."""
        row = self._blocks.row(statement)
        parent = row.parent
        self._handler[statement] = self._handler[parent]
        self._loop[statement] = self._loop[parent]
        self._guard[statement] = self._guard[parent]
        behind, finishing = self._behind(statement, parent)
        sibling = None if row.kind in ("case", "except") else self._next.get(statement)
        self._after[statement] = behind if sibling is None else ((sibling, "next"),)
        self._finishing[statement] = finishing if sibling is None else _NONE

    def _behind(self, statement: int, parent: int) -> tuple[tuple[Edge, ...], int]:
        """What follows the end of the statement's block, and the `try` which that finishes."""
        if parent == self._blocks.top:
            return ((EXIT, "next"),), _NONE
        kind = self._blocks.row(parent).kind
        if kind == "try":
            return self._behind_in_try(statement, parent)
        if kind in ("for", "while") and self._blocks.row(statement).block == "body":
            self._loop[statement] = parent
            return ((parent, "loop"),), _NONE
        return self._after[parent], self._finishing[parent]

    def _behind_in_try(self, statement: int, parent: int) -> tuple[tuple[Edge, ...], int]:
        """As `_behind`, for a direct child of a `try`; sets its exception context."""
        block = self._blocks.row(statement).block
        if block == "finally":
            return tuple(self._leaving[parent]), _NONE
        behind, finishing = self._after[parent], self._finishing[parent]
        finalizer = self._blocks.of(parent, "finally")
        if finalizer:
            # Any statement may raise, and the exception goes on when the `finally` block has run.
            self._leaving.setdefault(parent, {})[self._handler[parent], "exception"] = None
            self._guard[statement] = parent
            self._handler[statement] = finalizer[0]
            behind, finishing = ((finalizer[0], "next"),), parent
        if block == "body":
            handlers = self._blocks.of(parent, "handlers")
            if handlers:
                self._handler[statement] = handlers[0]
            orelse = self._blocks.of(parent, "orelse")
            if orelse:
                return ((orelse[0], "next"),), _NONE
        return behind, finishing

    def _through(self, statement: int, boundary: int, targets: tuple[Edge, ...]) -> tuple[Edge, ...]:
        """Lead a jump through every `finally` block between the statement and `boundary`; return the jump's edges."""
        guards: list[int] = []
        guard = self._guard[statement]
        while guard > boundary:  # what lies inside the loop stands behind its header
            guards.append(guard)
            guard = self._guard[guard]
        for guard in reversed(guards):
            self._leaving[guard].update(dict.fromkeys(targets))
            targets = ((self._blocks.of(guard, "finally")[0], "next"),)
        return targets
