"""Sizes of a token that charge less than another one of the same class: a path of its own that forgot what was added to the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.estimate.estimates import text_of
from sgmem.domains.ranks.groups import given, spelled
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.divisions import Division
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MIN_TERMS = 2
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class Cell(msgspec.Struct, frozen=True):
    """What `division` divides a budget by: a sum of `terms`, each by its text, that is `name` and worked out at `value`."""

    name: str
    owner: Class
    division: Function
    value: Location
    terms: dict[str, Expr]


class ShortCell(msgspec.Struct, frozen=True):
    """`short` lacks `term`, which `full`, of the same class or one it derives from, charges at `charged`."""

    short: Cell
    full: Cell
    term: str
    charged: Location


def short_cells(facts: ProgramFacts) -> Iterator[ShortCell]:
    """Every such pair in which all that the smaller one charges is in the larger one as well."""
    cells = [cell for division in facts.books.estimates.divisions for cell in _cells(facts, division)]
    for short in cells:
        for full in cells:
            if (
                short.division == full.division
                or short.value == full.value
                or not facts.program.classes.related(short.owner, full.owner)
            ):
                continue
            if len(full.terms) < MIN_TERMS or not short.terms.keys() < full.terms.keys():
                continue
            # What a method speaks of it charges in another way: a fixed part of the budget, a pool of its own.
            mentioned = set(_IDENTIFIER.findall(text_of(short.division)))
            lacking = [text for text, term in full.terms.items() if text not in short.terms and not _names(term) & mentioned]
            if lacking:
                at = Location(full.value.file, full.value.statement, full.terms[lacking[0]].span)
                yield ShortCell(short, full, lacking[0], at)
                break


def _cells(facts: ProgramFacts, division: Division) -> Iterator[Cell]:
    """The sums that the divisor of a budget is, by way of a local or of a field of the object."""
    function = Function(division.file, division.scope)
    if function.owner is None:
        return
    divisor = division.node.right
    for value, file, statement in _values(facts, divisor, function, division.statement):
        terms = {" ".join(file.source.slice(term.span).split()): term for term in _terms(value)}
        yield Cell(spelled(divisor), function.owner, function, Location(file, statement, value.span), terms)


def _values(facts: ProgramFacts, divisor: Expr, function: Function, statement: int) -> Iterator[tuple[Expr, File, int]]:
    if isinstance(divisor, ir.Name):
        for index in sorted(facts.order.reaching(function.file, function.index, divisor.id, statement) - {ENTRY}):
            for value in given(divisor.id, function.file, index):
                yield value, function.file, index
    elif isinstance(divisor, ir.Attribute) and spelled(divisor.base) == function.receiver and function.owner is not None:
        for each in facts.program.classes.mro(function.owner):
            for method, index in facts.program.classes.stores(each, divisor.attr):
                for binding in method.file.statement(index).bindings:
                    if spelled(binding.target) == divisor.attr and binding.value is not None and binding.how in ("assign", "annotate"):
                        yield binding.value, method.file, index


def _terms(value: Expr) -> Iterator[Expr]:
    """What a sum adds; the value itself where it is none."""
    match value:
        case ir.Binary(operator="+", left=left, right=right):
            yield from _terms(left)
            yield from _terms(right)
        case ir.Call() if arithmetic.function_name(value) == "int" and value.args:
            yield from _terms(value.args[0].value)
        case _:
            yield value


def _names(term: Expr) -> set[str]:
    """The last names of what a term is made of."""
    return {name for leaf in inputs(term) if (name := spelled(leaf))}
