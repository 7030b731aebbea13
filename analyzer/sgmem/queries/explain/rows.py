"""The rows of an explanation: steps, inputs, assumptions, thresholds, later changes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.control.predicates import TRUE
from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.execution.values import Unknown
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field, LooseField
from sgmem.queries.explain.run import names_of
from sgmem.queries.explain.solving import shown_safely
from sgmem.queries.results.explain import Assumption, CodePlace, ExplainInput, ExplainStep, ThresholdRow
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.execute import TestKey
    from sgmem.domains.execution.values import Input, Known, Step
    from sgmem.domains.units.unit import Unit
    from sgmem.program.files import File
    from sgmem.queries.explain.given import Given
    from sgmem.queries.explain.meaning import Meanings
    from sgmem.queries.explain.run import Run
    from sgmem.queries.explain.solving import Solver
    from sgmem.queries.explain.target import Target
    from sgmem.queries.results.explain import Number

Flip = Callable[["TestKey", bool], "Run"]
UnitOf = Callable[[str, "Run"], "Unit | None"]
MAX_ASSUMPTIONS = 40


class Rows:
    """Makes the rows for one run."""

    def __init__(
        self, context: Context, meanings: Meanings, target: Target, run: Run, given: Mapping[str, Given], unit_of: UnitOf
    ) -> None:
        self.context = context
        self.meanings = meanings
        self.target = target
        self.run = run
        self.given = given
        self._unit_of = unit_of

    def unit_of_target(self) -> str | None:
        """The unit of what the formula computes, where the source proves one."""
        if self.run.value is None:
            return None
        for number in sorted(self.run.value.steps, reverse=True):
            step = self.run.machine.steps[number]
            if step.level == 0:
                return self._unit(step)
        return None

    def _unit(self, step: Step) -> str | None:
        if not isinstance(step.value.known, Fraction) and not names_of(step.value.expr):
            return None
        evidence = self.context.facts.units.infer(step.node, step.file, step.statement, deep=True)
        return str(evidence.unit) if evidence is not None else None

    def steps(self) -> tuple[ExplainStep, ...]:
        """The assignments that the value came about by, in the order of execution."""
        if self.run.value is None:
            return ()
        chosen = [self.run.machine.steps[number] for number in sorted(self.run.value.steps)]
        return tuple(self._step(step) for step in chosen)

    def _step(self, step: Step) -> ExplainStep:
        at = of_statement(step.file, step.statement)
        return ExplainStep(
            text=at.code,
            value=plain(step.value.known),
            unit=self._unit(step),
            path=at.path,
            uri=self.meanings.tree.files[at.path].uri,
            line=at.line,
            symbol=at.symbol,
            target=step.target,
            arithmetic=step.arithmetic,
            level=step.level,
        )

    # -- inputs -------------------------------------------------------------------------------------------------------

    def inputs(self) -> tuple[ExplainInput, ...]:
        """The operands of the formula in its order, then what only decides branches, then what has no effect."""
        value = self.run.value
        operands = names_of(value.expr) if value is not None else ()
        known = self.run.machine.inputs.all
        aside = [name for name in (value.inputs if value is not None else ()) if name not in operands]
        branching = [name for name in known if name in self.run.machine.tested and name not in operands]
        rest = [name for name in known if name in self.given]
        rows: dict[str, ExplainInput] = {}
        for name in (*operands, *sorted(aside), *branching, *rest):
            row = known.get(name)
            if row is not None and name not in rows:
                role = "operand" if name in operands or name in aside else "branch" if name in branching else "none"
                if role == "operand" or row.given is not None or self.meanings.option(row) is not None:
                    rows[name] = self._input(row, role)
        for name, one in self.given.items():
            rows.setdefault(name, ExplainInput(name, plain(one.value), None, True, "given", "none"))
        return tuple(rows.values())

    def _input(self, row: Input, role: str) -> ExplainInput:
        given = self.given.get(row.name)
        option = self.meanings.option(row)
        missing = isinstance(row.known, Unknown) or (row.known is None and role == "operand")
        unit = self._unit_of(row.name, self.run) if role == "operand" or given is not None else None
        limits = (given.low, given.high) if given is not None and isinstance(given.value, Fraction) else None
        log, text, how = self.meanings.log(row, self.run) if role == "operand" and missing else (None, "", "")
        return ExplainInput(
            name=row.name,
            value=plain(row.known),
            unit=str(unit) if unit is not None else None,
            given=given is not None,
            origin="given" if given is not None else "missing" if missing else "default",
            role=role,  # type: ignore[arg-type]
            low=as_number(limits[0]) if limits is not None else None,
            high=as_number(limits[1]) if limits is not None else None,
            meaning=self.meanings.meaning(row) if role == "operand" else None,
            flag=option.flag if option is not None else None,
            log=log,
            log_text=text,
            log_note=how,
            place=self.meanings.place(row),
        )

    # -- branches -----------------------------------------------------------------------------------------------------

    def assumptions(self, flip: Flip) -> tuple[Assumption, ...]:
        """The undecided tests that matter: with the other outcome the formula is another one."""
        found = []
        own = self._formula(self.run)
        for key, decision in list(self.run.machine.decisions.items())[:MAX_ASSUMPTIONS]:
            other = flip(key, not decision.holds)
            if other.value is None or (self._formula(other) == own and other.machine.raised is self.run.machine.raised):
                continue
            at = Location(decision.file, decision.statement, decision.test.expr.span)
            text = text_of(decision.test.expr)
            found.append(Assumption(text, decision.holds, at.path, at.line, as_number(other.number), other.missing))
        return tuple(found)

    def _formula(self, run: Run) -> str:
        return text_of(run.value.expr) if run.value is not None else ""

    # -- thresholds ---------------------------------------------------------------------------------------------------

    def thresholds(self, solver: Solver) -> tuple[ThresholdRow, ...]:
        """Where the target turns positive, for each operand with a number; those that a user sets come first."""
        if self.run.value is None or self.run.missing:
            return ()
        rows = []
        for name in names_of(self.run.value.expr):
            row = self.run.machine.inputs.all.get(name)
            if row is None:
                continue
            option = self.meanings.option(row)
            if row.given is None and option is None:
                continue
            try:
                bound = solver.bound(name)
            except Unsupported:
                continue
            value = row.known
            holds = None
            if isinstance(value, Fraction):
                holds = value > bound.value if bound.relation == "above" else value < bound.value
            shown = option.flag if option is not None else name
            text = f"{shown} {bound.relation} {shown_safely(bound.value, bound.relation)}"
            flag = option.flag if option is not None else None
            rows.append(ThresholdRow(name, bound.relation, _exact(bound.value), text, option is not None, flag, holds))
        return tuple(sorted(rows, key=lambda one: not one.controlled))

    # -- afterwards ---------------------------------------------------------------------------------------------------

    def adjustments(self) -> tuple[CodePlace, ...]:
        """Where other functions change the value afterwards, starting from what it is."""
        name = self.target.name
        if not name:
            return ()
        found: dict[tuple[str, int], CodePlace] = {}
        for file, statement, span in self._later(name):
            inside = self.context.program.calls.inside(file, statement)
            if inside == self.target.function or is_aside(file, statement):
                continue
            conditions = self.context.facts.reaches.conditions.of(file, statement)
            when = tuple(dict.fromkeys(render(c.predicate) for c in conditions if c.predicate != TRUE and c.how != "check"))
            found.setdefault((file.path, span.line), self.meanings.code_place(Location(file, statement, span), when))
        return tuple(found.values())

    def _later(self, name: str) -> Iterator[tuple[File, int, ir.Span]]:
        for seen in self.context.facts.occurrences.writes(name):
            binding = seen.binding
            if binding is None or binding.value is None or not isinstance(seen.place, Field | LooseField):
                continue
            if binding.how == "augment" or _scales(binding.value, name):
                yield seen.file, seen.statement, seen.file.statement(seen.statement).span
        if self.context.options.added(name) is None and next(iter(self.context.facts.occurrences.owners(name)), None) is None:
            return
        for file in self.context.program.files.mentioning(name):
            for index in file.mentions(name):
                if f"{name}=" in file.own_text(index).replace(" ", ""):
                    for root in file.statement(index).expressions():
                        for node in ir.walk(root):
                            if isinstance(node, ir.Call):
                                for argument in node.args:
                                    if argument.keyword == name and _scales(argument.value, name):
                                        yield file, index, argument.span


def reads(value: ir.Expr, name: str) -> bool:
    return any(isinstance(node, ir.Attribute) and node.attr == name for node in ir.walk(value))


def _scales(value: ir.Expr, name: str) -> bool:
    return isinstance(value, ir.Binary) and reads(value, name)


_LARGEST_INTEGER = 2**63
"""What JSON writers and readers take as a whole number; beyond it a float says enough."""


def as_number(value: Fraction | None) -> Number | None:
    return None if value is None else _exact(value)


def _exact(value: Fraction) -> Number:
    return int(value) if value.denominator == 1 and abs(value) < _LARGEST_INTEGER else float(value)


def plain(known: Known) -> Number | str | bool | None:
    """A known value for a report; lists and what is not known are None."""
    if isinstance(known, Fraction):
        return _exact(known)
    return known if isinstance(known, bool | str) else None
