"""The order of two places that different functions hold: the function that leads to both, and in which order it does."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import may_both_run, reachable
from sgmem.program.contexts import held, occurs
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Span

MAX_LEVELS = 5
MAX_CALLERS = 6
MAX_CHAINS = 60
MAX_MENTIONS = 40
"""A function that more files mention has callers everywhere; its place in one order means little."""


class Stop(msgspec.Struct, frozen=True):
    """A place on the way down from a function: a call that leads on (its span), or the end. `handed`: the function that it leads to is
    only handed over there, to something that calls it.
    """

    file: File
    statement: int
    span: Span | None = None
    handed: bool = False

    @property
    def scope(self) -> tuple[str, int]:
        return self.file.path, self.file.outline.statements[self.statement].scope


class Meeting(msgspec.Struct, frozen=True):
    """Two ways that begin in one function, `first` before `second`; the last stop of each is where it leads."""

    first: tuple[Stop, ...]
    second: tuple[Stop, ...]

    @property
    def certain(self) -> bool:
        return not any(stop.handed for stop in (*self.first, *self.second))


class Passes:
    """Answers for one program; the ways to a place are memoised."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self.program = facts.program
        self._ways: dict[tuple[str, int], tuple[tuple[Stop, ...], ...]] = {}
        self._leading: dict[Function, tuple[Stop, ...]] = {}

    def meeting(self, first: Stop, second: Stop) -> Meeting | None:
        """How control comes to `first` and later, in the same run of the nearest function around both, to `second`.

        None where it never does, where it comes to the second first, or where it comes to the first once more afterwards.
        """
        ways = self.ways(first)
        for later in self.ways(second):
            before = [way for way in ways if way[0].scope == later[0].scope and way[0].statement != later[0].statement]
            ordered = [way for way in before if self._leads(way[0], later[0])]
            if any(self._leads(later[0], way[0]) for way in before):
                return None
            if ordered:
                return Meeting(ordered[0], later)
        return None

    def _leads(self, first: Stop, second: Stop) -> bool:
        graph = self.facts.order.graph(first.file, first.scope[1])
        if second.statement not in reachable(graph, first.statement):
            return False
        return may_both_run(self.facts, first.file, first.statement, second.statement)

    def ways(self, end: Stop) -> tuple[tuple[Stop, ...], ...]:
        """The ways down to a place, from the place alone outwards, each function once."""
        key = (end.file.path, end.statement)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = tuple(self._find(end))
        return found

    def _find(self, end: Stop) -> Iterator[tuple[Stop, ...]]:
        seen = {end.scope}
        pending: deque[tuple[Stop, ...]] = deque([(end,)])
        count = 0
        while pending and count < MAX_CHAINS:
            way = pending.popleft()
            count += 1
            yield way
            function = self.program.calls.inside(way[0].file, way[0].statement)
            if function is None or len(way) > MAX_LEVELS:
                continue
            above = self.leading(function)
            for stop in above:
                if stop.scope not in seen:
                    pending.append((stop, *way))
            seen.update(stop.scope for stop in above)

    def leading(self, function: Function) -> tuple[Stop, ...]:
        """The places that call a function, or hand it over to be called."""
        found = self._leading.get(function)
        if found is None:
            found = self._leading[function] = tuple(self._lead(function))
        return found

    def _lead(self, function: Function) -> Iterator[Stop]:
        name = function.name
        if name == "__init__":
            name = function.owner.name if function.owner is not None else name
        if len(self.program.files.tree.mentioning(name)) > MAX_MENTIONS:
            return
        for site in self.program.calls.callers(function)[:MAX_CALLERS]:
            yield Stop(site.file, site.statement, site.call.span)
        if function.name != "__init__" and function.owner is None:
            yield from self._handed(function)

    def _handed(self, function: Function) -> Iterator[Stop]:
        """The calls that a function is an argument of."""
        for file in self.program.files.mentioning(function.name, held):
            for index in file.mentions(function.name):
                row = file.outline.statements[index]
                if row.kind != "expression" or not occurs(file.own_text(index), function.name, held):
                    continue
                for root in file.statement(index).values:
                    if isinstance(root, ir.Call) and any(
                        self.program.names.entity(argument.value, file, row.scope) == function for argument in root.args
                    ):
                        yield Stop(file, index, root.span, handed=True)
