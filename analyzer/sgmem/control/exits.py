"""Which statements always, or in some cases, do not go on to the next statement of their block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.control.blocks import Blocks
    from sgmem.syntax.outline import Block

Completion = Literal["always", "sometimes", "never"]
"""Whether a statement that is executed, and raises nothing of its own accord, goes on to what stands behind it."""

_QUIET_JUMPS = frozenset({"return", "break", "continue"})
_BLOCKS: tuple[Block, ...] = ("body", "handlers", "orelse", "finally")


class Exits:
    """Completion of every statement of a scope, from its structure alone: no test is looked at.

    An exit counts only where it says something about the statements behind it. A loop may run any number of times, so
    what leaves its body says nothing behind the loop. What leaves a `try` body by an exception may be caught, so the
    body counts only if no handler goes on.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self._completion: dict[int, Completion] = {}
        self._exits: dict[tuple[int, Block], list[int]] = {}
        self._quiet: set[int] = set()
        self._broken = _broken_loops(blocks)
        for statement in reversed(blocks.indices):  # children before their parent
            completion = self._complete(statement)
            if completion != "always":
                row = blocks.row(statement)
                self._completion[statement] = completion
                self._exits.setdefault((row.parent, row.block), []).append(statement)
                if row.kind in _QUIET_JUMPS or any(part in self._quiet for part in self._inside(statement)):
                    self._quiet.add(statement)
        for found in self._exits.values():
            found.reverse()

    def completion(self, statement: int) -> Completion:
        """Whether control goes from `statement` to what stands behind it."""
        return self._completion.get(statement, "always")

    def of(self, parent: int, block: Block) -> list[int]:
        """The statements of a block that do not always complete, in order."""
        return self._exits.get((parent, block), [])

    def block(self, parent: int, block: Block) -> Completion:
        """Whether control reaches the end of a block; that of a missing block it does."""
        return _sequence(self._completion[statement] for statement in self.of(parent, block))

    def handlers_complete(self, statement: int) -> bool:
        """Whether some handler of a `try` may go on behind it."""
        return any(self.completion(handler) != "never" for handler in self._blocks.of(statement, "handlers"))

    def only_raises(self, statement: int) -> bool:
        """Whether a statement that may not complete then always raises: it checks something."""
        return statement not in self._quiet

    def _inside(self, statement: int) -> Iterator[int]:
        for block in _BLOCKS:
            yield from self.of(statement, block)

    def loop_breaks(self, statement: int) -> bool:
        """Whether a `break` leaves this loop."""
        return statement in self._broken

    def _complete(self, statement: int) -> Completion:
        kind = self._blocks.row(statement).kind
        match kind:
            case "return" | "raise" | "break" | "continue":
                return "never"
            case "assert":
                return "sometimes"
            case "if":
                return _choice(self.block(statement, "body"), self.block(statement, "orelse"))
            case "for" | "while":
                return "always" if self.loop_breaks(statement) else self.block(statement, "orelse")
            case "with" | "except" | "case":
                return self.block(statement, "body")
            case "match":
                return "sometimes" if self.of(statement, "body") else "always"  # no case may match
            case "try":
                return self._complete_try(statement)
            case _:
                return "always"

    def _complete_try(self, statement: int) -> Completion:
        tried: Completion = "always"
        if not self.handlers_complete(statement):
            tried = _sequence((self.block(statement, "body"), self.block(statement, "orelse")))
        return _sequence((tried, self.block(statement, "finally")))


def _sequence(parts: Iterable[Completion]) -> Completion:
    found: Completion = "always"
    for part in parts:
        if part == "never":
            return "never"
        if part == "sometimes":
            found = "sometimes"
    return found


def _choice(left: Completion, right: Completion) -> Completion:
    return left if left == right else "sometimes"


def _broken_loops(blocks: Blocks) -> set[int]:
    """The loops that some `break` leaves."""
    loop: dict[int, int] = {}
    broken: set[int] = set()
    for statement in blocks.indices:
        row = blocks.row(statement)
        inside = row.parent != blocks.top and row.block == "body" and blocks.row(row.parent).kind in ("for", "while")
        loop[statement] = row.parent if inside else loop.get(row.parent, -1)
        if row.kind == "break":
            broken.add(loop[statement])
    return broken
