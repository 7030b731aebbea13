"""Settings that one pass works another quantity out of before a later pass changes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.consumers import Consumer, consumers
from sgmem.domains.accounting.decisions import Decision
from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.passes import Meeting, Passes, Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.changes import How
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.syntax.ir import Span


class EarlyRead(msgspec.Struct, frozen=True):
    """`kept` was worked out of `name` before `name` was changed. `reading` and `changing` are the calls, in one function, that lead to
    the one and then to the other.
    """

    name: str
    kept: str
    read: Location
    stored: Location
    reading: Location
    changing: Location
    changed: Location
    how: How
    certain: bool
    own: bool = False
    """Whether the function that makes both calls works the quantity out on the way itself, and keeps it later than it reads."""


def early_reads(facts: ProgramFacts) -> Iterator[EarlyRead]:
    """Every quantity that is worked out of another, in one pass, before the next pass changes that."""
    passes = Passes(facts)
    for name, paths in facts.quantities.paths.items():
        changes = [one for path in paths for one in facts.decisions(name, path) if one.how not in (None, "aligned")]
        changes = [one for one in changes if not _is_default(facts, one, name)]
        if not changes:
            continue
        places = frozenset().union(*(one.places for one in changes))
        reads = [one for path in paths for one in consumers(facts, name, path, places)]
        yield from _pairs(passes, name, reads, changes)


def _is_default(facts: ProgramFacts, change: Decision, name: str) -> bool:
    """Whether a field is only given a value where it had none."""
    word = re.compile(rf"\b{name}\b[^,]*\bNone\b|\bnot [\w.]*\b{name}\b")
    return change.how == "replaced" and any(
        word.search(render(one.predicate)) for one in facts.conditions.own(change.file, change.statement)
    )


def _pairs(passes: Passes, name: str, reads: list[Consumer], changes: list[Decision]) -> Iterator[EarlyRead]:
    """For each quantity its first early read; one that a pass of its own makes, before any that is kept only later."""
    found: dict[str, EarlyRead] = {}
    for read in reads:
        for change in sorted(changes, key=lambda one: one.how != "scaled"):
            known = found.get(read.kept)
            if not read.computed or not read.places & change.places or (known is not None and not known.own):
                continue
            met = _met(passes, read, change)
            if met is None or _renewed(passes, read, change, reads):
                continue
            own = len(met.first) == 1 and read.stored.statement != read.statement
            if known is not None and own:
                continue
            reading, changing = (Location(way[0].file, way[0].statement, _span(way[0])) for way in (met.first, met.second))
            assert change.how is not None
            found[read.kept] = EarlyRead(
                name, read.kept, read.read, read.stored, reading, changing, change.location, change.how, met.certain, own
            )
    yield from found.values()


def _met(passes: Passes, read: Consumer, change: Decision) -> Meeting | None:
    """Where one pass, and not one statement, comes before another that changes the same object."""
    first, second = Stop(read.file, read.statement), Stop(change.file, change.statement)
    met = passes.meeting(first, second) if first.scope != second.scope else None
    if met is None or _builds(passes, met, change) or not _may_be_one(passes, read, change):
        return None
    return met


def _may_be_one(passes: Passes, read: Consumer, change: Decision) -> bool:
    """Whether one object can run both: methods of two subclasses that override each other's are never met on one."""
    program = passes.program
    one, other = (program.calls.inside(each.file, each.statement) for each in (read, change))
    if one is None or other is None or one.owner is None or other.owner is None or program.classes.related(one.owner, other.owner):
        return True
    owners = {place.owner for place in read.places & change.places}
    if not all(any(program.classes.related(mine, owner) for owner in owners) for mine in (one.owner, other.owner)):
        return True  # another object's field, which both are handed
    below = set(program.classes.subclasses(one.owner)) & set(program.classes.subclasses(other.owner))
    return bool(below)


def _builds(passes: Passes, met: Meeting, change: Decision) -> bool:
    """Whether the change is part of building an object: a new one, not the one that was read."""
    for stop in met.second[1:]:
        function = passes.program.calls.inside(stop.file, stop.statement)
        if function is not None and function.name == "__init__" and function.owner is not None:
            if any(passes.program.classes.related(function.owner, place.owner) for place in change.places):
                return True
    return False


def _span(stop: Stop) -> Span:
    return stop.span or stop.file.statement(stop.statement).span


def _renewed(passes: Passes, read: Consumer, change: Decision, reads: list[Consumer]) -> bool:
    """Whether the same quantity is worked out again after the change."""
    for other in reads:
        if other.kept != read.kept or other.read == read.read or not other.places & change.places:
            continue
        if passes.meeting(Stop(change.file, change.statement), Stop(other.file, other.statement)) is not None:
            return True
    return False
