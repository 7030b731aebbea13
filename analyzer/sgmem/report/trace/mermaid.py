"""`sgmem trace --format mermaid`: the trace as a Mermaid flowchart, for Markdown pages and issues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.report.text import escape
from sgmem.report.trace.graph import graph_of

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

SHAPES = {
    "formula": ("[[", "]]"),
    "measurement": ("[/", "/]"),
    "event": ("{{", "}}"),
    "guard": ("{", "}"),
    "sink": ("[(", ")]"),
}

SPECIAL = re.compile(r"[^\w .,:=+\-/()]")
"""Every character to which Mermaid, its Markdown, its KaTeX or HTML could give a meaning."""


def render_trace_mermaid(trace: Trace) -> str:
    """Return the trace as a flowchart."""
    graph = graph_of(trace)
    lines = ["flowchart LR"]
    for number, (path, clusters) in enumerate(graph.files):
        lines.append(f'  subgraph f{number}["{plain(path)}"]')
        for inner, cluster in enumerate(clusters):
            lines.append(f'    subgraph f{number}s{inner}["{plain(cluster.symbol) or " "}"]')
            for node in cluster.nodes:
                opening, closing = SHAPES.get(node.role, ("[", "]"))
                label = "<br/>".join(plain(line) for line in node.lines)
                lines.append(f'      {node.name}{opening}"{label}"{closing}')
            lines.append("    end")
        lines.append("  end")
    for edge in graph.edges:
        arrow = "-->" if edge.certain else "-.->"
        lines.append(f'  {edge.source} {arrow}|"{plain(edge.label)}"| {edge.target}')
    return "\n".join([*lines, ""])


def plain(text: str) -> str:
    """Return `text` as a label: anything but letters, digits and harmless signs becomes a numeric entity."""
    return SPECIAL.sub(lambda match: f"#{ord(match.group())};", escape(text))
