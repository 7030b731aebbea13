"""Finds the budget formula of a program, and what else writes the fraction in it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.predicates import TRUE
from sgmem.control.rendering import render
from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.formulas import FormulaExpression, formulas_in
from sgmem.domains.accounting.location import one_line
from sgmem.domains.algebra.forms import Form, Unsupported
from sgmem.domains.algebra.lift import lift
from sgmem.domains.program_facts import ProgramFacts
from sgmem.flow.aside import is_aside
from sgmem.flow.guards import Conditions
from sgmem.program.files import dotted
from sgmem.serverlog.formula import BudgetFormula, Default, Product, Role, Scale, Term
from sgmem.serverlog.rows import rows
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_WHEN = 100


class BudgetFinder:
    """Looks for the budget in one program."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self.conditions = Conditions(facts.program, facts.order)
        self.parameter = rows().fraction

    def find(self) -> BudgetFormula | None:
        """The budget with both measurements; None where the program has none that is understood."""
        found: list[BudgetFormula] = []
        scales: list[Scale] = []
        for file, statement in self._statements():
            for expression in formulas_in(file, statement):
                scale = self._scale(expression)
                if scale is not None:
                    scales.append(scale)
                elif _spells_share(expression.expression, self.parameter):
                    budget = self._budget(expression)
                    if budget is not None:
                        found.append(budget)
        if not found:
            return None
        best = min(found, key=lambda one: one.approximate)
        return msgspec.structs.replace(best, scales=tuple(scales), defaults=tuple(self._defaults()))

    def _statements(self) -> Iterator[tuple[File, int]]:
        for file in self.facts.program.files.mentioning(self.parameter):
            for statement in file.mentions(self.parameter):
                if not is_aside(file, statement):
                    yield file, statement

    # -- the formula ----------------------------------------------------------------------------------------------------------

    def _budget(self, share: FormulaExpression) -> BudgetFormula | None:
        """The budget that an expression with `1 - fraction` is, or is the part of that is held back."""
        terms = self._terms(share)
        roles = {term.role for term in terms}
        if {"available", "fraction"} - roles:
            return None
        form = self._form(share.expression, {})
        if form is None:
            return None
        if sum(term.role == "available" for term in terms) > 1:
            return self._made(share, terms, form, approximate=False)
        held = share.target
        file, scope = share.file, share.file.outline.statements[share.statement].scope
        slack = tuple(msgspec.structs.replace(term, role="baseline") if term.role == "available" else term for term in terms)
        for statement in file.mentions_in(scope, held):
            for expression in formulas_in(file, statement) if statement > share.statement else ():
                outer = tuple(term for term in self._terms(expression) if term.name != held)
                whole = self._form(expression.expression, {held: form})
                if whole is not None and sum(term.role == "available" for term in outer) == 1:
                    again = sum(1 for one in file.mentions_in(scope, held) if file.may_bind(one, held)) > 1
                    return self._made(expression, (*outer, *slack), whole, approximate=again)
        return None

    def _made(self, where: FormulaExpression, terms: tuple[Term, ...], form: Form, *, approximate: bool) -> BudgetFormula | None:
        by_name = {term.name: term for term in terms}
        fraction = next((term.name for term in terms if term.role == "fraction"), None)
        scaled = {name for monomial, _ in form.terms if fraction in monomial for name in monomial if name != fraction}
        fixed = [
            msgspec.structs.replace(term, role="baseline" if term.name in scaled and term.role == "available" else term.role)
            for term in by_name.values()
            if term.name in form.symbols
        ]
        if [term.role for term in fixed].count("available") != 1 or not any(term.role == "baseline" for term in fixed):
            return None
        location = where.location
        baseline = next(term for term in fixed if term.role == "baseline")
        return BudgetFormula(
            text=one_line(text_of(where.expression)),
            target=where.target,
            terms=tuple(fixed),
            products=tuple(Product(str(coefficient), monomial) for monomial, coefficient in form.terms),
            path=location.path,
            line=location.line,
            symbol=location.symbol,
            late_communicators="over the device" in baseline.frame,
            approximate=approximate,
        )

    def _terms(self, where: FormulaExpression) -> tuple[Term, ...]:
        """The inputs of an expression; both measured ones are `available` until the formula tells which is scaled."""
        found: dict[str, Term] = {}
        for node in inputs(where.expression):
            name = dotted(node) or one_line(where.file.source.slice(node.span))
            if name.rpartition(".")[2] == self.parameter:
                found[name] = Term(name, "fraction")
                continue
            measured = self._free(node, where.file, where.statement)
            role: Role = "available" if measured is not None else "other"
            if measured is None:
                found[name] = Term(name, role, where.file.path, node.span.line)
            else:
                frame = measured.frame.text
                if measured.frame.reduction == "min" and measured.frame.group is None:
                    frame += ", combined over the device"
                found[name] = Term(name, role, measured.location.path, measured.location.line, frame)
        return tuple(found.values())

    def _free(self, node: Expr, file: File, statement: int) -> Gauge | None:
        """The reading of free device memory that a value is, where it is one."""
        for birth in self.facts.births.of(node, file, statement):
            gauge = self.facts.gauges.of_birth(birth)
            if gauge is not None and gauge.frame.quantity == "free" and gauge.frame.scope == "device":
                return gauge
        return None

    def _form(self, expression: Expr, known: dict[str, Form]) -> Form | None:
        def symbol(node: Expr) -> str:
            return dotted(node) or one_line(text_of(node))

        try:
            ratio = lift(expression, symbol).value
        except Unsupported:
            return None
        constant = ratio.denominator.constant
        if not constant:
            return None
        form = ratio.numerator.scaled(1 / Fraction(constant))
        try:
            return form.substituted(known)
        except Unsupported:
            return None

    # -- what else writes the fraction ----------------------------------------------------------------------------------------

    def _scale(self, expression: FormulaExpression) -> Scale | None:
        """A statement that gives the fraction a multiple of itself."""
        form = self._form(expression.expression, {})
        if form is None or len(form.terms) != 1:
            return None
        (monomial, coefficient), *_ = form.terms
        own = len(monomial) == 1 and monomial[0].rpartition(".")[2] == self.parameter
        if not own or coefficient == 1 or not 0 < coefficient < 2 or self.parameter not in expression.target:
            return None
        where = expression.location
        text = one_line(text_of(expression.expression))
        return Scale(float(coefficient), text, where.path, where.line, self._when(expression.file, expression.statement))

    def _defaults(self) -> Iterator[Default]:
        for file, statement in self._statements():
            for binding in file.statement(statement).bindings:
                named = (dotted(binding.target) or "").rpartition(".")[2] == self.parameter and binding.how != "augment"
                for value in _constants(binding.value) if named and binding.value is not None else ():
                    line = binding.value.span.line if binding.value is not None else 0
                    yield Default(value, file.path, line, self._when(file, statement))

    def _when(self, file: File, statement: int) -> str:
        """The conditions of a statement within its function."""
        conditions = [c for c in self.conditions.own(file, statement) if c.predicate != TRUE and c.how != "check"]
        text = " and ".join(dict.fromkeys(render(c.predicate) for c in conditions))
        return text if len(text) <= MAX_WHEN else text[: MAX_WHEN - 1] + "…"


def _constants(value: Expr) -> Iterator[float]:
    sides = [value.body, value.orelse] if isinstance(value, ir.Conditional) else [value]
    for side in sides:
        if isinstance(side, ir.Const) and isinstance(side.value, float) and 0 < side.value < 1:
            yield side.value


def _spells_share(expression: Expr, parameter: str) -> bool:
    """Whether `1 - fraction` is in it."""
    for node in ir.walk(expression):
        if isinstance(node, ir.Binary) and node.operator == "-" and isinstance(node.left, ir.Const):
            if any(isinstance(one, ir.Name | ir.Attribute) and _last(one) == parameter for one in ir.walk(node.right)):
                return True
    return False


def _last(node: Expr) -> str:
    return node.attr if isinstance(node, ir.Attribute) else node.id if isinstance(node, ir.Name) else ""
