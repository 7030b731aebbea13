"""Weights that are loaded after a memory budget was worked out of what was free: the budget is not charged for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.startup.expansion import Expander, calls_in_order
from sgmem.domains.startup.leading import Leading, Way
from sgmem.domains.startup.roots import own_roots
from sgmem.domains.startup.targets import Entered
from sgmem.program.entities import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.program_facts import Formula, ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax import ir


class Later(msgspec.Struct, frozen=True):
    """`sizing` leads to a budget; `loading`, later in the same function, leads to a load of weights, under the headers `when`."""

    sizing: Way
    loading: Way
    when: str


class LateLoad(msgspec.Struct, frozen=True):
    """The budget `target` is worked out of a reading of free memory, and then more weights are loaded: `later`, the nearest first.
    `after_own`: the call, on the way to the budget, before which weights are loaded in the same function.
    """

    formula: Location
    target: str
    reading: Location
    reading_name: str
    later: tuple[Later, ...]
    after_own: Location | None


def late_loads(facts: ProgramFacts) -> Iterator[LateLoad]:
    """Every budget, once per function that leads first to it and then to a load of weights."""
    budgets = {place: formula for formula in facts.subtractions() if (place := _budget(facts, formula)) is not None}
    if not budgets:
        return
    below = _below_roots(facts)
    names = _names(facts, below)
    loads = Leading(facts, _loading_names(facts), lambda call, file, index: _loads(facts, call, file, index), names)
    sizes = _sizing(facts, frozenset(budgets), names)
    found: dict[tuple[str, int], list[Later]] = {}
    for path, scopes in sorted(_drivers(sizes, loads, below).items()):
        file = facts.program.files.get(path)
        for scope in sorted(scopes):
            later = _in_driver(facts, Function(file, scope), sizes, loads) if file is not None else None
            place = _sized(facts, later.sizing, budgets) if later is not None else None
            if later is not None and place is not None:
                found.setdefault(place, []).append(later)
    for place, ways in found.items():
        formula = budgets[place]
        reading = next(one for one in formula.inputs if one.origins and one.origins[0].gauge is not None)
        nearest = tuple(sorted(ways, key=lambda one: len(one.sizing.stops)))
        own = _after_own(facts, nearest[0].sizing, loads)
        yield LateLoad(formula.location, formula.target, reading.origins[0].location, reading.name, nearest, own)


def _drivers(sizes: Leading, loads: Leading, below: Iterable[tuple[str, int]]) -> dict[str, set[int]]:
    """The functions that may lead to both, by path: by their names, and those that the project's own roots lead to."""
    found = {path: scopes & loads.drivers.get(path, set()) for path, scopes in sizes.drivers.items()}
    for path, scope in below:
        found.setdefault(path, set()).add(scope)
    return found


def _below_roots(facts: ProgramFacts) -> frozenset[tuple[str, int]]:
    """All functions that the project's own roots lead to, themselves included, by path and scope."""
    expander = Expander(facts)
    for root in own_roots(facts):
        expander.expand(*root)
    return expander.functions


def _names(facts: ProgramFacts, functions: Iterable[tuple[str, int]]) -> frozenset[str]:
    """What calls of some functions spell: their names, and the classes of methods, which may be constructors."""
    names: set[str] = set()
    for path, scope in functions:
        file = facts.program.files.get(path)
        if file is not None:
            row = file.scope(scope)
            names |= {row.name, file.scope(row.parent).name} - {"__init__", ""}
    return frozenset(names)


def _budget(facts: ProgramFacts, formula: Formula) -> tuple[str, int] | None:
    """The function of a formula that takes something off a reading of the free memory of a device."""
    if not formula.is_budget or formula.only_measured:
        return None
    gauges = [one.origins[0].gauge for one in formula.inputs if one.origins]
    at = formula.location
    free = any(gauge is not None and gauge.frame.quantity == "free" and gauge.frame.scope != "machine" for gauge in gauges)
    return (at.path, at.file.outline.statements[at.statement].scope) if free else None


def _loading_names(facts: ProgramFacts) -> set[str]:
    rows = [row for row in facts.models.events.rows if row.kind == "load-weights" and not row.leaf]
    names = {pattern.rpartition(":")[2] for row in rows for pattern in row.names}
    names = {name.removesuffix(".__init__").rpartition(".")[2] for name in names}
    return {name for name in names if name.isidentifier()}


def _loads(facts: ProgramFacts, call: ir.Call, file: File, index: int) -> bool:
    row = facts.events.row(call, file, file.outline.statements[index].scope)
    return row is not None and row.kind == "load-weights" and row.where == "device"


def _sizing(facts: ProgramFacts, functions: frozenset[tuple[str, int]], also: Iterable[str]) -> Leading:
    """Finds the ways to the functions in which budgets are worked out."""
    names = set()
    for path, scope in functions:
        file = facts.program.files.get(path)
        if file is not None and file.scope(scope).kind == "function":
            names.add(file.scope(scope).name)

    def enters(call: ir.Call, file: File, index: int) -> bool:
        targets = facts.program.calls.targets(call, file, file.outline.statements[index].scope)
        return any(isinstance(one, Function) and (one.file.path, one.index) in functions for one, _, _ in targets)

    return Leading(facts, names, enters, also)


def _in_driver(facts: ProgramFacts, driver: Function, sizes: Leading, loads: Leading) -> Later | None:
    """The first call of a function that leads to a budget and always comes before another that leads to a load."""
    entered = Entered(driver, driver.owner)
    sized = list(sizes.ways_in(entered))
    later = list(loads.ways_in(entered)) if sized else []
    tree = facts.events.activations.tree(driver.file, driver.index)
    for size in sized:
        first = size.stops[0].statement
        after = [one for one in later if one.stops[0].statement != first and tree.dominates(first, one.stops[0].statement)]
        if after:
            return Later(size, after[0], facts.events.when(driver.file, after[0].stops[0].statement))
    return None


def _sized(facts: ProgramFacts, way: Way, budgets: dict[tuple[str, int], Formula]) -> tuple[str, int] | None:
    """The function, of those that work out a budget, that the last call of a way enters."""
    last = way.stops[-1]
    scope = last.file.outline.statements[last.statement].scope
    for root in last.file.statement(last.statement).expressions():
        for call in (one for one in _calls(root) if one.span == last.span):
            for target, _, _ in facts.program.calls.targets(call, last.file, scope):
                if isinstance(target, Function) and (target.file.path, target.index) in budgets:
                    return target.file.path, target.index
    return None


def _calls(root: ir.Expr) -> Iterator[ir.Call]:
    return (call for call, _ in calls_in_order(root))


def _after_own(facts: ProgramFacts, way: Way, loads: Leading) -> Location | None:
    """The call on a way before which its function loads weights of its own."""
    for stop in reversed(way.stops):
        function = facts.program.calls.inside(stop.file, stop.statement)
        if function is not None:
            before = (one for one in loads.ways_in(Entered(function, function.owner)) if one.stops[0].statement < stop.statement)
            if next(before, None) is not None:
                return stop
    return None
