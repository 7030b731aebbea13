"""The provenance tree of a trace: which site hands the value to which, as a tree with joins, without any text.

Sites that write one slot are one node (`Node.sites`): whatever reads the slot may receive any of them, so drawing each
write with the same readers below would repeat everything. Nodes are placed breadth first, at their shortest distance
from the root.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from sgmem.report.text import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.results import Site, Trace

WRITING = frozenset({"declaration", "write", "store"})
GOALS = frozenset({"formula", "sink", "event", "guard"})


class Node(msgspec.Struct, eq=False):
    """One place in the tree. `joins` is set instead of `children` where the same node is drawn elsewhere.

    `leaves` are sites that receive the value and hand it nowhere, `hidden` those next to it that limits left out.
    """

    key: str
    sites: list[Site]
    children: list[Node] = msgspec.field(default_factory=list)
    joins: Node | None = None
    leaves: list[Site] = msgspec.field(default_factory=list)
    hidden: list[Site] = msgspec.field(default_factory=list)
    confidence: str = "high"

    @property
    def slot(self) -> str | None:
        return self.sites[0].slot


class Provenance:
    """The flows of a trace between nodes: single sites, or all the writes of one slot."""

    def __init__(self, trace: Trace) -> None:
        self.site = {site.id: site for site in trace.sites}
        self.key_of = {site.id: node_key(site) for site in trace.sites}
        self.members: dict[str, list[Site]] = {}
        for site in trace.sites:
            self.members.setdefault(self.key_of[site.id], []).append(site)
        self.onward: dict[str, dict[str, str]] = {key: {} for key in self.members}
        self.back: dict[str, dict[str, str]] = {key: {} for key in self.members}
        for flow in trace.flows:
            source, target = self.key_of.get(flow.source), self.key_of.get(flow.target)
            if source is None or target is None or source == target:
                continue
            confidence = stronger(self.onward[source].get(target), flow.confidence)
            self.onward[source][target] = self.back[target][source] = confidence
        self.to_goal = self.leading_to(key for key, sites in self.members.items() if sites[0].role in GOALS)

    def leading_to(self, goals: Iterable[str]) -> dict[str, int]:
        """Map every node from which a goal is reached to its distance from the nearest one."""
        distance = dict.fromkeys(goals, 0)
        pending = deque(distance)
        while pending:
            key = pending.popleft()
            for before in self.back[key]:
                if before not in distance:
                    distance[before] = distance[key] + 1
                    pending.append(before)
        return distance

    def roots(self, parameter: str) -> list[str]:
        """The nodes that hold the parameter itself and receive it from no other such node, the declared slot first."""
        name = last_name(parameter)
        own = [key for key, sites in self.members.items() if any(holds(site, name) for site in sites)]
        for roles in (WRITING, {"pass"}, {"read"}):
            chosen = [key for key in own if self.members[key][0].role in roles]
            if chosen:
                return self.tops(sorted(chosen, key=lambda key: (not self.declares(key), -len(self.members[key]))))
        return own[:1]

    def tops(self, keys: list[str]) -> list[str]:
        """Those of `keys` that together reach all the others."""
        reached: dict[str, set[str]] = {}
        for key in keys:
            if not any(key in beyond for beyond in reached.values()):
                reached[key] = self.reachable(key)
        return [key for key in reached if not any(key in beyond for other, beyond in reached.items() if other != key)]

    def reachable(self, key: str, *, backward: bool = False) -> set[str]:
        """Every node that `key` hands its value to, in any number of steps; with `backward`, that it receives from."""
        links = self.back if backward else self.onward
        seen: set[str] = set()
        pending = [key]
        while pending:
            for there in links[pending.pop()]:
                if there not in seen:
                    seen.add(there)
                    pending.append(there)
        return seen

    def declares(self, key: str) -> bool:
        return any(site.role == "declaration" for site in self.members[key])

    def order(self, key: str) -> tuple[bool, bool, str, int]:
        """Sort key of siblings: those on the way to a formula or sink first, then by place."""
        site = self.members[key][0]
        return (key not in self.to_goal, site.derived, site.path, site.line)

    def tree(
        self,
        roots: Iterable[str],
        *,
        backward: bool = False,
        depth: int | None = None,
        budget: int | None = None,
        fan_out: int | None = None,
    ) -> list[Node]:
        """Build the forest below `roots`: at most `budget` nodes, `fan_out` children each, `depth` levels."""
        links = self.back if backward else self.onward
        placed: dict[str, Node] = {}
        forest: list[Node] = []
        for key in roots:
            if key in placed:
                continue
            placed[key] = Node(key, self.members[key])
            forest.append(placed[key])
            self.grow(placed[key], links, placed, depth, budget, fan_out)
        return forest

    def grow(
        self,
        root: Node,
        links: dict[str, dict[str, str]],
        placed: dict[str, Node],
        depth: int | None,
        budget: int | None,
        fan_out: int | None,
    ) -> None:
        """Place everything below `root`, nearest first, so that limits cut the far ends."""
        pending = deque([(root, 0)])
        while pending:
            node, level = pending.popleft()
            below = sorted(links[node.key], key=self.order)
            drawn = 0
            for key in below:
                confidence = links[node.key][key]
                if not links[key] and self.is_leaf(key):
                    node.leaves += self.members[key]
                    continue
                known = placed.get(key)
                if full(drawn, fan_out) or (known is None and (full(level, depth) or full(len(placed), budget))):
                    node.hidden += self.members[key]
                    continue
                drawn += 1
                child = Node(key, self.members[key], joins=known, confidence=confidence)
                node.children.append(child)
                if known is None:
                    placed[key] = child
                    pending.append((child, level + 1))

    def is_leaf(self, key: str) -> bool:
        """A plain read, listed elsewhere; a goal or a write is worth a line of the tree even where it ends."""
        return all(site.role == "read" for site in self.members[key])


def node_key(site: Site) -> str:
    """Sites that write one slot share a node."""
    return f"slot {site.slot}" if site.slot and site.role in WRITING else f"site {site.id}"


def holds(site: Site, name: str) -> bool:
    """Whether the site concerns the parameter itself, under this name (a private copy bears an underscore)."""
    return not site.derived and site.slot is not None and last_name(site.slot).lstrip("_") == name.lstrip("_")


def stronger(known: str | None, new: str) -> str:
    ranks = ("low", "medium", "high")
    return new if known is None or ranks.index(new) > ranks.index(known) else known


def contract(forest: Iterable[Node], numbered: set[int]) -> None:
    """Take out reads that lie within the code of the only node they lead to: that node's line shows them.

    `numbered` holds the identities of nodes that others join; those stay.
    """
    for node in below(forest):
        for position, child in enumerate(node.children):
            while within_next(child) and id(child) not in numbered:
                child = child.children[0]
            node.children[position] = child


def within_next(node: Node) -> bool:
    site = node.sites[0]
    if len(node.children) != 1 or node.hidden or node.leaves or site.role not in ("read", "pass") or site.note:
        return False
    return any(encloses(outer, site) for outer in node.children[0].sites)


def encloses(outer: Site, inner: Site) -> bool:
    """Whether the span of `outer` covers that of `inner`."""
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return outer.path == inner.path and starts and ends


def joined(forest: Iterable[Node]) -> set[int]:
    """The identities of the nodes that others refer to."""
    return {id(node.joins) for node in below(forest) if node.joins is not None}


def full(count: int, limit: int | None) -> bool:
    return limit is not None and count >= limit


def below(nodes: Iterable[Node]) -> Iterable[Node]:
    """Yield the nodes of a forest in the order they are drawn."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        pending += node.children[::-1]
