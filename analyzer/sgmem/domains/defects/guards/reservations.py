"""Reservations of a fixed size: so many things by a constant of the source, each of a size that the model decides, taken
off a budget that was measured, without a check of what is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import Definitions, inputs
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.formulas import FormulaExpression
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

SMALLEST = 2
"""One of a thing is no reservation of many."""


class FixedReservation(msgspec.Struct, frozen=True):
    """`formula` takes `count` things of the size `size` each off `budget`; `constant` is where the count was fixed."""

    budget: str
    count: str
    size: str
    number: int
    constant: Location
    formula: Location


def fixed_reservations(facts: ProgramFacts) -> Iterator[FixedReservation]:
    """Every difference of a program that a fixed reservation can make negative."""
    from sgmem.domains.accounting.formulas import formulas_in

    seen: set[tuple[str, int]] = set()
    for file, statement in _statements(facts):
        if (file.path, statement) not in seen:
            seen.add((file.path, statement))
            for formula in formulas_in(file, statement):
                yield from _in_formula(facts, formula)


def _statements(facts: ProgramFacts) -> Iterator[tuple[File, int]]:
    """The differences in functions that calculate with amounts of memory."""
    scopes = dict.fromkeys((file, file.outline.statements[index].scope) for file, index in facts.statements)
    for file, scope in scopes:
        if file.scope(scope).kind == "function":
            for index in file.own_statements(scope):
                if file.outline.statements[index].kind in ("assign", "return", "augment") and "-" in file.own_text(index):
                    yield file, index


def _in_formula(facts: ProgramFacts, formula: FormulaExpression) -> Iterator[FixedReservation]:
    file, statement = formula.file, formula.statement
    whole = formula.expression
    if not isinstance(whole, ir.Binary) or whole.operator != "-" or isinstance(whole.left, ir.Const):
        return
    definitions = Definitions(facts.order, facts.occurrences, file, statement)
    product = definitions.expanded(whole.right)
    leaves = [leaf for leaf in inputs(product) if dotted(leaf) is not None]
    if len(leaves) < 2 or not any(isinstance(node, ir.Binary) and node.operator == "*" for node in ir.walk(product)):
        return
    for leaf in leaves:
        found = _fixed(facts, leaf, file, definitions.statement_of(leaf), 0)
        others = [other for other in leaves if other is not leaf]
        if found is not None and others and not any(check.images == 0 for check in facts.reaches.of(formula).checks):
            if not _is_budget(facts, whole.left, file, statement):
                return
            number, at = found
            texts = [dotted(part) or "" for part in (whole.left, leaf, others[0])]
            yield FixedReservation(texts[0], texts[1], texts[2], number, of_statement(file, at), formula.location)
            return


def _is_budget(facts: ProgramFacts, left: Expr, file: File, statement: int) -> bool:
    evidence = facts.units.infer(left, file, statement, deep=True)
    if evidence is not None and evidence.unit.is_amount:
        return True
    return any(birth.kind == "measurement" for birth in facts.births.of(left, file, statement))


def _fixed(facts: ProgramFacts, leaf: Expr, file: File, statement: int, depth: int) -> tuple[int, int] | None:
    """The constant that a count was set to in this function, where nothing else set it, and the statement that does so."""
    text = dotted(leaf)
    if text is None or depth > 3:
        return None
    scope = file.outline.statements[statement].scope
    if isinstance(leaf, ir.Name):
        reaching = facts.order.reaching(file, scope, leaf.id, statement)
    else:
        reaching = facts.order.reaching_assignments(file, scope, text, statement)
    if len(reaching - {ENTRY}) == 1 and ENTRY not in reaching and depth == 0 and isinstance(leaf, ir.Name):
        only = next(iter(reaching))
        if any(isinstance(b.value, ir.Const) for b in file.statement(only).bindings):
            return None  # a named constant of the formula, not a count that was left open
    for index in sorted(reaching - {ENTRY}):
        for binding in file.statement(index).bindings:
            if binding.value is None or dotted(binding.target) != text:
                continue
            if isinstance(binding.value, ir.Const):
                number = arithmetic.constant(binding.value)
                if number is not None and number.denominator == 1 and number >= SMALLEST:
                    return int(number), index
            elif binding.how in ("assign", "augment"):
                for inner in [binding.target] if binding.how == "augment" else inputs(binding.value):
                    if dotted(inner) == text:
                        found = _fixed(facts, inner, file, index, depth + 1)
                        if found is not None:
                            return found
    return None
