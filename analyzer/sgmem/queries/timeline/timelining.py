"""Computes a timeline: expands the root, puts its steps in a line, and looks for the formulas that its readings enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.config.errors import NothingAnalysed
from sgmem.domains.program_facts import ProgramFacts, text_questions
from sgmem.domains.startup.balance import Balance, balances
from sgmem.domains.startup.expansion import Expander
from sgmem.domains.startup.moments import Line
from sgmem.domains.startup.roots import chosen, named
from sgmem.program.files import dotted
from sgmem.program.program import Program
from sgmem.queries.names import shortened, similar
from sgmem.queries.own_models import models_with
from sgmem.queries.results.timeline import Reading, ReadingInput, Timeline, TimelineFormula, TimelineSpan, TimelineStep
from sgmem.queries.sites import source_info
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.program_facts import Formula
    from sgmem.domains.startup.moments import Moment
    from sgmem.domains.startup.steps import Startup
    from sgmem.program.files import Files
    from sgmem.program.text_answers import TextQuestion
    from sgmem.queries.options import TimelineOptions
    from sgmem.source.tree import SourceTree


def questions(options: TimelineOptions) -> tuple[TextQuestion, ...]:
    """What a timeline may ask about the texts of files."""
    return text_questions(models_with(options.own))


def compute(tree: SourceTree, root: str | None, options: TimelineOptions) -> tuple[Timeline, Files]:
    """See `timeline`; with the files that were read."""
    progress = options.progress or (lambda _: None)
    models = models_with(options.own)
    program = Program(tree, tuple(tree.files), models.config)
    facts = ProgramFacts(program, models)
    expander = Expander(facts)
    progress("following the start-up")
    startup = _startup(expander, facts, root, options, tree)
    line = Line(startup, models.roles.rows)
    progress("looking for what the measurements feed")
    found = list(balances(line, [one for one in facts.formulas_inside(expander.functions) if one.inputs]))
    rows = tuple(_formula(one, f"f{number}", tree) for number, one in enumerate(found, 1))
    feeds: dict[int, list[str]] = {}
    for number, balance in enumerate(found, 1):
        for taken in balance.taken:
            feeds.setdefault(taken.moment.number, []).append(f"f{number}")
    steps = tuple(_step(moment, feeds.get(moment.number, []), tree) for moment in line.moments)
    at = startup.location
    return Timeline(startup.root, at.path, at.line, source_info(tree, program), steps, rows, startup.complete), program.files


def _startup(expander: Expander, facts: ProgramFacts, root: str | None, options: TimelineOptions, tree: SourceTree) -> Startup:
    if root is None:
        startup = chosen(expander, facts)
        if startup is None:
            hint = "name a function or class: sgmem timeline ROOT, or set roots in [tool.sgmem]"
            raise NothingAnalysed(f"no start-up that the models know is in {tree.root}", hint=hint)
        return startup
    found = named(facts, root)
    if not found:
        close = similar(tree, root.rpartition(":")[2].rpartition(".")[2], defined=True)
        raise NothingAnalysed(f"no function or class of {tree.root} is called {shortened(root)!r}", candidates=close)
    if len(found) > 1:
        names = [f"{function.qualified}" for function, _ in found]
        raise NothingAnalysed(f"{root!r} is ambiguous", candidates=names)
    return expander.expand(*found[0])


def _id(moment: Moment | None) -> str | None:
    return f"t{moment.number}" if moment is not None else None


def _step(moment: Moment, feeds: list[str], tree: SourceTree) -> TimelineStep:
    step, at = moment.step, moment.step.location
    return TimelineStep(
        id=f"t{moment.number}",
        parent=_id(moment.parent),
        kind=moment.kind,
        effect=step.row.effect if step.row is not None else None,
        where=moment.where,
        name=step.name,
        target=step.target,
        path=at.path,
        uri=tree.files[at.path].uri,
        line=at.line,
        column=at.column,
        end_line=at.span.end_line,
        end_column=at.span.end_column,
        symbol=at.symbol,
        code=at.code,
        when=step.when,
        repeats=step.loop,
        certain=moment.certain,
        role=moment.role,
        readings=tuple(_reading(gauge) for gauge in step.gauges),
        stored=_stored(moment) if step.kind == "measurement" else None,
        feeds=tuple(feeds),
        same_as=_id(moment.same_as),
    )


def _reading(gauge: Gauge) -> Reading:
    frame = gauge.frame
    return Reading(
        frame.quantity, gauge.measured.result.unit, frame.statistic, frame.scope, frame.reduction, frame.reduction_when,
        frame.device, frame.hygiene,
    )  # fmt: skip


def _stored(moment: Moment) -> str | None:
    """What receives the reading, as the source spells it; `return` where the function gives it back at once."""
    at = moment.step.location
    statement = at.file.statement(at.statement)
    for binding in statement.bindings:
        if binding.value is not None and binding.value.span.contains(at.span):
            items = binding.target.items if isinstance(binding.target, ir.Collection) else (binding.target,)
            return ", ".join(filter(None, map(dotted, items))) or None
    return "return" if statement.kind == "return" else None


def _formula(balance: Balance, number: str, tree: SourceTree) -> TimelineFormula:
    formula: Formula = balance.formula
    at = formula.location
    inputs = tuple(
        ReadingInput(one.input.name, f"t{one.moment.number}", f"{one.gauge.measured.result.unit}, {one.gauge.frame.text}")
        for one in balance.taken
    )
    spans = tuple(
        TimelineSpan(
            _id(span.after.moment) if span.after else None,
            _id(span.before.moment) if span.before else None,
            tuple(f"t{event.number}" for event in span.events),
            span.effect_text,
            span.certain,
        )
        for span in balance.spans
    )
    unit = formula.unit.shown if formula.unit is not None else None
    uri = tree.files[at.path].uri
    return TimelineFormula(number, formula.target, _text(formula), at.path, uri, at.line, at.symbol, inputs, spans, unit)


def _text(formula: Formula) -> str:
    """The arithmetic; of `total += part` the sum that it stands for."""
    at = formula.location
    augmented = next((one.operator for one in at.file.statement(at.statement).bindings if one.how == "augment"), None)
    return f"{formula.target} {augmented} {formula.text}" if augmented else formula.text
