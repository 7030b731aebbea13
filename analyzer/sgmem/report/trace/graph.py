"""A trace as a graph to draw: nodes clustered by file and symbol, edges with a word. What dot and mermaid share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.report.style import ROLE_WORD

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Site, Trace

CODE_WIDTH = 72


class GraphNode(msgspec.Struct, frozen=True):
    """`name` is safe in any notation; the lines are raw text of the source."""

    name: str
    role: str
    lines: tuple[str, ...]


class GraphEdge(msgspec.Struct, frozen=True):
    source: str
    target: str
    label: str
    certain: bool


class Cluster(msgspec.Struct, frozen=True):
    """The nodes of one symbol in one file."""

    symbol: str
    nodes: tuple[GraphNode, ...]


class Graph(msgspec.Struct, frozen=True):
    title: str
    files: tuple[tuple[str, tuple[Cluster, ...]], ...]
    edges: tuple[GraphEdge, ...]


def graph_of(trace: Trace) -> Graph:
    """Number the sites and group them; flows to sites that the trace does not hold are left out."""
    names = {site.id: f"n{number}" for number, site in enumerate(trace.sites, 1)}
    files: dict[str, dict[str, list[GraphNode]]] = {}
    for site in trace.sites:
        files.setdefault(site.path, {}).setdefault(site.symbol, []).append(node_of(site, names[site.id]))
    clusters = tuple(
        (path, tuple(Cluster(symbol, tuple(nodes)) for symbol, nodes in symbols.items())) for path, symbols in files.items()
    )
    edges = tuple(
        GraphEdge(names[flow.source], names[flow.target], flow.kind, flow.confidence == "high")
        for flow in trace.flows
        if flow.source in names and flow.target in names
    )
    return Graph(trace.parameter, clusters, edges)


def node_of(site: Site, name: str) -> GraphNode:
    code = site.code if len(site.code) <= CODE_WIDTH else site.code[: CODE_WIDTH - 1] + "…"
    when = tuple(f"{'and' if number else 'when'} {condition}" for number, condition in enumerate(site.when))
    return GraphNode(name, site.role, (f"{ROLE_WORD[site.role]} at line {site.line}", code, *when))
