"""Counts that were divided out of the budget for a buffer, and that one of the pools with this buffer does not use.

Two pools share the code that allocates the buffer. One hands it the count that the estimate worked out and charged, the other
something else: its buffer is not the one that was paid for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.estimate.books import named
from sgmem.domains.estimate.factors import Factors
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.books import Books
    from sgmem.domains.estimate.construction import Activation, Allocation
    from sgmem.domains.estimate.pools import Construction
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.syntax.ir import Expr


class IgnoredCount(msgspec.Struct, frozen=True):
    """`count`, worked out at `derived`, sizes `buffer` for `sibling`; `pool` sizes it by `instead`, which `call` hands on."""

    count: str
    pool: str
    sibling: str
    instead: tuple[str, ...]
    derived: Location
    taken: Location
    buffer: Location
    call: Location


def ignored_counts(facts: ProgramFacts) -> list[IgnoredCount]:
    """Every pool of a program that ignores a count of the estimate which another pool uses for the same buffer."""
    found: dict[tuple[str, str, Location], IgnoredCount] = {}
    for one in _Counts(facts.books).ignored():
        found.setdefault((one.count, one.pool, one.call), one)
    return list(found.values())


class _Use(msgspec.Struct, frozen=True):
    """One pool's allocation, and the names that each dimension depends on."""

    construction: Construction
    allocation: Allocation
    dimensions: tuple[frozenset[str], ...]


class _Counts:
    def __init__(self, books: Books) -> None:
        self.books = books
        self.factors = Factors(books.program, calculated=False)

    def ignored(self) -> Iterator[IgnoredCount]:
        derived = dict(self._derived())
        if not derived:
            return
        budgeted = derived.keys() | set(self._others())
        for uses in self._by_site().values():
            for taker in uses:
                for other in uses:
                    if self._are_relatives(taker.construction.owner, other.construction.owner):
                        yield from self._compared(taker, other, derived, budgeted)

    def _are_relatives(self, one: Class, other: Class) -> bool:
        """Whether one pool is a kind of the other: unrelated pools may share a buffer's code and be budgeted apart."""
        return one != other and self.books.program.classes.related(one, other)

    def _derived(self) -> Iterator[tuple[str, Location]]:
        """The names of counts that the estimates divide out of a budget, each with where that happens."""
        for one in self.books.estimates.divisions:
            for name in named(one):
                yield name, of_statement(one.file, one.statement)

    def _others(self) -> Iterator[str]:
        """Further names of quotients: locals, and what takes the result of a function that divides."""
        for one in self.books.estimates.divisions:
            for binding in one.file.statement(one.statement).bindings:
                yield from _last_names(binding.target)
            for site in self.books.program.calls.callers(Function(one.file, one.scope)):
                for binding in site.file.statement(site.statement).bindings:
                    yield from _last_names(binding.target)

    def _by_site(self) -> dict[tuple[str, int, ir.Span], list[_Use]]:
        """For every allocating call the pools that reach it."""
        found: dict[tuple[str, int, ir.Span], list[_Use]] = {}
        for construction in self.books.pools.constructions:
            for allocation in self.books.allocations(construction):
                dimensions = tuple(frozenset(one) for one in self.factors.dimensions(allocation, self.books.sizes))
                key = (allocation.activation.file.path, allocation.statement, allocation.call.span)
                found.setdefault(key, []).append(_Use(construction, allocation, dimensions))
        return found

    def _compared(self, taker: _Use, other: _Use, derived: dict[str, Location], budgeted: set[str]) -> Iterator[IgnoredCount]:
        if len(taker.dimensions) != len(other.dimensions):
            return
        for taken, instead in zip(taker.dimensions, other.dimensions, strict=True):
            counts = sorted(name for name in taken if name in derived)
            if len(counts) != 1 or not instead or counts[0] in instead or any(name in budgeted for name in instead):
                continue
            parting = _parting(taker.allocation.activation, other.allocation.activation)
            if parting is not None:
                theirs, mine = parting
                allocation = other.allocation
                yield IgnoredCount(
                    counts[0], other.construction.owner.name, taker.construction.owner.name, tuple(sorted(instead)),
                    derived[counts[0]], _place(theirs), _where(allocation), _place(mine),
                )  # fmt: skip


def _last_names(target: Expr) -> Iterator[str]:
    for each in assigned(target):
        if isinstance(each, ir.Name | ir.Attribute):
            yield each.id if isinstance(each, ir.Name) else each.attr


def _parting(taker: Activation, other: Activation) -> tuple[Activation, Activation] | None:
    """The last activations that two call chains to one allocation share, by their code; their calls are where the chains part."""
    shared: tuple[Activation, Activation] | None = None
    for mine, theirs in zip(taker.chain(), other.chain(), strict=False):
        if mine.file is not theirs.file or mine.scope != theirs.scope or mine.caller is None or theirs.caller is None:
            break
        shared = (mine, theirs)
    return shared


def _place(activation: Activation) -> Location:
    """The call that begins an activation."""
    caller, call = activation.caller, activation.call
    assert caller is not None
    assert call is not None
    return Location(caller.file, activation.statement, call.span)


def _where(allocation: Allocation) -> Location:
    return Location(allocation.activation.file, allocation.statement, allocation.call.span)
