"""The formulas of a trace: their text, their inputs and where each was born."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import msgspec

from sgmem.domains.accounting.gauges import Gauges
from sgmem.domains.accounting.location import one_line
from sgmem.domains.accounting.units import Units, declared
from sgmem.domains.defects.guards.negative import NegativeVerdicts
from sgmem.domains.units.evidence import Evidence, Strength
from sgmem.domains.units.infer import infer
from sgmem.domains.units.unit import Unit, UnitError, parse_unit
from sgmem.flow.arithmetic import NUMERIC, is_text
from sgmem.flow.checks import Checks
from sgmem.flow.graph import FormulaSite, SiteKey
from sgmem.flow.places import ANY
from sgmem.flow.slicer import Slicer
from sgmem.models.load import Models
from sgmem.program.files import dotted
from sgmem.program.program import Program
from sgmem.queries.results.trace import Formula, FormulaInput, Negative
from sgmem.queries.sites import SiteReports
from sgmem.queries.trace.backward import BackwardSlice, Led
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr
from sgmem.syntax.unparse import text_of

ENOUGH = 80
"""From so many formulas on, what computes an input of one is named as its origin and is no formula of its own."""


MANY = 200
"""From so many formulas on, the inputs of the others are named and not followed back."""


class Input(msgspec.Struct, frozen=True):
    """One operand of a formula: its name, where it was born and by which sites it came, its unit and measurement frame."""

    name: str
    born: SiteKey | None
    via: tuple[SiteKey, ...]
    unit: str | None
    frame: str | None


class FormulaReports:
    """Collects the inputs of every formula of the slice, then renders them."""

    def __init__(self, program: Program, slicer: Slicer, backward: BackwardSlice, models: Models) -> None:
        self.program = program
        self.models = models
        self.slicer = slicer
        self.backward = backward
        self.gauges = Gauges(program, backward.measurements, slicer.order)
        self.units = Units(program, models, self.gauges, slicer.order)
        self.units.born = backward.births.of
        self.negatives = NegativeVerdicts(program, slicer.occurrences, slicer.order, self.units, backward.births.of)
        self._inputs: dict[SiteKey, list[Input]] = {}

    def collect(self) -> None:
        """Find the births of every input; they become sites of the slice."""
        pending = deque(self.slicer.slice.formulas.values())
        unshown: set[SiteKey] = set()
        while pending:
            formula = pending.popleft()
            if len(self._inputs) >= MANY:
                self._name_inputs([formula, *pending])
                break
            if formula.site not in self._inputs:
                found = [self._input(leaf, formula) for leaf in leaves(whole(formula))]
                self._inputs[formula.site] = [one for one, _ in found]
                born = [led for _, births in found for led in births] if formula.levels > 0 else []
                if len(self.slicer.slice.formulas) < ENOUGH:
                    further = (self.backward.formula_of(led, formula.levels - 1) for led in born)
                    pending.extend(one for one in further if one is not None)
                else:
                    unshown.update(key for birth, key, _ in born if birth.kind == "computed" and key.role == "formula")
        left = unshown - self.slicer.slice.formulas.keys()
        self._tell(left, f"{len(left)} computations of inputs are named and not shown as formulas: there are {ENOUGH} nearer ones")

    def _tell(self, left: Iterable[SiteKey], why: str) -> None:
        """Say at the first of some places why they are left out."""
        first = min(left, key=lambda key: (key.file.path, key.span), default=None)
        if first is not None:
            self.slicer.slice.unresolved[(first.file.path, first.span.line, why)] = None

    def _name_inputs(self, formulas: list[FormulaSite]) -> None:
        """Name the inputs of formulas for which there is no room, and say so at the first of them."""
        left = [formula for formula in formulas if formula.site not in self._inputs]
        for formula in left:
            named = [(dotted(leaf) or one_line(formula.file.source.slice(leaf.span)), leaf) for leaf in leaves(whole(formula))]
            self._inputs[formula.site] = [Input(name, None, (), self._unit(leaf, formula), None) for name, leaf in named]
        why = f"the inputs of {len(left)} formulas are not followed back: there are {MANY} nearer ones"
        self._tell((formula.site for formula in left), why)

    def _input(self, leaf: Expr, formula: FormulaSite) -> tuple[Input, list[Led]]:
        """An operand of a formula, and its most telling births."""
        name = dotted(leaf) or one_line(formula.file.source.slice(leaf.span))
        unit = self._unit(leaf, formula)
        births = self.backward.lead(leaf, formula.site, formula.statement, "operand", formula.stack)
        if not births:
            return Input(name, None, (), unit, None), []
        birth, born, via = births[0]
        gauge = self.gauges.of_birth(birth)
        site = self.slicer.slice.sites[born]
        if gauge is not None:
            evidence = gauge.measured.evidence()
            site.unit = str(evidence.unit) if evidence is not None else None
            site.frame = gauge.frame.text
            if unit is None and not birth.converted:
                unit = site.unit
        elif unit is None and birth.kind == "declaration" and not birth.converted and born.slot:
            evidence = declared(self.models, born.slot)
            unit = evidence.shown if evidence is not None else None
        return Input(name, born, tuple(via), unit, site.frame), births

    def _unit(self, expr: Expr, formula: FormulaSite) -> str | None:
        """The unit of an expression as text; a weak guess is marked with a question mark."""
        evidence = self.units.infer(expr, formula.file, formula.statement, deep=True)
        return evidence.shown if evidence is not None else None

    def _unit_of_inputs(self, expr: Expr, formula: FormulaSite, inputs: list[Input]) -> str | None:
        """The unit by those of the inputs, some of which are known by their birth alone."""
        born = {one.name: unit for one in inputs if one.born is not None and (unit := _sure(one.unit)) is not None}

        def unit_of(leaf: Expr) -> Evidence | None:
            unit = born.get(dotted(leaf) or "")
            found = self.units.infer(leaf, formula.file, formula.statement, deep=True) if unit is None else None
            return Evidence(unit, Strength.FUNCTION, "as it was born", leaf.span) if unit is not None else found

        evidence = infer(expr, unit_of)
        return evidence.shown if evidence is not None else None

    def rows(self, sites: SiteReports) -> tuple[Formula, ...]:
        """The formulas whose sites are kept; the slice must have its places joined."""
        checks = Checks(self.slicer.slice, sites.conditions)
        found = []
        for key, formula in self.slicer.slice.formulas.items():
            number = sites.id_of(key)
            if number is not None:
                found.append((formula.hops, key.file.path, key.span, self._row(key, formula, number, sites, checks)))
        return tuple(row for *_, row in sorted(found, key=lambda one: one[:3]))

    def _row(self, key: SiteKey, formula: FormulaSite, number: str, sites: SiteReports, checks: Checks) -> Formula:
        inputs = tuple(
            FormulaInput(
                one.name,
                sites.id_of(one.born) if one.born is not None else None,
                one.unit,
                one.frame,
                tuple(filter(None, map(sites.id_of, one.via))),
            )
            for one in self._inputs.get(key, ())
        )
        expression = whole(formula)
        own = formula.file.source.slice(expression.span)
        statement = formula.file.statement(formula.statement)
        # An augmented assignment is read as the operation it stands for, which no span of the source spells.
        text = one_line(text_of(expression) if expression.span == statement.span else own)
        unit = self._unit(whole(formula), formula)
        if unit is None or unit.endswith("?"):
            by_inputs = self._unit_of_inputs(whole(formula), formula, self._inputs.get(key, []))
            unit = by_inputs if unit is None or (by_inputs is not None and not by_inputs.endswith("?")) else unit
        verdict = self.negatives.of(whole(formula), formula.file, formula.statement, formula.stack)
        negative = Negative(verdict.verdict, verdict.condition, verdict.witness)
        guard = checks.first(key) if verdict.verdict != "no" else None
        return Formula(number, formula.target, text, unit, inputs, negative, sites.id_of(guard) if guard else None)


def _sure(text: str | None) -> Unit | None:
    """The unit that a text spells; nothing for a guess or a scale without a name. GB is what 10**9 and 2**30 are printed as."""
    if text is None or text.endswith("?"):
        return None
    try:
        return parse_unit(f"{text}?" if text in ("GB", "MB", "KB") else text)
    except UnitError:
        return None


def whole(formula: FormulaSite) -> Expr:
    """The expression to read as the formula: the bound value around the arithmetic, with its conversions and conditionals."""
    statement = formula.file.statement(formula.statement)
    for binding in statement.bindings:
        if binding.how == "augment" and binding.operator is not None and binding.value is not None and not is_text(binding.value):
            if any(side.span.contains(formula.expression.span) for side in (binding.target, binding.value)):
                return ir.Binary(statement.span, binding.operator, binding.target, binding.value)
        if binding.value is not None and binding.value.span.contains(formula.expression.span) and _is_simple(binding.value):
            return binding.value
    for value in statement.values:
        if value.span.contains(formula.expression.span) and _is_simple(value) and statement.kind == "return":
            return value
    return formula.expression


def _is_simple(value: Expr) -> bool:
    if isinstance(value, ir.Call):
        return (dotted(value.func) or "").rpartition(".")[2] in NUMERIC
    return isinstance(value, ir.Binary | ir.Unary | ir.Conditional | ir.Boolean | ir.Name | ir.Attribute | ir.Const)


def leaves(expr: Expr) -> list[Expr]:
    """The inputs of a formula: its operands that are not arithmetic themselves; literals are no inputs, each text counts once."""
    found: dict[str, Expr] = {}
    pending = [expr]
    while pending:
        node = pending.pop()
        match node:
            case ir.Const() | ir.Format():
                continue
            case ir.Binary() | ir.Unary() | ir.Boolean():
                pending += reversed(node.children())
            case ir.Conditional():
                pending += [node.orelse, node.body]
            case ir.Walrus() | ir.Await():
                pending.append(node.value)
            case ir.Call() if (dotted(node.func) or "").rpartition(".")[2] in NUMERIC:
                pending += [argument.value for argument in reversed(node.args)]
            case ir.Collection():
                pending += reversed(node.items)
            case ir.Compare() | ir.Comprehension() | ir.Lambda():
                continue
            case _:
                text = dotted(node) or f"{node.span}"
                found.setdefault(text, node)
    return list(found.values())


__all__ = ["ANY", "FormulaReports", "leaves", "whole"]
