"""Checks that hold two settings against each other before one of them is changed: what is used later was never checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.changes import How, leads_on, may_both_run
from sgmem.domains.accounting.decisions import Decision
from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.passes import Passes, Stop
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.program.text_answers import matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_ORDERED = frozenset({"<", "<=", ">", ">="})
_HOW = frozenset({"scaled", "replaced", "reduced"})


class EarlyCheck(msgspec.Struct, frozen=True):
    """`test` holds `name` against `other`, and `changed` changes `name` afterwards; no check of the two follows."""

    name: str
    other: str
    test: Location
    changed: Location
    how: How


class _Check(msgspec.Struct, frozen=True):
    file: File
    statement: int
    location: Location
    other: str
    places: frozenset[Field]


def early_checks(facts: ProgramFacts) -> Iterator[EarlyCheck]:
    """Every check of settings that keep quantities of memory of which one is changed afterwards."""
    passes = Passes(facts)
    seen: set[tuple[str, int]] = set()
    for name, paths in facts.quantities.paths.items():
        checks = [one for path in paths for one in _checks(facts, name, path)]
        if not checks:
            continue
        changes = [
            one
            for path in paths
            for one in facts.decisions(name, path)
            if one.how in _HOW and not _is_default(facts, one, name) and not is_aside(one.file, one.statement)
        ]
        for check in checks:
            alike = [one for one in checks if one.other == check.other]
            if (check.file.path, check.statement) in seen or any(_follows(facts, passes, one, two) for one in changes for two in alike):
                continue
            late = next((one for one in changes if one.places & check.places and _comes_after(facts, passes, check, one)), None)
            if late is not None and late.how is not None:
                seen.add((check.file.path, check.statement))
                yield EarlyCheck(name, check.other, check.location, late.location, late.how)


def _checks(facts: ProgramFacts, name: str, path: str) -> Iterator[_Check]:
    """The tests of a file that raise, or assert, by a remainder or an order of a field of that name and another."""
    if not facts.program.files.scanned(path, matches, rf"\.{name}\b"):
        return
    file = facts.program.files.get(path)
    for index in file.mentions(name) if file is not None else ():
        if file is None or file.outline.statements[index].kind not in ("assert", "if") or is_aside(file, index):
            continue
        if file.outline.statements[index].kind == "if" and file.outline.last_inside(index, "body") != "raise":
            continue
        test = file.test(index)
        other = _against(test, name) if test is not None else None
        if test is None or other is None:
            continue
        seen = facts.occurrences.reads_in_statement(file, index, name)
        places = frozenset(one.place for one in seen if isinstance(one.place, Field) and one.grade != "name")
        if any(facts.program.classes.is_record(place.owner) for place in places):
            yield _Check(file, index, Location(file, index, test.span), other, places)


def _against(test: Expr, name: str) -> str | None:
    """The field that a test holds a field of that name against."""
    for node in ir.walk(test):
        sides: tuple[Expr, ...] = ()
        if isinstance(node, ir.Binary) and node.operator == "%":
            sides = (node.left, node.right)
        elif isinstance(node, ir.Compare) and len(node.operators) == 1 and node.operators[0] in _ORDERED:
            sides = node.operands
        fields = [one.attr if isinstance(one, ir.Attribute) and dotted(one) is not None else None for one in sides]
        if name in fields and len(set(fields)) == 2 and None not in fields:
            return next(one for one in fields if one is not None and one != name)
    return None


def _is_default(facts: ProgramFacts, change: Decision, name: str) -> bool:
    """Whether a change stands under a test of the field itself: it fills in a missing value, or mends one that does not do."""
    word = re.compile(rf"\b{name}\b")
    own = (one for one in facts.conditions.own(change.file, change.statement) if one.how != "check")
    return any(word.search(render(one.predicate)) for one in own)


def _comes_after(facts: ProgramFacts, passes: Passes, check: _Check, change: Decision) -> bool:
    first, second = Stop(check.file, check.statement), Stop(change.file, change.statement)
    if first.scope != second.scope:
        met = passes.meeting(first, second)
        calls = (*met.first[:-1], *met.second[:-1]) if met is not None else ()
        # Calls for one kind of model and for another are never made in one run, and nothing in sight says so.
        return met is not None and met.certain and all(_is_always_made(stop) for stop in calls)
    scope = check.file.outline.statements[check.statement].scope
    graph = facts.order.graph(check.file, scope)
    return leads_on(graph, check.statement, change.statement) and may_both_run(facts, check.file, check.statement, change.statement)


def _is_always_made(stop: Stop) -> bool:
    """Whether a call stands under no condition in its function."""
    rows = stop.file.outline.statements
    parent = rows[stop.statement].parent
    return parent < 0 or rows[parent].kind == "function"


def _follows(facts: ProgramFacts, passes: Passes, change: Decision, check: _Check) -> bool:
    """Whether a check comes after a change."""
    first, second = Stop(change.file, change.statement), Stop(check.file, check.statement)
    if first.scope != second.scope:
        return passes.meeting(first, second) is not None
    scope = check.file.outline.statements[check.statement].scope
    return leads_on(facts.order.graph(check.file, scope), change.statement, check.statement)
