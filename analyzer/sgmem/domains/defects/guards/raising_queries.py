"""Capacity queries that give up: they raise when nothing could be read, though not to know is an answer to them, or when a tool fails,
though they ask another gauge when it prints nothing of use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


_RUNS = re.compile(r"\bsubprocess\b|\bcheck_output\b|\bpopen\b|\bgetoutput\b")


class RaisingQuery(msgspec.Struct, frozen=True):
    """`query` is a capacity query; `parsed` filters what a tool printed, `raised` gives up when nothing is left."""

    query: str
    values: str
    parsed: Location
    test: Location
    raised: Location


class UnevenQuery(msgspec.Struct, frozen=True):
    """`query` asks another gauge in one case where its tool is of no use (`fallback`), and gives up in another (`failed`, `raised`)."""

    query: str
    fallback: Location
    failed: Location
    raised: Location


def raising_queries(facts: ProgramFacts) -> Iterator[RaisingQuery]:
    """Every capacity query, of those that may answer None, that raises when a filtered list is empty."""
    for function in _queries(facts):
        yield from _in_query(facts, function)


def uneven_queries(facts: ProgramFacts) -> Iterator[UnevenQuery]:
    """Every such query that raises in only some of the cases in which its tool is of no use."""
    for function in _queries(facts):
        yield from _uneven(facts, function)


def _queries(facts: ProgramFacts) -> Iterator[Function]:
    rows = [row for row in facts.models.measurements.rows if row.none]
    words = sorted({pattern.rpartition(":")[2].rpartition(".")[2] for row in rows for pattern in row.names})
    for word in (word for word in words if word.isidentifier()):
        for function in facts.occurrences.functions_in(facts.program.files.focused(word), word):
            if not is_aside(function.file, function.scope.statement):
                yield function


def _in_query(facts: ProgramFacts, function: Function) -> Iterator[RaisingQuery]:
    file = function.file
    rows = file.outline.statements
    for index in file.own_statements(function.index):
        test = file.test(index) if rows[index].kind == "if" else None
        if not isinstance(test, ir.Unary) or test.operator != "not" or not isinstance(test.operand, ir.Name):
            continue
        name = test.operand.id
        parsed = _filtered(facts, file, function.index, name, index)
        body = list(file.outline.inside(index, "body"))
        if parsed is None or not body or rows[body[-1]].kind != "raise":
            continue
        if not any(_reads_elsewhere(facts, file, inner) for inner in _inside(file, index)):
            yield RaisingQuery(
                function.name, name, of_statement(file, parsed), Location(file, index, test.span), of_statement(file, body[-1])
            )


def _uneven(facts: ProgramFacts, function: Function) -> Iterator[UnevenQuery]:
    """The first way of failing that gives up, where another asks elsewhere."""
    file, rows = function.file, function.file.outline.statements
    if not _RUNS.search(file.source.slice(function.scope.span)):
        return
    given = {parameter.name for parameter in function.scope.parameters}
    own = [index for index in file.own_statements(function.index) if rows[index].kind in ("return", "assign", "raise")]
    asking = [(index, case) for index in own if (case := _case(file, index)) is not None and _reads_elsewhere(facts, file, index)]
    for index in own:
        case = _case(file, index) if rows[index].kind == "raise" else None
        if not asking or case is None or any(case in _cases(file, one) for one, _ in asking):
            continue
        test = file.test(case)
        read = {node.id for node in ir.walk(test) if isinstance(node, ir.Name)} if test is not None else set()
        if rows[case].kind == "except" or read - given:
            at = Location(file, case, test.span) if test is not None else of_statement(file, index)
            yield UnevenQuery(function.name, of_statement(file, asking[0][0]), at, of_statement(file, index))
            return


def _case(file: File, index: int) -> int | None:
    """The nearest test or handler around a statement of its function."""
    return next(_cases(file, index), None)


def _cases(file: File, index: int) -> Iterator[int]:
    rows = file.outline.statements
    parent = rows[index].parent
    while parent >= 0 and rows[parent].kind not in ("function", "class"):
        if rows[parent].kind in ("if", "except"):
            yield parent
        parent = rows[parent].parent


def _filtered(facts: ProgramFacts, file: File, scope: int, name: str, index: int) -> int | None:
    """The statement that makes a list by leaving out what does not parse."""
    reaching = facts.order.reaching(file, scope, name, index)
    for at in sorted(reaching - {ENTRY}):
        for binding in file.statement(at).bindings:
            if dotted(binding.target) == name and isinstance(binding.value, ir.Comprehension):
                if any(clause.conditions for clause in binding.value.clauses):
                    return at
    return None


def _inside(file: File, index: int) -> Iterator[int]:
    end = file.outline.statements[index].span.end_line
    for inner in range(index + 1, len(file.outline.statements)):
        if file.outline.statements[inner].span.line > end:
            return
        yield inner


def _reads_elsewhere(facts: ProgramFacts, file: File, index: int) -> bool:
    """Whether a statement asks another gauge."""
    scope = file.outline.statements[index].scope
    calls: list[Expr] = [node for root in file.statement(index).expressions() for node in ir.walk(root)]
    return any(isinstance(node, ir.Call) and facts.gauges.measurements.row(node, file, scope) is not None for node in calls)
