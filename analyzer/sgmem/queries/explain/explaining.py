"""Computes an explanation: finds the formula, runs it for the given inputs, and asks it for thresholds and causes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.execution.context import Context
from sgmem.domains.execution.inputs import LENGTH
from sgmem.domains.execution.presumption import asks_for_none
from sgmem.domains.program_facts import ProgramFacts, text_questions
from sgmem.flow.aside import is_aside
from sgmem.program.program import Program
from sgmem.queries.explain.given import Given, all_given, parse_given
from sgmem.queries.explain.guards import guards_of
from sgmem.queries.explain.meaning import Meanings
from sgmem.queries.explain.observed import observe
from sgmem.queries.explain.oddities import given_none, oddities, refuse_text
from sgmem.queries.explain.rows import Rows, as_number
from sgmem.queries.explain.run import Run
from sgmem.queries.explain.solving import Solver
from sgmem.queries.explain.target import Target, find_target, passed_for
from sgmem.queries.names import plain_name, similar
from sgmem.queries.own_models import models_with
from sgmem.queries.results.explain import CodePlace, Explain, Result
from sgmem.queries.sites import source_info
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from sgmem.domains.execution.values import Known
    from sgmem.domains.units.unit import Unit
    from sgmem.program.files import Files
    from sgmem.program.text_answers import TextQuestion
    from sgmem.queries.options import ExplainOptions
    from sgmem.source.tree import SourceTree

MAX_FLIPS = 64
MAX_CALLERS = 6
MAX_HELP = 160


def questions(options: ExplainOptions) -> tuple[TextQuestion, ...]:
    """What an explanation may ask about the texts of files."""
    return text_questions(models_with(options.own))


def compute(tree: SourceTree, text: str, options: ExplainOptions) -> tuple[Explain, Files]:
    """Explain a target; see `explain`. With the files that were read."""
    report = options.progress or (lambda _: None)
    text = plain_name(text)
    given = all_given(options.given, options.exact)
    observed = _observed(options, text)
    models = models_with(options.own)
    program = Program(tree, tuple(tree.files), models.config)
    context = Context(ProgramFacts(program, models))
    report("looking for the formula")
    plain = {name: one.value for name, one in given.items()}
    target = find_target(tree, context, text, lambda target: _fit(context, target, plain))
    _check_names(tree, context, target, plain)
    report("following the formula")
    return Explaining(tree, context, target, text, given).explained(observed), program.files


def _observed(options: ExplainOptions, text: str) -> Given | None:
    if options.observed is None:
        return None
    found = parse_given(options.observed, options.exact)
    if found.name.rpartition(".")[2] != plain_name(text).rpartition(":")[2].rpartition(".")[2]:
        raise UsageError(f"--observed is for the target {text}, not for {found.name}", hint=f"give {found.name} with --set")
    if not isinstance(found.value, Fraction) or isinstance(found.value, bool):
        raise UsageError(f"--observed needs a number, not {found.text!r}")
    return found


def _check_names(tree: SourceTree, context: Context, target: Target, given: Mapping[str, Known]) -> None:
    """Raises UsageError for a name that the source does not know, and says which it does know."""
    for name in given:
        last = name.removeprefix(LENGTH).removesuffix(")").rpartition(".")[2]
        noted = context.facts.program.files.tree
        if not noted.mentioning(last) and not noted.mentioning(f"_{last}"):
            run = Run(context, target, given)
            needed = [path.rpartition(".")[2] for path in run.machine.inputs.all if run.value is None or path in run.value.inputs]
            close = similar(tree, last)
            hints = [f"{target.name} is computed from {', '.join(needed)}"] if needed else []
            hints += [f"did you mean {' or '.join(close)}?"] if close else []
            said = "; ".join(hints)
            raise UsageError(f"--set {name}: nothing in the source has that name", hint=said or None)


def _fit(context: Context, target: Target, given: Mapping[str, Known]) -> int:
    """How well a formula fits: the given inputs it uses, and that it does not start from its own earlier value."""
    run = Run(context, target, given)
    if run.value is None:
        return -1
    used = len(run.machine.inputs.used & run.value.inputs)
    own = any(row.path.rpartition(".")[2] == target.name for name, row in run.machine.inputs.all.items() if name in run.value.inputs)
    return 4 * used + 2 * (not own) + (run.number is not None)


class Explaining:
    """One target with its inputs."""

    def __init__(self, tree: SourceTree, context: Context, target: Target, text: str, given: Mapping[str, Given]) -> None:
        self.tree = tree
        self.context = context
        self.target = target
        self.text = text
        self.given = dict(given)
        self.meanings = Meanings(context, tree)
        self.notes: list[str] = []
        self.units: dict[str, Unit | None] = {}

    def explained(self, observed: Given | None) -> Explain:
        run = self._main()
        refuse_text(run, self.given)
        self.notes += oddities(run, self.given, self.unit_of)
        rows = Rows(self.context, self.meanings, self.target, run, self.given, self.unit_of)
        unit = rows.unit_of_target()
        solver = Solver(run, self._ranges(run), lambda values: self._rerun(run, values))
        limits = solver.range_of()
        found = observe(self.context, self.meanings, run, solver, limits, self._in_unit(observed, unit), unit, self.unit_of)
        self._note_unused(run)
        number = run.number
        low, high = limits if limits is not None else (number, number)
        return Explain(
            target=self.text,
            source=source_info(self.tree, self.context.program),
            function=self._function(),
            formula=text_of(run.value.expr) if run.value is not None else "",
            result=Result(as_number(number), unit, as_number(low), as_number(high), self._why(run)),
            steps=rows.steps(),
            inputs=rows.inputs(),
            assumptions=rows.assumptions(lambda key, holds: self._flipped(run, key, holds)),
            thresholds=rows.thresholds(solver),
            guards=guards_of(self.context, self.meanings, self.target, run),
            adjustments=rows.adjustments(),
            observed=found,
            notes=tuple(self.notes),
        )

    # -- runs ---------------------------------------------------------------------------------------------------------

    def _main(self) -> Run:
        """The run to tell of: inputs in their own units; of undecided branches one that the inputs suffice for."""
        run = Run(self.context, self.target, self._known())
        if self._renamed(run):
            run = Run(self.context, self.target, self._known())
        if self._converted(run):
            run = Run(self.context, self.target, self._known())
        run = self._with_caller(self._with_arguments(run))
        for _ in range(4):
            better = self._better(run)
            if better is None:
                break
            run = better
        return run

    def _with_arguments(self, run: Run) -> Run:
        """Where parameters are missing: what a caller calculates for them, the one in which most of the given inputs count."""
        parameters = {parameter.name for parameter in self.target.function.parameters}
        for name in [name for name in run.missing if name in parameters]:
            if not set(self.given) - run.machine.inputs.used:
                break
            for passed in passed_for(self.context, self.target.function, name)[:MAX_CALLERS]:
                target = msgspec.structs.replace(self.target, passed=(*self.target.passed, passed))
                other = Run(self.context, target, self._known())
                if other.value is not None and other.machine.inputs.used > run.machine.inputs.used:
                    self.target, run = target, other
                    break
        if self.target.passed and self._converted(run):
            run = Run(self.context, self.target, self._known())
        return run

    def _with_caller(self, run: Run) -> Run:
        """Where fields that were set before are missing: the function that calls this one, and perhaps those that set them."""
        fields = [name for name in run.missing if "." in run.machine.inputs.all[name].path]
        function, name = self.target.function, self.target.name
        if not fields or not name or function.owner is None:
            return run
        sites = [site for site in self.context.program.calls.callers(function) if not is_aside(site.file, site.statement)]
        callers = {self.context.program.calls.inside(site.file, site.statement) for site in sites if site.certain}
        caller = next(iter(callers)) if len(callers) == 1 else None
        if caller is None or caller.owner is None or not self.context.program.classes.related(caller.owner, function.owner):
            return run
        outer = Target(caller, name, self.target.shown)
        other = Run(self.context, outer, self._known())
        if other.value is None or not set(other.missing) < set(run.missing):
            return run
        self.target = outer
        return other

    def _better(self, run: Run) -> Run | None:
        """A run with one assumption turned that lacks fewer inputs."""
        lacks = len(run.missing) if run.value is not None else 99
        if not lacks:
            return None
        for key, decision in list(run.machine.decisions.items())[:MAX_FLIPS]:
            if asks_for_none(decision.test.expr, run.machine.inputs.readings):
                continue  # a gauge that does not answer is no usual case
            other = self._flipped(run, key, not decision.holds)
            if other.value is None or other.machine.raised is not None or len(other.missing) >= lacks:
                continue
            # What lacks a little less is not for that reason what the user asks about.
            if run.value is None or not other.missing or other.machine.inputs.used > run.machine.inputs.used:
                return other
        return None

    def _flipped(self, run: Run, key: object, holds: bool) -> Run:
        return Run(self.context, self.target, run.given, {**run.assumed, key: holds})  # type: ignore[dict-item]

    def _rerun(self, run: Run, values: Mapping[str, Fraction]) -> Run:
        """The same with other values of some inputs, by the names that the formula has for them."""
        assumed = {key: decision.holds for key, decision in run.machine.decisions.items()}
        paths = {row.name: (row.given or row.path) for row in run.machine.inputs.all.values()}
        keys = {name: plain_path(paths.get(name, name)) for name in values}
        changed: dict[str, Known] = {keys[name]: value for name, value in values.items()}
        labels = {key: name for name, key in keys.items()}
        return Run(self.context, self.target, {**changed, **run.given, **changed}, assumed, labels)

    def _known(self) -> dict[str, Known]:
        return {name: one.value for name, one in self.given.items()}

    def _renamed(self, run: Run) -> bool:
        """Give inputs that lack a value the one that was given under a name their value had on its way here."""
        changed = False
        for name in [name for name in self.given if name not in run.machine.inputs.used]:
            for missing in run.missing:
                row = run.machine.inputs.all[missing]
                births = self.meanings.births(row)
                passed = {hop.text.rpartition(".")[2].removesuffix("()") for birth in births[:1] for hop in birth.hops}
                if name in passed and missing not in self.given:
                    one = self.given.pop(name)
                    self.given[missing] = Given(missing, one.text, one.value, one.low, one.high, one.unit)
                    self.notes.append(f"{missing} is what was given as {name}: its value comes that way")
                    changed = True
                    break
        return changed

    def _converted(self, run: Run) -> bool:
        """Bring values that were given with a unit to the unit of their input. Says whether anything changed."""
        changed = False
        for name, one in list(self.given.items()):
            row = run.machine.inputs.all.get(name)
            if one.unit is None or row is None:
                continue
            unit = self.unit_of(name, run)
            if unit is None:
                self.notes.append(f"the unit of {name} is not known from the source; {one.text} is taken as the number it is")
            elif unit.powers != one.unit.powers:
                raise UsageError(f"--set {name}={one.text}: {name} is counted in {unit}, not in {one.unit}")
            elif unit.scale != one.unit.scale:
                self.given[name] = one.scaled(one.unit.scale / unit.scale)
                changed = True
        return changed

    def unit_of(self, name: str, run: Run) -> Unit | None:
        """The unit of an input of a run."""
        if name not in self.units:
            row = run.machine.inputs.all.get(name)
            self.units[name] = self.meanings.unit(row) if row is not None else None
        return self.units[name]

    def _in_unit(self, observed: Given | None, unit: str | None) -> Given | None:
        if observed is None or observed.unit is None:
            return observed
        from sgmem.domains.units.unit import UnitError, parse_unit

        try:
            own = parse_unit(unit or "")
        except UnitError:
            self.notes.append(f"the unit of {self.text} is not known from the source; {observed.text} is taken as the number it is")
            return observed
        if own.powers != observed.unit.powers:
            raise UsageError(f"--observed {observed.name}={observed.text}: it is counted in {own}, not in {observed.unit}")
        return observed.scaled(observed.unit.scale / own.scale)

    def _ranges(self, run: Run) -> dict[str, tuple[Fraction, Fraction]]:
        return {
            name: (one.low, one.high)
            for name, one in self.given.items()
            if isinstance(one.value, Fraction) and name in run.machine.inputs.all
        }

    # -- words --------------------------------------------------------------------------------------------------------

    def _function(self) -> CodePlace:
        file, scope = self.target.function.file, self.target.function.scope
        at = Location(file, scope.first, scope.span)
        return CodePlace(at.path, self.tree.files[at.path].uri, at.line, at.symbol, at.first_line.strip())

    def _why(self, run: Run) -> str:
        if run.value is None:
            return f"{self.text} is not set on this branch"
        if run.number is not None:
            return ""
        nothing = given_none(run, self.given)
        if nothing:
            return f"{nothing[0]} is given as None, which cannot be calculated with: the source ends in a TypeError here"
        if run.missing:
            return f"missing: {', '.join(run.missing)}"
        try:
            run.evaluated()
        except Unsupported as error:
            return error.reason
        return "it is no number for these inputs"

    def _replaced(self, name: str) -> str:
        """What the help of an option says of another one in its place."""
        option = self.context.options.added(name.rpartition(".")[2])
        if option is None or "deprecated" not in option.help.lower():
            return ""
        return f". Its help says: {option.help[:MAX_HELP]}"

    def _note_unused(self, run: Run) -> None:
        operands = run.value.inputs if run.value is not None else frozenset()
        if self.target.name in self.given:
            self.notes.append(f"{self.target.name} itself is given: nothing is left to compute, leave it out or use --observed")
        for name in self.given:
            if name not in run.machine.inputs.used:
                self.notes.append(
                    f"{name} has no effect on {self.text} on this branch: nothing on the way reads it{self._replaced(name)}"
                )
            elif name not in operands and name not in run.machine.tested:
                self.notes.append(f"{name} has no effect on {self.text} on this branch")


def plain_path(path: str) -> str:
    """A path as a name that inputs are given by."""
    from sgmem.domains.execution.inputs import parts_of

    return ".".join(parts_of(path))


__all__ = ["compute"]
