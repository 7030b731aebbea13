"""What is known of a program's memory accounting: the layers below, composed. Rules select from it and word."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.activations import Activations
from sgmem.domains.accounting.amount_statements import AmountStatements
from sgmem.domains.accounting.candidates import Candidates
from sgmem.domains.accounting.claims import Claims
from sgmem.domains.accounting.definitions import Definitions, inputs
from sgmem.domains.accounting.events import Events
from sgmem.domains.accounting.formulas import FormulaExpression, formulas_in
from sgmem.domains.accounting.gauges import Gauges
from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.options import Options
from sgmem.domains.accounting.quantities import Quantities, QuantityNames
from sgmem.domains.accounting.reach import Reach, Reaches
from sgmem.domains.accounting.units import Units
from sgmem.domains.defects.guards.negative import NegativeVerdicts
from sgmem.domains.defects.order.timing import MixedTimes, Timing
from sgmem.domains.defects.ranks.count_hints import CountHints
from sgmem.domains.defects.units.contradictions import Contradiction, LostConversion, contradictions, lost_conversions
from sgmem.domains.defects.units.mismatches import UnitMismatch, mismatches
from sgmem.domains.startup.expansion import FunctionNames
from sgmem.domains.units.evidence import Strength
from sgmem.flow.births import Births
from sgmem.flow.guards import Conditions
from sgmem.flow.measurements import Measurements
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.order import Order
from sgmem.flow.steps import Stepper
from sgmem.flow.uses import Uses
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.decisions import Decision, Decisions
    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.defects.provenance.overrides import SettingChange
    from sgmem.domains.defects.ranks.rank_scope import RankScope
    from sgmem.domains.estimate.books import Books
    from sgmem.domains.estimate.uncharged import Uncharged
    from sgmem.domains.ranges.negative import NegativeVerdict
    from sgmem.domains.units.evidence import Evidence
    from sgmem.flow.birth import Birth
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.program.text_answers import TextQuestion
    from sgmem.syntax.ir import Expr


class Origin(msgspec.Struct, frozen=True):
    """Where the value of an input was born and as what; `gauge` is set for a measurement. `hops` lead from there to the
    formula.
    """

    kind: str
    location: Location
    gauge: Gauge | None
    hops: tuple[Location, ...]


class Input:
    """One value that a formula combines, local definitions put in place: its name as the source spells it."""

    def __init__(self, owner: ProgramFacts, leaf: Expr, file: File, statement: int) -> None:
        self._owner = owner
        self._leaf = leaf
        self._file = file
        self._statement = statement

    @property
    def leaf(self) -> Expr:
        return self._leaf

    @property
    def name(self) -> str:
        return dotted(self._leaf) or self.location.code

    @property
    def location(self) -> Location:
        return Location(self._file, self._statement, self._leaf.span)

    @cached_property
    def unit(self) -> Evidence | None:
        """The unit, by what stands in the same function."""
        return self._owner.units.infer(self._leaf, self._file, self._statement)

    @cached_property
    def origins(self) -> tuple[Origin, ...]:
        """Where it was born, the most telling first."""
        births = self._owner.births.of(self._leaf, self._file, self._statement)
        return tuple(self._owner.origin(birth) for birth in births)


class Formula:
    """Arithmetic with amounts of memory whose value is kept. Facts are worked out when they are asked for."""

    def __init__(self, owner: ProgramFacts, expression: FormulaExpression) -> None:
        self._owner = owner
        self._expression = expression
        self._definitions = Definitions(owner.order, owner.occurrences, expression.file, expression.statement)
        self._expanded = self._definitions.expanded(expression.expression)

    @property
    def location(self) -> Location:
        return self._expression.location

    @property
    def target(self) -> str:
        """What receives the value, as the source spells it: a variable, a field, `function()` for a return."""
        return self._expression.target

    @property
    def text(self) -> str:
        return self._expression.text

    @cached_property
    def unit(self) -> Evidence | None:
        """The unit of its value, by what stands in the same function."""
        return self._owner.units.infer(self._expression.expression, self._expression.file, self._expression.statement)

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The values it combines, each name once."""
        found: dict[str, Input] = {}
        for leaf in inputs(self._expanded):
            one = Input(self._owner, leaf, self._expression.file, self._definitions.statement_of(leaf))
            found.setdefault(one.name, one)
        return tuple(found.values())

    @property
    def only_measured(self) -> bool:
        """Whether all inputs are readings: a difference of readings tells what happened in between, or what is used."""
        return all(one.origins and one.origins[0].kind == "measurement" for one in self.inputs)

    @cached_property
    def is_budget(self) -> bool:
        """Whether it takes something off, itself, and has an amount or share that was measured or the user sets."""
        nodes = ir.walk(self._expression.expression)
        subtracts = any(isinstance(node, ir.Binary | ir.Unary) and node.operator == "-" for node in nodes)
        amounts = (one for one in self.inputs if subtracts and _is_amount(one.unit))
        return any(origin.kind in ("measurement", "declaration") for one in amounts for origin in one.origins[:1])

    @cached_property
    def negative(self) -> NegativeVerdict:
        """Whether the value can be negative, whatever is checked afterwards."""
        return self._owner.negatives.of(self._expression.expression, self._expression.file, self._expression.statement)

    @cached_property
    def reach(self) -> Reach:
        """Where the value goes with its sign, and the checks on the way."""
        return self._owner.reaches.of(self._expression)

    @property
    def expanded(self) -> Expr:
        """The arithmetic with local definitions put in place."""
        return self._expanded

    @cached_property
    def mixed_times(self) -> MixedTimes | None:
        """Two inputs measured on either side of something that allocates.

        Looked for where one input is known for a memory amount in the formula's own function, or a share is taken.
        """
        if not any(_is_telling(one.unit) for one in self.inputs):
            return None
        return self._owner.timing.mixed(self._expanded, self._definitions, self._expression.file)


