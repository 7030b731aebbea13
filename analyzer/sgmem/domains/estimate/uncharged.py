"""Memory that a pool takes per token or request and that no estimate charges: a dimension of what it allocates that the
estimate, which charges its other dimensions, never mentions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.estimate.factors import Factors, dtype
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.books import Books, Counted
    from sgmem.domains.estimate.construction import Allocation
    from sgmem.domains.estimate.factors import Factor
    from sgmem.domains.estimate.pools import Construction
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.entities import Class
    from sgmem.program.file import File

_OTHER = frozenset({"layer", "layers", "page", "pages", "device", "ids", "id", "loc", "group"})
"""Words of factors that are judged elsewhere or are no size: layers are shared between stages, pages only group tokens."""


class Uncharged(msgspec.Struct, frozen=True):
    """`pools` allocate `buffer` with the dimension `name`, handed in at `argument`; `estimate` charges others (`charged`)."""

    name: str
    per: Counted
    pools: tuple[str, ...]
    charged: tuple[str, ...]
    estimate: Location
    argument: Location
    buffer: Location


class Sized(msgspec.Struct, frozen=True):
    """One allocation that grows with a count: what its other dimensions and its type depend on."""

    allocation: Allocation
    per: Counted
    factors: dict[str, Factor]
    kinds: dict[str, Factor]

    @property
    def location(self) -> Location:
        return Location(self.allocation.activation.file, self.allocation.statement, self.allocation.call.span)


class Comparison:
    """The allocations of pools beside the estimates."""

    def __init__(self, books: Books) -> None:
        self.program = books.program
        self.books = books
        self.estimates = books.estimates
        self.factors = Factors(books.program)
        self._spelled = Factors(books.program, calculated=False)

    def uncharged(self) -> list[Uncharged]:
        """One for each dimension and buffer, whatever the pools that share it."""
        found: dict[tuple[str, Location], Uncharged] = {}
        for construction in self.books.pools.constructions if self.estimates.divisions else ():
            for one in self._of(construction):
                known = found.get((one.name, one.buffer))
                if known is not None:
                    one = msgspec.structs.replace(known, pools=tuple(dict.fromkeys((*known.pools, *one.pools))))
                found[(one.name, one.buffer)] = one
        by_name: dict[str, Uncharged] = {}
        for one in found.values():
            by_name.setdefault(one.name, one)
        return list(by_name.values())

    def _of(self, construction: Construction) -> Iterator[Uncharged]:
        """The dimensions of one pool that no estimate charges, where it charges others of the same pool."""
        sized = list(self._sized(construction))
        names = {name for one in sized for name in (*one.factors, *one.kinds)}
        charged = {name for name in names if self._is_size(name) and self.estimates.mentions(name)}
        for one in sized if charged else ():
            for name, factor in one.factors.items():
                if not self._is_size(name) or self._is_charged(factor):
                    continue
                # Where the estimate works the same dimension out again, that is the place.
                again = {inside for inside in self._behind(factor) if self.estimates.mentions(inside)}
                estimate = self._estimate(again or charged, construction.owner)
                if estimate is not None:
                    argument = _place(factor)
                    known = tuple(sorted(again or charged))
                    yield Uncharged(name, one.per, (construction.owner.name,), known, estimate, argument, one.location)

    def _sized(self, construction: Construction) -> Iterator[Sized]:
        """What a pool allocates on the device per token or request."""
        for allocation in self.books.allocations(construction):
            dimensions = self.factors.dimensions(allocation, self.books.sizes)
            rest = [one for one in dimensions if not any(self.books.is_count(name) for name in one)]
            if len(rest) < len(dimensions):
                kind = dtype(allocation.call)
                kinds = self.factors.of(kind, allocation.activation) if kind is not None else {}
                per = self._per(allocation, dimensions)
                yield Sized(allocation, per, {name: factor for one in rest for name, factor in one.items()}, kinds)

    def _per(self, allocation: Allocation, dimensions: list[dict[str, Factor]]) -> Counted:
        """What an allocation grows with: the building function's own word, where a count was worked out from another."""
        spelled = [name for one in self._spelled.dimensions(allocation, self.books.sizes) for name in one]
        names = spelled if any(self.books.is_count(name) for name in spelled) else [name for one in dimensions for name in one]
        return "token" if any(self.books.counted(name) == "token" for name in names) else "request"

    def _is_size(self, name: str) -> bool:
        return not self.books.is_count(name) and _OTHER.isdisjoint(name.lower().split("_"))

    def _is_charged(self, factor: Factor) -> bool:
        """Whether an estimate mentions a factor, a longer or a shorter name of it, or all that the function behind it reads."""
        if self.estimates.mentions(factor.name):
            return True
        words = factor.name.strip("_").split("_")
        if len(words) > 2 and self.estimates.mentions("_".join(words[1:])):
            return True
        inside = self._behind(factor)
        return bool(inside) and all(self.estimates.mentions(name) for name in inside)

    def _behind(self, factor: Factor) -> set[str]:
        """What a function that gives a factor works it out from: the names that its results are made of."""
        if not isinstance(factor.expression, ir.Call):
            return set()
        at = factor.activation
        found: set[str] = set()
        for target, _, _ in self.program.calls.targets(factor.expression, at.file, at.scope):
            if isinstance(target, Function):
                found |= self.factors.results(target)
        return found

    def _estimate(self, charged: set[str], pool: Class) -> Location | None:
        """Where the estimate charges most of the names; of several places one that speaks of the pool or of a base class of it."""
        spoken = re.compile(rf"\b(?:{'|'.join(re.escape(each.name) for each in self.program.classes.mro(pool))})\b")

        def fitness(one: tuple[int, File, int]) -> tuple[int, bool]:
            held, file, index = one
            return held, spoken.search(file.source.slice(file.scope(file.outline.statements[index].scope).span)) is not None

        best = max(self.estimates.statements(charged), key=fitness, default=None)
        return of_statement(best[1], best[2]) if best is not None else None


def uncharged(facts: ProgramFacts) -> list[Uncharged]:
    """The dimensions of pools that no estimate of a program charges."""
    return Comparison(facts.books).uncharged()


def _place(factor: Factor) -> Location:
    file, span = factor.activation.file, factor.expression.span
    return Location(file, file.statement_at(span.line, span.column), span)
