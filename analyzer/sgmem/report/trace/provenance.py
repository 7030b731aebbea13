"""The provenance tree of a trace: which place hands the value to which, as a tree with joins, without any text.

Nodes are sites, merged where they are one place to a reader. They are placed breadth first, at their shortest distance
from the root, so that limits cut the far ends.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.results.trace import Site
from sgmem.report.text import last_name, short_slot
from sgmem.report.trace.merging import WRITING, Merging, shown_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sgmem.queries.results.trace import Trace

HOME = 3
"""A field that is set at so many places is where a parameter lives rather than a stop on its way."""
FEW = 100
WIDE = 200
"""Nodes with more targets than this keep all of them: looking for detours would be quadratic."""

Links = dict[str, dict[str, str]]
"""Confidence by target by source."""


class Node(msgspec.Struct, eq=False):
    """One place in the tree. `joins` is set instead of `children` where the same node is drawn elsewhere.

    `sites` are shown, `merged` are all the sites of the place. `leaves` receive the value and hand it nowhere; `hidden`
    are those next to it that limits left out.
    """

    key: str
    sites: list[Site]
    merged: list[Site]
    children: list[Node] = msgspec.field(default_factory=list)
    joins: Node | None = None
    leaves: list[Site] = msgspec.field(default_factory=list)
    hidden: list[Site] = msgspec.field(default_factory=list)
    confidence: str = "high"

    @property
    def slot(self) -> str | None:
        return self.sites[0].slot


class Limits(msgspec.Struct, frozen=True):
    """How much of a tree to draw, None is all; `own` bounds nodes of the parameter, `derived` of computed values."""

    depth: int | None = None
    fan_out: int | None = None
    own: int | None = None
    derived: int | None = None


ALL = Limits()


class Provenance:
    """The flows of a trace between nodes. With `brief`, a flow that others lead around is left out."""

    def __init__(self, trace: Trace, *, brief: bool = True) -> None:
        self.home_slot = trace.home
        node_of = Merging(trace).node_of
        self.merged: dict[str, list[Site]] = {}
        for site in trace.sites:
            self.merged.setdefault(node_of[site.id], []).append(site)
        self.members = {key: shown_first(sites) for key, sites in self.merged.items()}
        self.onward: Links = {key: {} for key in self.merged}
        for flow in trace.flows:
            source, target = node_of.get(flow.source), node_of.get(flow.target)
            if source is not None and target is not None and source != target:
                self.onward[source][target] = stronger(self.onward[source].get(target), flow.confidence)
        if brief:
            self.drop_detours()
        self.back: Links = {key: {} for key in self.merged}
        for source, targets in self.onward.items():
            for target, confidence in targets.items():
                self.back[target][source] = confidence
        self.sure = {source: {t: c for t, c in targets.items() if c != "low"} for source, targets in self.onward.items()}
        self.to_sink = self.leading_to(lambda site: site.role in ("sink", "event"))
        self.to_formula = self.leading_to(lambda site: site.role in ("formula", "guard"))

    def drop_detours(self) -> None:
        """Leave out a flow where two others lead the same way: the tree shows the longer one. Reachability stays."""
        for targets in self.onward.values():
            if len(targets) > WIDE:
                continue
            for target in list(targets):
                if any(target in self.onward[middle] for middle in targets if middle != target):
                    del targets[target]

    def leading_to(self, is_wanted: Callable[[Site], bool], *, sure: bool = False) -> dict[str, int]:
        """Every node from which such a site is reached, in how many steps at least; 0 for those themselves. `sure` leaves out flows
        that the name alone tells."""
        found = {key: 0 for key, sites in self.merged.items() if any(map(is_wanted, sites))}
        pending = deque(found)
        while pending:
            key = pending.popleft()
            for before, confidence in self.back[key].items():
                if before not in found and not (sure and confidence == "low"):
                    found[before] = found[key] + 1
                    pending.append(before)
        return found

    def roots(self, parameter: str) -> list[str]:
        """The nodes that hold the parameter itself and together reach all others that do, that most often set first."""
        name = last_name(parameter)
        own = [key for key, sites in self.members.items() if any(holds(site, name) for site in sites)]
        for roles in (WRITING, {"pass"}, {"read"}):
            chosen = [key for key in own if self.members[key][0].role in roles]
            if chosen:
                return self.tops(sorted(chosen, key=self.weights(chosen).__getitem__, reverse=True))
        return own[:1]

    def weights(self, keys: list[str]) -> dict[str, tuple[bool, bool, int, bool, int, int]]:
        """How much each node looks like where a parameter lives: the field of the record that the anchors choose, a field set in many
        places, a source of the others."""
        among = set(keys)
        weights = {}
        for key in keys:
            sources = len(among & self.reachable(key, sure=True)) if len(keys) <= FEW else 0
            home = self.is_home(key)
            chosen = self.home_slot is not None and self.members[key][0].slot == self.home_slot
            weights[key] = (chosen, home, sources if home else 0, self.declares(key), sources, len(self.members[key]))
        return weights

    def tops(self, keys: list[str]) -> list[str]:
        """Those of `keys` that an earlier one does not reach."""
        chosen: list[str] = []
        reached: set[str] = set()
        for key in keys:
            if key not in reached:
                chosen.append(key)
                self.spread(key, self.onward, reached)
        return chosen

    def reachable(self, key: str, *, backward: bool = False, sure: bool = False) -> set[str]:
        """Every node that `key` hands its value to, in any number of steps; with `backward`, that it receives from. `sure` leaves out
        flows that the name alone tells."""
        seen: set[str] = set()
        self.spread(key, self.back if backward else self.sure if sure else self.onward, seen)
        return seen

    def spread(self, key: str, links: Links, seen: set[str]) -> None:
        """Add to `seen` what `key` reaches, without going again through what is already there."""
        pending = [key]
        while pending:
            for there in links[pending.pop()]:
                if there not in seen:
                    seen.add(there)
                    pending.append(there)

    def is_home(self, key: str) -> bool:
        """Whether a node is a field that is set in many places, rather than a stop on the way."""
        owner, _, _ = short_slot(self.members[key][0].slot or "").rpartition(".")
        return last_name(owner).lstrip("_")[:1].isupper() and len(self.members[key]) >= HOME

    def declares(self, key: str) -> bool:
        return any(site.role == "declaration" for site in self.members[key])

    def order(self, key: str, confidence: str, ways: dict[str, int] | None) -> tuple[bool, int, bool, bool, bool, str, int]:
        """Sort key of siblings: the parameter itself, what leads to sinks and formulas, what is certain; by place. With `ways`, what is
        nearest to their ends."""
        site = self.members[key][0]
        ends = (key not in self.to_sink, key not in self.to_formula)
        sure = confidence == site.confidence == "high"
        return (site.derived, ways.get(key, 0) if ways is not None else 0, *ends, not sure, site.path, site.line)

    def tree(
        self, roots: Iterable[str], limits: Limits = ALL, *, backward: bool = False, ways: dict[str, int] | None = None
    ) -> list[Node]:
        """Build the forest below `roots`; of the nodes below them only those of `ways`, if that is given, and none that leads back to
        the root alone."""
        links = self.back if backward else self.onward
        placed: dict[str, Node] = {}
        forest: list[Node] = []
        for key in roots:
            if key not in placed:
                placed[key] = Node(key, self.members[key], self.merged[key])
                forest.append(placed[key])
                self.grow(placed[key], links, placed, limits, ways)
        return forest

    def grow(self, root: Node, links: Links, placed: dict[str, Node], limits: Limits, ways: dict[str, int] | None) -> None:
        """Place everything below `root`, nearest first."""
        pending = deque([(root, 0)])
        while pending:
            node, level = pending.popleft()
            drawn = 0
            for key in sorted(links[node.key], key=lambda key: self.order(key, links[node.key][key], ways)):
                sites = self.members[key]
                if not links[key] and is_leaf(self.merged[key]):
                    node.leaves += [site for site in self.merged[key] if site.role == "sink"] or sites
                    continue
                known = placed.get(key)
                if ways is not None and (key not in ways or (known is None and set(links[key]) == {root.key})):
                    node.hidden += sites
                    continue
                if full(drawn, limits.fan_out) or (known is None and self.spent(sites, level, placed, limits)):
                    node.hidden += sites
                    continue
                drawn += 1
                child = Node(key, sites, self.merged[key], joins=known, confidence=links[node.key][key])
                node.children.append(child)
                if known is None:
                    placed[key] = child
                    pending.append((child, level + 1))

    def spent(self, sites: list[Site], level: int, placed: dict[str, Node], limits: Limits) -> bool:
        """Whether a limit forbids one more node like this."""
        if full(level, limits.depth):
            return True
        limit = limits.derived if sites[0].derived else limits.own
        if limit is None:
            return False
        return full(sum(node.sites[0].derived == sites[0].derived for node in placed.values()), limit)


def is_leaf(sites: list[Site]) -> bool:
    """Plain reads and sinks that end a path are counted, and listed elsewhere; other ends are worth a line."""
    roles = {site.role for site in sites}
    return roles == {"read"} or ("sink" in roles and roles <= {"read", "pass", "sink"})


def holds(site: Site, name: str) -> bool:
    """Whether the site concerns the parameter itself, under this name (a private copy bears an underscore)."""
    return not site.derived and site.slot is not None and last_name(site.slot).lstrip("_") == name.lstrip("_")


def stronger(known: str | None, new: str) -> str:
    ranks = ("low", "medium", "high")
    return new if known is None or ranks.index(new) > ranks.index(known) else known


def full(count: int, limit: int | None) -> bool:
    return limit is not None and count >= limit


def below(nodes: Iterable[Node]) -> Iterable[Node]:
    """Yield the nodes of a forest in the order they are drawn."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children[::-1]


def joined(forest: Iterable[Node]) -> set[int]:
    """The identities of the nodes that others refer to."""
    return {id(node.joins) for node in below(forest) if node.joins is not None}