def text_questions(models: Models) -> tuple[TextQuestion, ...]:
    """The questions about their text that the facts put to all files."""
    return AmountStatements(models), QuantityNames(models), CountHints(models), FunctionNames()


class ProgramFacts:
    """The facts of one program."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        self.order = Order(program.names)
        self.occurrences = Occurrences(program)
        measurements = self.measurements = Measurements(program, models)
        conditions = self.conditions = Conditions(program, self.order)
        activations = self.activations = Activations(program, self.order)
        self.events = Events(program, models, activations, conditions)
        self.gauges = Gauges(program, measurements, self.order)
        self.units = Units(program, models, self.gauges, self.order)
        self.births = Births(program, self.occurrences, self.order, measurements.measures)
        self.units.born = self.births.of
        self.negatives = NegativeVerdicts(program, self.occurrences, self.order, self.units, self.births.of)
        self.timing = Timing(self.births, self.gauges, activations, self.events)
        self.reaches = Reaches(
            program,
            models,
            self.occurrences,
            Uses(program, self.occurrences, self.order),
            Stepper(program, self.occurrences),
            conditions,
        )

    @cached_property
    def candidates(self) -> Candidates:
        return Candidates(self.program, self.models)

    @cached_property
    def statements(self) -> tuple[tuple[File, int], ...]:
        """The statements that calculate with amounts of memory."""
        return tuple(self.candidates.statements())

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas with an input that is known to be an amount of memory or a share."""
        found = (Formula(self, expression) for file, statement in self.statements for expression in formulas_in(file, statement))
        return tuple(formula for formula in found if any(_is_amount(one.unit) for one in formula.inputs))

    def subtractions(self) -> Iterator[Formula]:
        """The formulas that take something off, whatever of: what a budget must do."""
        for file, statement in self.statements:
            if "-" in file.own_text(statement):
                for expression in formulas_in(file, statement):
                    yield Formula(self, expression)

    def unit_mismatches(self) -> Iterator[UnitMismatch]:
        """Amounts that meet although their units disagree, comparisons included."""
        for file, statement in self.statements:
            yield from mismatches(self.units, file, statement)

    @cached_property
    def quantities(self) -> Quantities:
        """The names that keep quantities of memory."""
        return Quantities(self.program, self.models)

    @cached_property
    def options(self) -> Options:
        """What a user sets, by which flag."""
        return Options(self.program)

    def decisions(self, name: str, path: str) -> tuple[Decision, ...]:
        """Every statement of a file's functions that sets a field of that name."""
        return self._decisions.of(name, path)

    @cached_property
    def _decisions(self) -> Decisions:
        from sgmem.domains.accounting.decisions import Decisions

        return Decisions(self)

    @cached_property
    def books(self) -> Books:
        """What estimates charge, beside what building the pools allocates."""
        from sgmem.domains.estimate.books import Books

        return Books(self.program, self.models)

    @cached_property
    def uncharged(self) -> tuple[Uncharged, ...]:
        """Dimensions of what pools allocate that no estimate of bytes per token or request charges."""
        from sgmem.domains.estimate.uncharged import uncharged

        return tuple(uncharged(self))

    @cached_property
    def setting_changes(self) -> tuple[SettingChange, ...]:
        """Settings that are changed whether or not the user gave them."""
        from sgmem.domains.defects.provenance.overrides import setting_changes

        return tuple(setting_changes(self))

    def formulas_inside(self, functions: frozenset[tuple[str, int]]) -> Iterator[Formula]:
        """The formulas of some functions, given by path and scope."""
        paths = sorted({path for path, _ in functions})
        for file, statement in Candidates(self.program, self.models).statements_of(paths):
            if (file.path, file.outline.statements[statement].scope) in functions:
                for expression in formulas_in(file, statement):
                    yield Formula(self, expression)

    def readings(self, call: ir.Call, file: File, statement: int) -> Iterator[Gauge]:
        """Every value that a measuring call gives."""
        row = self.measurements.row(call, file, file.outline.statements[statement].scope)
        for result in row.results if row is not None else ():
            gauge = self.gauges.part(call, result.index, file, statement, result.attribute)
            if gauge is not None:
                yield gauge

    @cached_property
    def unit_contradictions(self) -> tuple[Contradiction, ...]:
        """Values that are in another unit than their name, parameter, label or function says."""
        from sgmem.domains.defects.units.doc_contradictions import doc_contradictions

        claims = Claims(self.program, self.models)
        said = self.candidates.claiming()
        found = (one for file, statement in said for one in contradictions(self.units, claims, file, statement))
        return (*found, *doc_contradictions(dict.fromkeys(file for file, _ in self.candidates.touched), self.units))

    def sibling_arguments(self) -> Iterator[Contradiction]:
        """Amounts that are handed to a function in another unit than by its other calls."""
        from sgmem.domains.defects.units.sibling_arguments import sibling_arguments

        for file, statement in self.candidates.claiming():
            yield from sibling_arguments(self.units, file, statement)

    @cached_property
    def lost_conversions(self) -> tuple[LostConversion, ...]:
        """Products and quotients of amounts whose result is in no unit."""
        products = self.candidates.products()
        return tuple(found for file, statement in products for found in lost_conversions(self.units, file, statement))

    @cached_property
    def ranks(self) -> RankScope:
        """Numbers of some ranks that are used for others."""
        from sgmem.domains.defects.ranks.rank_scope import RankScope

        return RankScope(self)

    def origin(self, birth: Birth) -> Origin:
        hops = tuple(Location(hop.file, hop.statement, hop.span) for hop in reversed(birth.hops))
        return Origin(birth.kind, Location(birth.file, birth.statement, birth.span), self.gauges.of_birth(birth), hops)


def _is_telling(evidence: Evidence | None) -> bool:
    """Whether it is a share, or an amount by more than its name."""
    if evidence is None:
        return False
    proven = evidence.strong and evidence.strength >= Strength.CONVERSION
    return evidence.unit.fraction or (evidence.unit.is_amount and proven)


def _is_amount(evidence: Evidence | None) -> bool:
    return evidence is not None and (evidence.unit.is_amount or evidence.unit.fraction)
