"""Tests under which a setting is given the value that it has there already: the wrong way round, they miss all other values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import And, Atom
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.aside import is_aside
from sgmem.models.patterns import last_name
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.predicates import Predicate
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program

_TELLS = frozenset({"warning", "warn", "info", "error", "log", "print", "debug"})


class IdleSetting(msgspec.Struct, frozen=True):
    """`test` holds only where `place` is `value`, to which `setting` sets it."""

    place: str
    value: str
    test: Location
    setting: Location


def idle_settings(program: Program, models: Models) -> Iterator[IdleSetting]:
    """Every such test of a field that the models know for a number which is one at least, such as the size of a group."""
    names = sorted({last_name(name) for row in models.units.rows if row.kind == "field" and row.positive for name in row.names})
    names = [name for name in names if name.isidentifier()]
    pattern = rf"if [^\n]*\b({'|'.join(names)})\b[^\n]*:[^\n]*\n(?:[^\n]*\n){{0,12}}?[^\n=]*\b\1 = \d"
    for path in program.files.with_text(pattern) if names else ():
        file = program.files.get(path)
        if file is not None:
            for index in sorted({index for name in names for index in file.mentions(name)}):
                if file.outline.statements[index].kind == "if" and not is_aside(file, index):
                    yield from _within(file, index, frozenset(names))


def _within(file: File, index: int, names: frozenset[str]) -> Iterator[IdleSetting]:
    test = file.test(index)
    if test is None or not _is_told(file, index):
        return
    holds = from_expression(test)
    for inside in file.outline.inside(index, "body"):
        for binding in file.statement(inside).bindings:
            place = dotted(binding.target)
            value = binding.value
            if place is None or place.rpartition(".")[2] not in names or binding.how not in ("assign", "annotate"):
                continue
            if isinstance(value, ir.Const) and isinstance(value.value, int) and _is_already(holds, place, value.value):
                yield IdleSetting(place, value.text, Location(file, index, test.span), of_statement(file, inside))


def _is_already(holds: Predicate, place: str, value: int) -> bool:
    """Whether a count of one at least is a value wherever something holds. Less than one is what a clamp asks for."""
    if isinstance(holds, And):
        return any(_is_already(part, place, value) for part in holds.parts)
    least = value == 1 and implies(holds, Atom(place, "<", 2)) and not implies(holds, Atom(place, "<", 1))
    return least or implies(holds, Atom(place, "==", value))


def _is_told(file: File, index: int) -> bool:
    """Whether the body of an `if` says something to the user, who then is told of a change that does not happen."""
    inside = (node for at in file.outline.inside(index, "body") for root in file.statement(at).expressions() for node in ir.walk(root))
    return any(isinstance(node, ir.Call) and spelled(node) in _TELLS for node in inside)
