"""`sgmem trace --format dot`: the trace for Graphviz, one cluster per file and symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.report.text import escape
from sgmem.report.trace.graph import Graph, graph_of

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

SHAPES = {
    "declaration": "box",
    "write": "box",
    "store": "box",
    "pass": "plaintext",
    "read": "plaintext",
    "formula": "box3d",
    "measurement": "parallelogram",
    "event": "octagon",
    "guard": "diamond",
    "sink": "cylinder",
}


def render_trace_dot(trace: Trace) -> str:
    """Return the trace as a Graphviz digraph."""
    graph = graph_of(trace)
    lines = [
        "digraph trace {",
        f"  label={quote(graph.title)};",
        '  rankdir="LR"; labelloc="t"; fontname="monospace";',
        '  node [fontname="monospace", fontsize="10"];',
        '  edge [fontname="monospace", fontsize="8"];',
        *cluster_lines(graph),
    ]
    for edge in graph.edges:
        dashed = "" if edge.certain else ', style="dashed"'
        lines.append(f"  {edge.source} -> {edge.target} [label={quote(edge.label)}{dashed}];")
    return "\n".join([*lines, "}", ""])


def cluster_lines(graph: Graph) -> list[str]:
    lines: list[str] = []
    for number, (path, clusters) in enumerate(graph.files):
        lines += [f"  subgraph cluster_{number} {{", f"    label={quote(path)};"]
        for inner, cluster in enumerate(clusters):
            lines += [
                f"    subgraph cluster_{number}_{inner} {{",
                f'      label={quote(cluster.symbol)}; style="dotted";',
            ]
            for node in cluster.nodes:
                label = "\\l".join(plain(line) for line in node.lines) + "\\l"
                lines.append(f'      {node.name} [label="{label}", shape="{SHAPES[node.role]}"];')
            lines.append("    }")
        lines.append("  }")
    return lines


def quote(text: str) -> str:
    """Return a double-quoted string: never an HTML label, no escape of its own, one line."""
    return f'"{plain(text)}"'


def plain(text: str) -> str:
    """Return `text` for the inside of a double-quoted string.

    Graphviz also reads `&name;` entities in plain labels.
    """
    return escape(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
