"""Choices that all ranks have to make alike, and that each makes by what it reads itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.flow.aside import is_aside
from sgmem.models.patterns import last_name as last_name_of
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program

_SHARED = re.compile(r"(?:reduce|broadcast|gather|sync|agree)\w*\(")
"""What makes one answer out of those of several ranks."""


class LoneDecision(msgspec.Struct, frozen=True):
    """`test` compares `reading`, that of one rank, and `choice` goes by it. `when` is the argument with which the readings of all ranks
    would be combined.
    """

    reading: Location
    name: str
    when: str
    test: Location
    choice: Location


def lone_decisions(program: Program, models: Models) -> Iterator[LoneDecision]:
    """The yes-or-no choices by a reading that could be combined over ranks and is not."""
    for row in models.measurements.rows:
        for word in sorted({last_name_of(name) for name in row.names}) if row.reduction is not None else ():
            when = row.reduction.when if row.reduction is not None else ""
            for path in program.files.focus_on(word):
                file = program.files.get(path)
                for statement in sorted(file.mentions(word)) if file is not None else ():
                    if file is not None and not is_aside(file, statement):
                        yield from _by(file, statement, word, when)


def _by(file: File, statement: int, word: str, when: str) -> Iterator[LoneDecision]:
    """What is decided by a variable that a statement gives such a reading."""
    if file.outline.statements[statement].kind in ("function", "class", "import"):
        return
    for binding in file.statement(statement).bindings:
        name = dotted(binding.target)
        if name is None or "." in name or not isinstance(binding.value, ir.Call) or last_name(binding.value) != word:
            continue
        given = {argument.keyword: argument.value for argument in binding.value.args}
        asked = given.get(when)
        if asked is not None and not (isinstance(asked, ir.Const) and not asked.value):
            continue
        scope = file.outline.statements[statement].scope
        if _SHARED.search(_text_after(file, scope, statement)) is not None:
            continue
        for index in file.mentions_in(scope, name):
            choice = _choice(file, index) if index > statement and _compares(file, index, name) else None
            if choice is not None:
                test = file.test(index)
                at = Location(file, index, test.span) if test is not None else of_statement(file, index)
                yield LoneDecision(Location(file, statement, binding.value.span), name, when, at, of_statement(file, choice))


def _text_after(file: File, scope: int, statement: int) -> str:
    """What follows a statement in its function."""
    last = file.scope(scope).last
    return "\n".join(file.own_text(index) for index in range(statement + 1, last) if file.outline.statements[index].kind != "function")


def _compares(file: File, index: int, name: str) -> bool:
    """Whether a statement is an `if` that asks for the size of the variable, or of what is left of it."""
    test = file.test(index) if file.outline.statements[index].kind == "if" else None
    for node in ir.walk(test) if test is not None else ():
        if isinstance(node, ir.Compare) and any(isinstance(part, ir.Name) and part.id == name for part in ir.walk(node)):
            return any(operator in ("<", "<=", ">", ">=") for operator in node.operators)
    return False


def _choice(file: File, index: int) -> int | None:
    """The statement directly in the body of an `if` that says yes or no: a result, or the value of a variable."""
    for at in file.outline.inside(index, "body"):
        kind = file.outline.statements[at].kind
        lowered = file.statement(at)
        values = lowered.values if kind == "return" else tuple(one.value for one in lowered.bindings if one.how == "assign")
        if any(isinstance(value, ir.Const) and isinstance(value.value, bool) for value in values):
            return at
    return None
