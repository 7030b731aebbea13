"""Amounts that a function is handed in one unit here and in another there: what the parameter is for is told by the other calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.domains.accounting.amount_statements import CONVERTS, SUFFIX
from sgmem.domains.accounting.claims import Claim
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.units.contradictions import Contradiction
from sgmem.domains.defects.units.mismatches import side_of
from sgmem.domains.units.evidence import disagreement, suffix_evidence
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.units import Units
    from sgmem.domains.units.evidence import Evidence
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_FILES = 6
MAX_CALLS = 6
_OF_MEMORY = re.compile(r"size|mem|cache|limit|budget|capacity|bytes|space|room|reserve|quota", re.IGNORECASE)
"""Parameters that are for an amount of memory; a function that prints or compares numbers takes any."""


def sibling_arguments(units: Units, file: File, statement: int) -> Iterator[Contradiction]:
    """The arguments of a statement that all other calls of the function hand on in one other unit."""
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and arithmetic.function_name(node) is None:
                if any(_amount(units, one.value, file, statement) is not None for one in node.args if not one.star):
                    yield from _in_call(units, node, file, statement)


def _in_call(units: Units, call: ir.Call, file: File, statement: int) -> Iterator[Contradiction]:
    program = units.program
    for target, filled, certain in program.calls.targets(call, file, file.outline.statements[statement].scope):
        if not certain or not isinstance(target, Function):
            continue
        name = target.owner.name if target.name == "__init__" and target.owner is not None else target.name
        if len(program.files.tree.mentioning(name)) > MAX_FILES:
            continue
        for bound in bind(CallSite(file, statement, call, filled, certain), target.parameters):
            mine = _amount(units, bound.argument.value, file, statement) if bound.key is None else None
            parameter = bound.parameter or ""
            if mine is not None and _OF_MEMORY.search(parameter) and suffix_evidence(parameter) is None:
                found = _against(units, target, parameter, call, Location(file, statement, bound.argument.value.span), mine)
                if found is not None:
                    claim = Claim("parameter", bound.argument.value, found[1], f"{name}({parameter}) elsewhere", found[2])
                    side = side_of(units, bound.argument.value, mine, file, statement)
                    details = disagreement(mine, found[1])
                    if details is not None:
                        yield Contradiction(claim, side, details, found[0])


def _against(
    units: Units, target: Function, parameter: str, call: ir.Call, here: Location, mine: Evidence
) -> tuple[Location, Evidence, Location] | None:
    """Another call, and the unit in which it and all others hand the parameter on, where that is not this one's."""
    others: list[tuple[Location, Evidence]] = []
    sites = units.program.calls.callers(target)
    if len(sites) > MAX_CALLS:
        return None
    for site in sites:
        if site.call.span == call.span and site.file is here.file:
            continue
        for bound in bind(site, target.parameters):
            if bound.parameter == parameter and bound.key is None and not isinstance(bound.argument.value, ir.Const):
                evidence = _amount(units, bound.argument.value, site.file, site.statement)
                if evidence is None:
                    return None
                others.append((Location(site.file, site.statement, bound.argument.value.span), evidence))
    if not others:
        return None
    at, first = others[0]
    details = disagreement(mine, first)
    if details is None or details.kind != "scale" or any(not one.unit.agrees(first.unit) for _, one in others):
        return None
    if len(others) == 1 and _is_told_there(at) and (at.path, at.line) > (here.path, here.line):
        return None  # one against one: told once, at the later of the two
    return at, first, here


def _is_told_there(at: Location) -> bool:
    text = at.file.own_text(at.statement)
    return SUFFIX.search(text) is not None or CONVERTS.search(text) is not None


def _amount(units: Units, value: Expr, file: File, statement: int) -> Evidence | None:
    evidence = units.infer(value, file, statement) if not isinstance(value, ir.Const) else None
    return evidence if evidence is not None and evidence.strong and evidence.unit.is_amount else None
