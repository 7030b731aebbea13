"""Questions for room that are asked with a factor first, and without it by what is called when they fail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.flow.aside import is_aside
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program

_ROOM = r"mem|memory|room|space|capacity|budget|tokens|slots|pages|blocks"
_ASKS = re.compile(rf"def ((?:check|has|can|is|enough|fits|have)_(?:\w*_)?(?:{_ROOM})(?:_\w*)?)\(")


class WeakerCheck(msgspec.Struct, frozen=True):
    """`first` asks with `argument` for the parameter of that name; `helper`, called where it fails, asks `again` without."""

    question: str
    parameter: str
    argument: Location
    helper: Location
    again: Location


def weaker_checks(program: Program) -> Iterator[WeakerCheck]:
    """Every question that is repeated without what the failing one was asked with."""
    for path in program.files.with_text(_ASKS.pattern, begins=("def ",)):
        file = program.files.get(path)
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "function" and _ASKS.match(f"def {scope.name}("):
                question = Function(file, index)
                optional = {one.name for one in question.parameters if one.default is not None}
                if optional:
                    yield from _repeated(program, question, optional)


def _repeated(program: Program, question: Function, optional: set[str]) -> Iterator[WeakerCheck]:
    calls = [(site, _filled(site, question)) for site in program.calls.callers(question) if not is_aside(site.file, site.statement)]
    for first, filled in calls:
        row = first.file.outline.statements[first.statement]
        if row.kind not in ("if", "while"):
            continue
        called = _called_in(first.file, first.statement)
        for again, others in calls:
            helper = program.calls.inside(again.file, again.statement)
            if helper is None or helper.name not in called or helper.name == question.name:
                continue
            for name in sorted(name for name in optional & filled.keys() - others.keys() if not isinstance(filled[name], ir.Const)):
                yield WeakerCheck(
                    question.name,
                    name,
                    Location(first.file, first.statement, filled[name].span),
                    Location(first.file, *called[helper.name]),
                    Location(again.file, again.statement, again.call.span),
                )


def _filled(site: CallSite, question: Function) -> dict[str, ir.Expr]:
    """The arguments of a call by the parameters that they fill; all of them where some are spread."""
    found = bind(site, question.parameters)
    if any(one.argument.star for one in found):
        return {one.name: found[0].argument.value for one in question.parameters}
    return {one.parameter: one.argument.value for one in found if one.parameter is not None and one.key is None}


def _called_in(file: File, statement: int) -> dict[str, tuple[int, ir.Span]]:
    """What the body of a compound statement calls, by the last name."""
    found: dict[str, tuple[int, ir.Span]] = {}
    span = file.outline.statements[statement].span
    for index in file.own_statements(file.outline.statements[statement].scope):
        row = file.outline.statements[index]
        if index > statement and row.block == "body" and span.contains(row.span):
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call):
                        found.setdefault(last_name(node), (index, node.span))
    return found
