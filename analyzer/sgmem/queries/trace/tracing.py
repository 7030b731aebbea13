"""Computes a trace: seeds, the forward slice, births, formulas, and the result put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.config.errors import NothingAnalysed
from sgmem.flow.bulk import BulkWrites
from sgmem.flow.carried import drop_idle
from sgmem.flow.frontier import Budget
from sgmem.flow.places import Field, LooseField, Parameter
from sgmem.flow.seeds import Seeds
from sgmem.flow.slicer import Slicer
from sgmem.flow.wanted import Wanted, full_name
from sgmem.models.load import Models
from sgmem.program.entities import Function
from sgmem.program.program import Program
from sgmem.queries.names import last_of, occurs, shortened, similar
from sgmem.queries.options import TraceOptions
from sgmem.queries.own_models import models_with
from sgmem.queries.results.trace import AfterConstruction, Trace, Unresolved
from sgmem.queries.sites import SiteReports, source_info
from sgmem.queries.trace.backward import BackwardSlice
from sgmem.queries.trace.formulas import FormulaReports
from sgmem.queries.trace.records import declared_in_records
from sgmem.queries.trace.selection import keep
from sgmem.queries.trace.site_units import SiteUnits
from sgmem.queries.trace.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.flow.construction import Construction
    from sgmem.flow.graph import SiteKey
    from sgmem.flow.step import Step
    from sgmem.program.files import File
    from sgmem.source.tree import SourceTree

MAX_CANDIDATES = 12
UNREAD = "too long, too deeply nested or too new to be read"


class Analysis:
    """One program with its models and one slice: what the parts of a trace share."""

    def __init__(self, tree: SourceTree, models: Models, budget: Budget) -> None:
        self.tree = tree
        self.models = models
        self.program = Program(tree, tuple(tree.files), models.config)
        self.slicer = Slicer(self.program, budget, self._is_gauge, self._sized)

    def _is_gauge(self, function: Function) -> bool:
        return self.models.measurements.find(function.qualified) is not None

    def _sized(self, step: Step, file: File, statement: int) -> str | None:
        """What an argument sizes, by the model rows: the constructor of a pool, or a function outside the program that allocates. What
        a pool's own methods allocate is the pool."""
        target = step.target
        if isinstance(target, Parameter):
            row = self.models.sinks.find(target.function.qualified) if target.function.name == "__init__" else None
            return row.kind if row is not None and (not row.sizes or target.name in row.sizes) else None
        if target is not None or step.given is None:
            return None
        for row in filter(None, map(self.models.sinks.find, step.callees)):
            if not row.sizes or step.given in row.sizes or (row.spread and isinstance(step.given, int)):
                function = self.program.calls.inside(file, statement)
                return "pool" if function is not None and self._is_of_pool(function) else row.kind
        return None

    def _is_of_pool(self, function: Function) -> bool:
        """Whether a function is a method of a class that the model rows know as a pool."""
        family = self.program.classes.mro(function.owner) if function.owner is not None else ()
        rows = (self.models.sinks.find(f"{each.qualified}.__init__") for each in family)
        return any(row is not None and row.kind == "pool" for row in rows)


def analysis_of(tree: SourceTree, options: TraceOptions) -> Analysis:
    return Analysis(tree, models_with(options.own), budget_for(options))


def compute(analysis: Analysis, name: str, options: TraceOptions) -> Trace:
    """Trace a parameter; see `trace`."""
    report = options.progress or (lambda _: None)
    slicer = analysis.slicer
    wanted = Wanted(name)
    if options.to is not None and not occurs(analysis.tree, options.to):
        unknown = f"--to: nothing in {analysis.tree.root} is called {shortened(options.to)!r}"
        raise NothingAnalysed(unknown, candidates=similar(analysis.tree, last_of(options.to)))
    report(f"looking for {wanted.bare}")
    seeds = planted(analysis, wanted)
    report("following values")
    slicer.run()
    seeds.plant_literals()
    for place in list(slicer.slice.seeds):
        if isinstance(place, Field):
            BulkWrites(slicer, wanted.bare).plant(place)
    slicer.run()
    drop_idle(slicer.slice)
    backward = BackwardSlice(analysis.program, slicer, analysis.models)
    formulas = FormulaReports(analysis.program, slicer, backward, analysis.models)
    if options.hops != "all" and options.to is None:
        Telling(analysis.program, slicer.slice, analysis.models, formulas.units).leave_out_others()
    if options.direction != "forward":
        report("following values back")
        backward.follow_seeds()
    report("reading formulas")
    formulas.collect()
    backward.derive()
    slicer.slice.join_places()
    slicer.slice.grade_ways()
    return assemble(analysis, name, formulas, options)


