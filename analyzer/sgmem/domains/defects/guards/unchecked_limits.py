"""Limits that are divided or subtracted down from another count and kept, and that nothing keeps from being zero or less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, negate
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

UNITS = frozenset({"requests", "tokens"})
MAX_DEPTH = 6
MAX_FILES = 60


class UncheckedLimit(msgspec.Struct, frozen=True):
    """`stored` keeps `shrunk` as the limit `name`, which is zero where `smaller` is less than `by`. `negative`: that is taken off."""

    name: str
    smaller: str
    by: str
    negative: bool
    shrunk: Location
    stored: Location


def unchecked_limits(facts: ProgramFacts) -> Iterator[UncheckedLimit]:
    """Every field that a model knows for a count of requests or tokens, and that is set to such a value without a check."""
    rows = (row for row in facts.models.units.rows if row.kind == "field" and row.unit in UNITS)
    names = {pattern.rpartition(".")[2] for row in rows for pattern in row.names}
    for name in sorted(name for name in names if name.isidentifier()):
        if len(facts.program.files.tree.mentioning(name)) > MAX_FILES:
            continue
        for seen in facts.occurrences.writes(name):
            binding = seen.binding
            if (
                binding is None
                or binding.value is None
                or binding.how not in ("assign", "annotate")
                or is_aside(seen.file, seen.statement)
            ):
                continue
            if not isinstance(seen.node, ir.Attribute) or not isinstance(seen.place, Field):
                continue
            found = _shrunk(facts, binding.value, seen.file, seen.statement, 0)
            if found is not None and not _is_checked(facts, seen.place):
                node, file, at = found
                smaller, by = (Location(file, at, _telling(side).span).code for side in (node.left, node.right))
                place = Location(file, at, node.span)
                yield UncheckedLimit(name, smaller, by, node.operator == "-", place, of_statement(seen.file, seen.statement))


def _telling(side: Expr) -> Expr:
    """Of a setting that only counts under some condition, the setting."""
    return side.body if isinstance(side, ir.Conditional) and isinstance(side.orelse, ir.Const) else side


def _shrunk(facts: ProgramFacts, value: Expr, file: File, index: int, depth: int) -> tuple[ir.Binary, File, int] | None:
    """The floor division or subtraction that a value may be: a side of a conditional, what is the least, what a local was set to."""
    if depth > MAX_DEPTH:
        return None
    match value:
        case ir.Binary(operator="//" | "-"):
            return (value, file, index) if _is_open(facts, value, file, index) else None
        case ir.Conditional():
            return _first(facts, (value.body, value.orelse), file, index, depth)
        case ir.Call() if arithmetic.function_name(value) in ("min", "int"):
            return _first(facts, arithmetic.operands(value) or (), file, index, depth)
        case ir.Name():
            reaching = facts.order.reaching(file, file.outline.statements[index].scope, value.id, index)
            if len(reaching) == 1 and ENTRY not in reaching:
                at = next(iter(reaching))
                values = [b.value for b in file.statement(at).bindings if dotted(b.target) == value.id and b.how == "assign"]
                return _shrunk(facts, values[0], file, at, depth + 1) if len(values) == 1 and values[0] is not None else None
    return None


def _first(facts: ProgramFacts, parts: tuple[Expr, ...], file: File, index: int, depth: int) -> tuple[ir.Binary, File, int] | None:
    return next((found for part in parts if (found := _shrunk(facts, part, file, index, depth + 1)) is not None), None)


def _is_open(facts: ProgramFacts, node: ir.Binary, file: File, index: int) -> bool:
    """Whether the user can make the result zero or less: divided by, or taken off, is more than a constant, and a setting."""
    if isinstance(node.right, ir.Const):
        return False
    return all(_is_set(facts, side, file, index) for side in (node.left, node.right))


def _is_set(facts: ProgramFacts, side: Expr, file: File, index: int) -> bool:
    return any(birth.kind == "declaration" for birth in facts.births.of(side, file, index))


def _is_checked(facts: ProgramFacts, place: Field) -> bool:
    """Whether a test anywhere keeps the field, or what is read from it, from being zero or less."""
    for file in facts.program.files.mentioning(place.name):
        for index in file.mentions(place.name):
            kind = file.outline.statements[index].kind
            test = file.test(index) if kind in ("if", "assert") and not is_aside(file, index) else None
            if test is None:
                continue
            asked = from_expression(test)
            for node in ir.walk(test):
                text = dotted(node)
                if text is not None and text.rpartition(".")[2] == place.name:
                    wanted = Atom(text, ">", 0)
                    if implies(asked, wanted) or implies(negate(asked), wanted):
                        return True
    return False
