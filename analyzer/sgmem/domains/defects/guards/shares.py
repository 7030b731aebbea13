"""Shares of a whole that are calculated and stored although nothing keeps them between 0 and 1.

`(whole - taken) / whole` is a share as long as no more is taken than there is. Where what is taken is estimated, from
options and constants, and not measured, nothing sees to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import Definitions, inputs
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.formulas import FormulaExpression
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


class UncheckedShare(msgspec.Struct, frozen=True):
    """`formula` stores a share in `target`; it is negative when `taken` is more than `whole`. `origin` is where the whole
    comes from, `option` whether the target is an option that the program reads elsewhere.
    """

    target: str
    whole: str
    taken: str
    origin: Location | None
    formula: Location
    stored: Location


def unchecked_shares(facts: ProgramFacts) -> Iterator[UncheckedShare]:
    """Every share that is stored without anything that keeps it above 0."""
    from sgmem.domains.accounting.formulas import formulas_in

    for file, statement in facts.statements:
        if is_aside(file, statement) or "/" not in file.own_text(statement):
            continue
        for formula in formulas_in(file, statement):
            found = _share(formula.expression)
            if found is not None:
                yield from _unchecked(facts, formula, *found)


def _share(expr: Expr) -> tuple[Expr, Expr, Expr] | None:
    """whole, taken and the quotient of `(whole - taken) / whole`, rounding and conditionals around it left out."""
    for node in _results(expr):
        if isinstance(node, ir.Binary) and node.operator == "/" and isinstance(node.left, ir.Binary) and node.left.operator == "-":
            whole = dotted(node.right)
            if whole is not None and whole == dotted(node.left.left):
                return node.right, node.left.right, node
    return None


def _results(expr: Expr) -> Iterator[Expr]:
    """What an expression may give: the branches of a conditional, what is rounded."""
    match expr:
        case ir.Conditional(body=body, orelse=orelse):
            yield from _results(body)
            yield from _results(orelse)
        case ir.Call() if arithmetic.function_name(expr) in ("round", "float") and expr.args:
            yield from _results(expr.args[0].value)
        case _:
            yield expr


def _unchecked(facts: ProgramFacts, formula: FormulaExpression, whole: Expr, taken: Expr, node: Expr) -> Iterator[UncheckedShare]:
    file, statement = formula.file, formula.statement
    if not _is_estimated(facts, taken, file, statement) or _tested(facts, file, statement, node, taken, whole):
        return
    reach = facts.reaches.of(formula)
    stored = _stored(facts, formula, file, statement)
    if stored is None or any(not check.images for check in reach.checks):
        return
    births = facts.births.of(whole, file, statement)
    born = next((Location(b.file, b.statement, b.span) for b in births if b.kind == "measurement"), None)
    shown = Location(file, statement, taken.span).code
    yield UncheckedShare(formula.target, dotted(whole) or "", shown, born, Location(file, statement, node.span), stored)


def _is_estimated(facts: ProgramFacts, taken: Expr, file: File, statement: int) -> bool:
    """Whether what is taken off is calculated here from something that is not measured: then it can be any amount."""
    births = facts.births.of(taken, file, statement)
    if any(birth.kind == "measurement" for birth in births):
        return False
    definitions = Definitions(facts.order, facts.occurrences, file, statement)
    leaves = inputs(definitions.expanded(taken))
    return any(birth.kind == "computed" for birth in births) or len(leaves) > 1


def _tested(facts: ProgramFacts, file: File, statement: int, node: Expr, taken: Expr, whole: Expr) -> bool:
    """Whether a condition around compares the two."""
    texts = {dotted(taken), dotted(whole)} - {None}
    for condition in facts.reaches.conditions.own(file, statement):
        test = file.test(condition.statement) if condition.statement >= 0 else None
        for part in ir.walk(test) if test is not None else ():
            if isinstance(part, ir.Compare) and len(texts) == 2 and texts <= {dotted(side) for side in part.operands}:
                return True
    return False


def _stored(facts: ProgramFacts, formula: FormulaExpression, file: File, statement: int) -> Location | None:
    """The store that keeps the share in a field: the statement itself, or one that stores the local it goes to."""
    for binding in file.statement(statement).bindings:
        if isinstance(binding.target, ir.Attribute):
            return of_statement(file, statement)
        if not isinstance(binding.target, ir.Name):
            continue
        name, scope = binding.target.id, file.outline.statements[statement].scope
        for index in file.mentions_in(scope, name):
            if index == statement or statement not in facts.order.reaching(file, scope, name, index):
                continue
            if _hands_on(facts, file, index, name):
                return of_statement(file, index)
    return None


def _hands_on(facts: ProgramFacts, file: File, index: int, name: str) -> bool:
    """Whether a statement stores a local in a field, or declares it by a keyword of its name."""
    statement = file.statement(index)
    for binding in statement.bindings:
        if isinstance(binding.target, ir.Attribute) and binding.value is not None and dotted(binding.value) == name:
            return True
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call):
                for argument in node.args:
                    if argument.keyword is not None and dotted(argument.value) == name and _is_field(facts, argument.keyword):
                        return True
    return False


def _is_field(facts: ProgramFacts, name: str) -> bool:
    classes = facts.program.classes
    return any(classes.is_record(owner) for owner in facts.occurrences.owners(name))
