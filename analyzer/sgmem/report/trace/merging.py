"""Which sites of a trace are one place to a reader, so that a tree draws them as one node.

Three kinds belong together: the writes of one slot, because whatever reads the slot may receive any of them; a value
and the statement around it that it flows into, because the statement's code shows it; two readings of one expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.results.trace import Site, Trace

WRITING = frozenset({"declaration", "write", "store"})
TELLING = ("formula", "write", "store", "declaration", "measurement", "guard", "event", "pass", "sink", "read")
"""Roles of sites at one place, the one to show first."""


class Merging:
    """A union of sites into nodes. `node_of` maps the id of a site to that of its node."""

    def __init__(self, trace: Trace) -> None:
        self.parent = {site.id: site.id for site in trace.sites}
        sites = {site.id: site for site in trace.sites}
        flows = [flow for flow in trace.flows if flow.source in sites and flow.target in sites]
        self.by_slot(trace.sites)
        for flow in flows:
            if encloses(sites[flow.target], sites[flow.source]):
                self.join(flow.source, flow.target)
        self.by_renaming(trace.sites)
        self.node_of = {key: self.find(key) for key in sites}

    def by_slot(self, sites: Iterable[Site]) -> None:
        first: dict[str, str] = {}
        for site in sites:
            if writes_slot(site) and site.slot:
                self.join(first.setdefault(site.slot, site.id), site.id)

    def by_renaming(self, sites: Iterable[Site]) -> None:
        """Join a statement that only hands on with a reading of its whole right side: `x = f()` and `f()`."""
        ends: dict[tuple[str, int, int], list[Site]] = {}
        for site in sites:
            if site.role in ("read", "measurement", "write", "store"):
                ends.setdefault((site.path, site.end_line, site.end_column), []).append(site)
        for group in ends.values():
            for outer in group:
                if outer.kind == "rename" or outer.role in WRITING:
                    for inner in group:
                        if inner.role not in WRITING and encloses(outer, inner):
                            self.join(inner.id, outer.id)

    def find(self, key: str) -> str:
        while self.parent[key] != key:
            self.parent[key] = self.parent[self.parent[key]]
            key = self.parent[key]
        return key

    def join(self, one: str, other: str) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            self.parent[second] = first


def encloses(outer: Site, inner: Site) -> bool:
    """Whether the span of `outer` covers that of `inner`."""
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    ends = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return outer.path == inner.path and starts and ends


def shown_first(sites: Iterable[Site]) -> list[Site]:
    """The sites that stand for a node: all the writes of its slot, or else the outermost, most telling one."""
    found = list(sites)
    writes = [site for site in found if writes_slot(site)]
    if writes:
        slots = [site.slot for site in writes]
        commonest = max(slots, key=slots.count)
        return [site for site in writes if site.slot == commonest]
    return [min(found, key=prominence)]


def writes_slot(site: Site) -> bool:
    """Whether the site writes a variable of the program; a constant or a name without a module is no such variable."""
    return site.role in WRITING and ":" in (site.slot or "")


def prominence(site: Site) -> tuple[int, int, int, int, bool, int]:
    """Sort key: wide spans before narrow ones, the parameter itself before computed values, telling roles first."""
    return (site.line, site.column, -site.end_line, -site.end_column, site.derived, TELLING.index(site.role))
