"""When a value was born, seen from the formula that uses it: which calls lead from a common function to both.

The hops of a birth tell how the value came: up to callers by arguments, down by what calls returned, across by fields.
From them this module rebuilds two chains of calls that begin in one activation of one function: the spine, which leads
to the formula, and the branch, which leads to the birth. Their order in that function is the order of the two in time.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.dominators import DominatorTree
    from sgmem.flow.birth import Birth, Hop
    from sgmem.flow.order import Order
    from sgmem.program.entities import Function
    from sgmem.program.files import File
    from sgmem.program.program import Program

MAX_LEVELS = 6
MAX_CALLERS = 4


class Level(msgspec.Struct, frozen=True):
    """A statement in an activation of the function around it: a call that leads on, or what is looked at."""

    file: File
    statement: int

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope

    @property
    def function(self) -> tuple[str, int]:
        return self.file.path, self.scope


class Activation(msgspec.Struct, frozen=True):
    """`spine[0]` and `branch[0]` are statements of one activation; the last of each is the formula, and the birth.

    `certain` is false where the chain had to be joined by the call tree because the value rested in a field. When it
    was stored by the constructor of an object whose method the spine begins in, `constructed` is true: the branch
    begins in the constructor, which had returned before the spine began.
    """

    spine: tuple[Level, ...]
    branch: tuple[Level, ...]
    certain: bool = True
    constructed: bool = False


class Activations:
    """Rebuilds activations and asks dominance over one program."""

    def __init__(self, program: Program, order: Order) -> None:
        self.program = program
        self.order = order
        self._trees: dict[tuple[str, int], DominatorTree] = {}

    def of(self, birth: Birth, file: File, statement: int) -> Activation | None:
        """The activation that joins a birth and the statement that uses its value; None where the hops do not say."""
        spine, down = [Level(file, statement)], list[Level]()
        at, certain, constructed = Level(file, statement), True, False
        for hop in birth.hops:
            level = Level(hop.file, hop.statement)
            if _is_return(hop):
                down.append(at)
            elif ":" in hop.text or hop.text.startswith("?"):
                certain = False
                inner = self._below(at, level)
                if inner is not None:
                    down += inner
                elif down:
                    return None
                elif (joined := self._join(spine, level)) is not None:
                    spine, down = joined
                elif not constructed and (before := self._before(spine[0], level)) is not None:
                    down, constructed = before, True
                else:
                    return None
            elif level.function != at.function:
                if down:
                    if down.pop().function != level.function:
                        return None
                else:
                    spine.insert(0, level)
            at = level
        if Level(birth.file, birth.statement).function != at.function and birth.hops:
            return None
        branch = (*down, Level(birth.file, birth.statement))
        if not constructed and branch[0].function != spine[0].function:
            return None
        return Activation(tuple(spine), branch, certain, constructed)

    def dominates(self, first: Level, second: Level) -> bool:
        """Whether every way to `second` leads through `first`; both are statements of one function."""
        return self.tree(first.file, first.scope).dominates(first.statement, second.statement)

    def tree(self, file: File, scope: int) -> DominatorTree:
        from sgmem.control.dominators import dominators

        found = self._trees.get((file.path, scope))
        if found is None:
            found = self._trees[(file.path, scope)] = dominators(self.order.graph(file, scope))
        return found

    # -- joining by the call tree -------------------------------------------------------------------------------------

    def _below(self, at: Level, stored: Level) -> list[Level] | None:
        """The calls from the function around `at` to the store of a field, if they come before `at` on every way."""
        for chain in self._chains(stored):
            if chain[0].function == at.function:
                return chain[:-1] if self.dominates(chain[0], at) else None
        return None

    def _join(self, spine: list[Level], stored: Level) -> tuple[list[Level], list[Level]] | None:
        """A function whose activation leads to the store of a field first, then to the spine: both chains from it."""
        above = {chain[0].function: chain for chain in self._chains(spine[0])}
        for chain in self._chains(stored):
            other = above.get(chain[0].function)
            if other is not None and chain[0] != other[0] and self.dominates(chain[0], other[0]):
                return [*other[:-1], *spine], chain[:-1]
        return None

    def _before(self, first: Level, stored: Level) -> list[Level] | None:
        """The calls from the constructor of the object whose method `first` is in: a constructor has run before."""
        begun = self.program.calls.inside(first.file, first.statement)
        if begun is None or begun.owner is None or begun.name == "__init__":
            return None
        for chain in self._chains(stored):
            around = self.program.calls.inside(chain[0].file, chain[0].statement)
            builds = around.owner if around is not None and around.name == "__init__" else None
            if builds is not None and self.program.classes.related(builds, begun.owner):
                return chain[:-1]
        return None

    def _chains(self, start: Level) -> Iterator[list[Level]]:
        """The chains of calls that end at a statement, the shortest first, each function above it once."""
        seen = {start.function}
        pending = deque([[start]])
        while pending:
            chain = pending.popleft()
            yield chain
            function = self.program.calls.inside(chain[0].file, chain[0].statement)
            if function is None or len(chain) > MAX_LEVELS or self._is_common(function):
                continue
            for site in self.program.calls.callers(function)[:MAX_CALLERS]:
                level = Level(site.file, site.statement)
                if level.function not in seen:
                    seen.add(level.function)
                    pending.append([level, *chain])

    def _is_common(self, function: Function) -> bool:
        """Whether looking for the callers would mean reading much of the program."""
        name = function.name
        if name == "__init__":
            name = function.owner.name if function.owner is not None else name
        return len(self.program.files.tree.mentioning(name)) > 40


def _is_return(hop: Hop) -> bool:
    return hop.text.endswith("()") and hop.file.outline.statements[hop.statement].kind == "return"
