"""Budgets that are handed back whole by a function that has divided a share of them: the next one spends them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.estimate.books import named
from sgmem.domains.estimate.together import Step, follows
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.divisions import Division
    from sgmem.domains.program_facts import ProgramFacts

MAX_LOCALS = 12


class HandedBack(msgspec.Struct, frozen=True):
    """`function` divides `count` out of its parameter `budget`, or a share of it, and returns the parameter as it came."""

    function: str
    budget: str
    count: str
    division: Location
    back: Location


def handed_back(facts: ProgramFacts) -> Iterator[HandedBack]:
    """Every function of a program that hands a budget back from which it has worked out a count that is kept."""
    seen: set[tuple[str, int, str]] = set()
    for one in facts.books.estimates.divisions:
        kept = named(one)
        function = Function(one.file, one.scope)
        for parameter in _parameters(facts, one) if kept else ():
            back = _returned(facts, function, parameter, one)
            key = (one.file.path, one.scope, parameter)
            if back is not None and key not in seen:
                seen.add(key)
                division = Location(one.file, one.statement, one.node.span)
                yield HandedBack(function.name, parameter, kept[0], division, of_statement(one.file, back))


def _parameters(facts: ProgramFacts, division: Division) -> list[str]:
    """The parameters that a dividend is worked out from, through the function's locals."""
    function = Function(division.file, division.scope)
    names, pending = dict[str, None](), [division.node.left]
    while pending and len(names) < MAX_LOCALS:
        for leaf in inputs(pending.pop()):
            if isinstance(leaf, ir.Name) and leaf.id not in names:
                names[leaf.id] = None
                for index in facts.program.names.bindings(division.file, division.scope, leaf.id):
                    pending += [b.value for b in division.file.statement(index).bindings if b.value is not None and b.how == "assign"]
    return [name for name in names if function.parameter(name) is not None and name != function.receiver]


def _returned(facts: ProgramFacts, function: Function, parameter: str, division: Division) -> int | None:
    """A return of the parameter as it came that the division leads to."""
    file = function.file
    for index in file.mentions_in(function.index, parameter):
        if file.outline.statements[index].kind != "return":
            continue
        for value in file.statement(index).values:
            whole = isinstance(value, ir.Name) and value.id == parameter
            if whole and facts.order.reaching(file, function.index, parameter, index) == frozenset({ENTRY}):
                if follows(facts, Step(file, division.statement), Step(file, index)):
                    return index
    return None