def planted(analysis: Analysis, wanted: Wanted) -> Seeds:
    """The seeds of a NAME, planted. Raises `NothingAnalysed` where it means nothing, or, being qualified, more than one place."""
    slicer, tree = analysis.slicer, analysis.tree
    seeds = Seeds(slicer, wanted.bare)
    unknown = f"nothing in {tree.root} is called {shortened(wanted.text)!r}"
    if not wanted.bare.isidentifier():
        raise NothingAnalysed(unknown)
    if wanted.is_qualified:
        bearers = dict.fromkeys(seeds.bearers())
        seeds.wanted, names = wanted.choose(analysis.program, bearers)
        if not names:
            full = sorted({full_name(place) for place in bearers if not isinstance(place, LooseField)})
            raise NothingAnalysed(unknown, candidates=full[:MAX_CANDIDATES] or similar(tree, wanted.bare))
        if len(names) > 1:
            raise NothingAnalysed(f"{shortened(wanted.text)!r} may mean any of {len(names)} places", candidates=names[:MAX_CANDIDATES])
    seeds.plant()
    if not slicer.slice.seeds and not slicer.slice.sites:
        seeds.plant_literals()
    if not slicer.slice.seeds and not slicer.slice.sites:
        raise NothingAnalysed(unknown, hint=hint_about(analysis, wanted.bare), candidates=similar(tree, wanted.bare))
    return seeds


def hint_about(analysis: Analysis, name: str) -> str | None:
    """Why a name may not have been found."""
    files = analysis.program.files
    if name in files.class_names:
        return f"{name} is a class: name one of its fields"
    unread = sorted(files.opaque(name))
    if unread:
        return "{}:{} holds it, and is {}".format(*unread[0], UNREAD)
    lost = sorted({row.path for row in analysis.tree.unreadable} | set(files.unreadable))
    return f"{len(lost)} file{'s' * (len(lost) > 1)} that may hold it could not be read, the first is {lost[0]}" if lost else None


def budget_for(options: TraceOptions) -> Budget:
    """A path to one callee is worth a longer search, through the objects on the way; where a parameter comes from takes only itself."""
    if options.direction == "back":
        return Budget(depth=options.depth, computed=False)
    if options.to is not None:
        return Budget(depth=options.depth, derivations=5, fields=3, through_constructors=True, sites=None, reads=None)
    return Budget(depth=options.depth)


def assemble(analysis: Analysis, name: str, formulas: FormulaReports, options: TraceOptions) -> Trace:
    """Number the sites and put the result together."""
    slicer = analysis.slicer
    sites = SiteReports(analysis.program, slicer, analysis.tree)
    kept = keep(slicer.slice, options)
    SiteUnits(slicer, formulas.units, analysis.models).fill(kept)
    sites.number(kept)
    after = construction_reports(slicer, sites)
    flows = sites.flows()
    stopped = {*slicer.slice.unresolved, *((path, line, UNREAD) for path, line in analysis.program.files.opaque(Wanted(name).bare))}
    unresolved = tuple(Unresolved(path, line, why) for path, line, why in sorted(stopped))
    home, others = declared_in_records(analysis.program, (one for one in slicer.slice.seeds if isinstance(one, Field)), options.anchors)
    return Trace(
        parameter=name,
        source=source_info(analysis.tree, analysis.program),
        sites=sites.rows(),
        flows=flows,
        formulas=formulas.rows(sites),
        after_construction=after,
        unresolved=unresolved,
        home=str(home) if home is not None else None,
        records=tuple(map(str, others)),
    )


def construction_reports(slicer: Slicer, sites: SiteReports) -> tuple[AfterConstruction, ...]:
    """The after-construction verdict of every field that bears the name."""
    from sgmem.flow.construction import Construction

    construction = Construction(slicer.program, slicer.occurrences)
    rows = []
    for place in sorted((p for p in slicer.slice.seeds if isinstance(p, Field)), key=str):
        verdict, late = construction.after(place)
        ids = [found for seen in late if (found := sites.id_of_write(seen)) is not None]
        decided = list(decided_late(slicer, construction, place))
        ids += [found for key in decided if (found := sites.id_of(key)) is not None]
        rows.append(AfterConstruction(str(place), "some" if decided else verdict, tuple(dict.fromkeys(ids))))
    return tuple(rows)


def decided_late(slicer: Slicer, construction: Construction, place: Field) -> Iterator[SiteKey]:
    """The writes by name into a bag that is there already: `context.override(size=...)`. What is decided about a record is part of how
    it comes about."""
    program = slicer.program
    if program.classes.is_record(place.owner):
        return
    for key, site in slicer.slice.sites.items():
        if site.kind == "decided" and site.place == place:
            function = program.calls.inside(key.file, site.statement)
            if function is None or construction.constructs(function, place.owner) is False:
                yield key
