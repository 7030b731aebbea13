"""A birth: where and as what a value came into being, and the hops back to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from sgmem.flow.arithmetic import formula_span
from sgmem.flow.places import ANY, Path, Place
from sgmem.program.calls import CallSite
from sgmem.program.files import File
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

BirthKind = Literal["measurement", "declaration", "constant", "computed", "built", "call", "parameter", "unresolved"]
"""`computed` is arithmetic; `built` a display, comparison, text or function made there; `call` the result of one that is not known."""

# The most telling birth first, where a value has several.
RANK: dict[BirthKind, int] = {
    "measurement": 0, "declaration": 1, "computed": 2, "call": 3, "built": 4, "constant": 5, "parameter": 6, "unresolved": 7,
}  # fmt: skip


class Hop(msgspec.Struct, frozen=True):
    """One place a value passed on its way, nearest to its birth last."""

    file: File
    statement: int
    span: Span
    text: str


class Birth(msgspec.Struct, frozen=True):
    """Where and as what a value was born, and the hops back to it."""

    kind: BirthKind
    file: File
    statement: int
    expression: Expr | None
    span: Span
    place: Place | None = None
    hops: tuple[Hop, ...] = ()
    converted: bool = False
    """Whether the value was converted to another unit on the way."""
    stack: tuple[CallSite, ...] = ()
    """The calls by which the value came in where it was born."""


class At(msgspec.Struct, frozen=True):
    """Where the way back has come to: a statement, the calls it is inside of, and the hops so far."""

    file: File
    statement: int
    stack: tuple[CallSite, ...] = ()
    hops: tuple[Hop, ...] = ()
    converted: bool = False

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope

    def born(self, kind: BirthKind, expr: Expr, place: Place | None = None) -> Birth:
        """The birth of an expression of this statement."""
        span = formula_span(self.file.statement(self.statement), expr) if kind == "computed" else expr.span
        return Birth(kind, self.file, self.statement, expr, span, place, self.hops, self.converted, self.stack)

    def hop(self, file: File, statement: int, span: Span, text: str, stack: tuple[CallSite, ...]) -> At:
        """One hop further back."""
        return At(file, statement, stack, (*self.hops, Hop(file, statement, span, text)), self.converted)


def unpacking(target: Expr, name: str | Expr) -> Iterator[Path]:
    """The paths by which unpacking a value into `target` gives the part that lands in a variable or target node."""
    if isinstance(target, ir.Name):
        if target is name or target.id == name:
            yield ()
    elif isinstance(target, ir.Collection):
        for position, item in enumerate(target.items):
            for inner in unpacking(item, name):
                yield (position, *inner)
    elif isinstance(target, ir.Starred):
        yield from ((ANY, *inner) for inner in unpacking(target.value, name))
    elif target is name:
        yield ()
