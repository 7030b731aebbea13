"""Whether a count is that of the whole model or one rank's part of it, by definitions first and by names where none is in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.ranks.groups import NOTHING, given
from sgmem.flow.order import ENTRY
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 6


class Extent(msgspec.Struct, frozen=True):
    """`of` what a count of `things` is; `at` is where that is told."""

    of: Literal["whole", "part"]
    things: str
    at: Location


class Extents:
    """Answers for one expression in its place; memoised."""

    def __init__(self, groups: Groups, counts: Counts) -> None:
        self.groups = groups
        self.counts = counts
        self._known: dict[Expr, Extent | None] = {}

    def of(self, expr: Expr, file: File, statement: int, depth: int = 0) -> Extent | None:
        if expr not in self._known:
            self._known[expr] = None
            if depth <= MAX_DEPTH:
                self._known[expr] = self._find(expr, file, statement, depth + 1)
        return self._known[expr]

    def _find(self, expr: Expr, file: File, statement: int, depth: int) -> Extent | None:
        here = Location(file, statement, expr.span)
        match expr:
            case ir.Binary(operator="-", left=left, right=right):
                bounds = [self.groups.bound(side, file, statement) for side in (left, right)]
                return Extent("part", "layers", here) if all(bounds) else None
            case ir.Binary(operator="//" | "/", left=left, right=right):
                inner = self.of(left, file, statement, depth)
                shared = inner is not None and self.groups.size(right, file, statement) != NOTHING
                return Extent("part", inner.things, here) if inner is not None and shared else None
            case ir.Conditional(body=body, orelse=orelse):
                return self._agreed([self.of(one, file, statement, depth) for one in (body, orelse)])
            case ir.Call() if arithmetic.function_name(expr) in ("int", "max", "min"):
                return self._agreed([self.of(one.value, file, statement, depth) for one in expr.args])
        row = self.counts.of(expr)
        if row is not None and (row.whole or row.part or row.ranks is not None):
            return Extent("whole" if row.whole else "part", row.things, here)
        return self._agreed([self.of(value, source, index, depth) for value, source, index in self._definitions(expr, file, statement)])

    @staticmethod
    def _agreed(found: list[Extent | None]) -> Extent | None:
        known = [one for one in found if one is not None]
        return known[0] if known and len({(one.of, one.things) for one in known}) == 1 else None

    def _definitions(self, expr: Expr, file: File, statement: int) -> Iterator[tuple[Expr, File, int]]:
        scope = file.outline.statements[statement].scope
        if isinstance(expr, ir.Name) and file.binder(expr) is None:
            for index in sorted(self.groups.order.reaching(file, scope, expr.id, statement) - {ENTRY}):
                for value in given(expr.id, file, index):
                    yield value, file, index
        elif isinstance(expr, ir.Attribute):
            yield from self.groups.stored(expr, file, statement)
