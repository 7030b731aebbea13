"""The slice: located sites and the flows between them, as a networkx graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.flow.occurrences import GRADES, Grade
from sgmem.flow.places import Field, Parameter, Path, Place, Result
from sgmem.flow.step import Kind, Running
from sgmem.flow.uses import Stack
from sgmem.program.files import File
from sgmem.syntax.ir import Expr, Span

if TYPE_CHECKING:
    import networkx as nx

Role = Literal["declaration", "write", "pass", "store", "read", "formula", "measurement", "event", "guard", "sink"]

LEVELS = 3
"""How many computations before the one that gives the parameter its value are followed back."""
MAX_PAIRS = 400
"""Above this many writer-reader pairs of one place the flows go through one of its sites, so that hubs stay readable."""


class SiteKey(msgspec.Struct, frozen=True):
    """What makes a site one: its file, span, role and place."""

    file: File
    span: Span
    role: Role
    slot: str


class SliceSite(msgspec.Struct):
    """A site of the slice; `derived` holds only while every value seen there was computed from the parameter."""

    key: SiteKey
    statement: int
    place: Place | None
    derived: bool
    grade: Grade = "same"
    kind: str | None = None
    note: str | None = None
    ancestors: tuple[Expr, ...] = ()
    hops: int = 0
    node: Expr | None = None
    callee: str | None = None
    of_class: bool = False
    """Whether the field is read or set on the class itself (`Args.size`), not on an instance."""
    unit: str | None = None
    frame: str | None = None

    @property
    def role_rank(self) -> int:
        return 0 if self.key.role == "declaration" else 1


class State(msgspec.Struct, frozen=True):
    """A place holding the value, under a path of keys, entered through a stack of calls."""

    place: Place
    path: Path
    derived: bool
    stack: Stack
    nameless: bool = False
    """Whether the value has come out of a container that holds it by its name, without that name: as any other entry."""
    running: Running | None = None
    """Of a loop's variable, the other one that holds the value's name, and the name."""


class Move(msgspec.Struct, frozen=True):
    """One step of a value: out of a place (None: it enters the slice here), over sites, into a place (None: it ends here).

    `callees` are the names of the call, if any, that it enters as an argument. `counts`: something is done with the value itself there
    (it is computed with, tested, sizes an object, is read under its name), not only with what holds it among others.
    """

    source: State | None
    sites: tuple[SiteKey, ...]
    target: State | None
    callees: tuple[str, ...] = ()
    counts: bool = True


class FormulaSite(msgspec.Struct):
    """An arithmetic expression that the value takes part in, with what receives its result."""

    site: SiteKey
    file: File
    statement: int
    expression: Expr
    target: str
    place: Place | None
    hops: int = 0
    stack: Stack = ()
    levels: int = 0
    """How many computations further back its inputs are to be followed: it computes the parameter, or what the parameter is computed
    from."""


class Slice(msgspec.Struct):
    """Everything found while following one parameter."""

    sites: dict[SiteKey, SliceSite] = msgspec.field(default_factory=dict)
    edges: dict[tuple[SiteKey, SiteKey], tuple[Kind, Grade]] = msgspec.field(default_factory=dict)
    entering: dict[State, dict[SiteKey, Kind]] = msgspec.field(default_factory=dict)
    leaving: dict[State, dict[SiteKey, Grade]] = msgspec.field(default_factory=dict)
    formulas: dict[SiteKey, FormulaSite] = msgspec.field(default_factory=dict)
    unresolved: dict[tuple[str, int, str], None] = msgspec.field(default_factory=dict)
    seeds: dict[Place, None] = msgspec.field(default_factory=dict)
    moves: list[Move] = msgspec.field(default_factory=list)
    """Every step taken forward. A site may be passed by several values; moves tell which of them comes from where."""
    entries: dict[SiteKey, None] = msgspec.field(default_factory=dict)
    """Where the parameter itself is declared, written, or handed in or read under its name."""
    leads: dict[SiteKey, dict[SiteKey, None]] = msgspec.field(default_factory=dict)
    """What was found backward: for each site, those that lead to it."""

    left_out: set[tuple[str, Span]] = msgspec.field(default_factory=set)
    """Computations of the value that were taken out again. What is found backward may name one as an origin."""

    _spans: dict[tuple[str, Span], list[SiteKey]] = msgspec.field(default_factory=dict)
    _sinks: int = 0
    _names: set[str] = msgspec.field(default_factory=set)
    _named: int = 0

    def bears_name(self, name: str, path: Path = ()) -> bool:
        """Whether a place of this name, or an entry in it, is called like the parameter."""
        if self._named != len(self.seeds):
            self._named = len(self.seeds)
            self._names = {seed.name for seed in self.seeds if not isinstance(seed, Result)}
        return any(isinstance(one, str) and (one in self._names or one.strip("_") in self._names) for one in (name, *path))

    @property
    def places(self) -> int:
        """How many sites there are, without the sinks: these stand beside the site of their argument."""
        return len(self.sites) - self._sinks

    def at(self, file: File, span: Span) -> list[SiteKey]:
        """The sites of exactly this span, oldest first."""
        return self._spans.get((file.path, span), [])

    def add(self, site: SliceSite) -> SiteKey:
        """Add a site, or join it with the one already there: the surer grade and the underived reading win."""
        known = self.sites.get(site.key)
        if known is None:
            self.sites[site.key] = site
            self._spans.setdefault((site.key.file.path, site.key.span), []).append(site.key)
            self._sinks += site.key.role == "sink"
        else:
            known.derived = known.derived and site.derived
            known.kind = known.kind or site.kind
            known.note = known.note or site.note
            known.hops = min(known.hops, site.hops)
            if GRADES.index(site.grade) < GRADES.index(known.grade):
                known.grade = site.grade
        return site.key

    def remove(self, keys: set[SiteKey]) -> None:
        """Take sites out, with all that was noted about them."""
        if not keys:
            return
        for key in keys:
            self.sites.pop(key, None)
        self._spans = {at: left for at, found in self._spans.items() if (left := [key for key in found if key not in keys])}
        self.edges = {pair: edge for pair, edge in self.edges.items() if keys.isdisjoint(pair)}
        for state, entering in self.entering.items():
            self.entering[state] = {key: kind for key, kind in entering.items() if key not in keys}
        for state, leaving in self.leaving.items():
            self.leaving[state] = {key: grade for key, grade in leaving.items() if key not in keys}

    def connect(self, source: SiteKey, target: SiteKey, kind: Kind, grade: Grade = "same") -> None:
        if source != target:
            self.edges.setdefault((source, target), (kind, grade))

    def lead(self, source: SiteKey, target: SiteKey, kind: Kind) -> None:
        """Connect a site with one that it was found backward from."""
        self.connect(source, target, kind)
        if source != target:
            self.leads.setdefault(target, {})[source] = None

    def join_places(self) -> None:
        """Turn what enters and leaves each place into flows between sites."""
        for state, sources in self.entering.items():
            targets = self.leaving.get(state, {})
            if len(sources) * len(targets) <= MAX_PAIRS:
                for source, kind in sources.items():
                    for target, grade in targets.items():
                        if not self._misses(source, target):
                            self.connect(source, target, kind, grade)
                continue
            middle = self._junction(sources)
            for source, kind in sources.items():
                self.connect(source, middle, kind)
            for target, grade in targets.items():
                self.connect(middle, target, "load", grade)

    def grade_ways(self) -> None:
        """Lower the grade of each site on the way forward to that of the surest way that leads there from where the parameter itself
        is: a value that came in by a guess is no surer for the names that it passes after."""
        ahead = {key for move in self.moves for key in move.sites}
        onward: dict[SiteKey, list[tuple[SiteKey, int]]] = {}
        for (source, target), (_, grade) in self.edges.items():
            if target in ahead:  # what only meets the value makes it no surer
                onward.setdefault(source, []).append((target, GRADES.index(grade)))
        waiting: list[list[SiteKey]] = [[] for _ in GRADES]
        for key in self.entries:
            waiting[GRADES.index(self.sites[key].grade)].append(key)
        surest: dict[SiteKey, int] = {}
        for rank, pending in enumerate(waiting):
            while pending:
                key = pending.pop()
                if key not in surest:
                    surest[key] = rank
                    for target, needed in onward.get(key, ()):
                        waiting[max(rank, needed)].append(target)
        for key in ahead:
            site = self.sites[key]
            site.grade = GRADES[max(GRADES.index(site.grade), surest.get(key, 0))]

    def _misses(self, source: SiteKey, target: SiteKey) -> bool:
        """Whether a read of a class's own attribute cannot see a write: one that sets the attribute of an instance."""
        return self.sites[target].of_class and source.role in ("store", "write") and not self.sites[source].of_class

    def _junction(self, sources: dict[SiteKey, Kind]) -> SiteKey:
        """The declaration of a busy place, else its first writer."""
        return min(sources, key=lambda key: (self.sites[key].role_rank, key.file.path, key.span))

    def as_graph(self) -> nx.MultiDiGraph[SiteKey]:
        """The sites and the flows between them as they are now; nodes carry `site`, edges `kind` and `grade`."""
        import networkx as nx

        graph: nx.MultiDiGraph[SiteKey] = nx.MultiDiGraph()
        for key, site in self.sites.items():
            graph.add_node(key, site=site)
        for (source, target), (kind, grade) in self.edges.items():
            graph.add_edge(source, target, kind=kind, grade=grade)
        return graph


def describe(place: Place, path: Path = ()) -> str:
    """The text of a slot: the place, then its path of keys."""
    return str(place) + "".join(f"[{key!r}]" if key != "*" else "[*]" for key in path)


def is_field_or_parameter(place: Place | None) -> bool:
    return isinstance(place, Field | Parameter)
