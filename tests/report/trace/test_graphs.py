from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from report.samples import GOLDEN, hostile

from sgmem.report.trace.dot import render_trace_dot
from sgmem.report.trace.graph import graph_of
from sgmem.report.trace.mermaid import render_trace_mermaid

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from sgmem.queries.results.trace import Trace

DOT_TOKEN = re.compile(r'\s+|"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|->|[{}\[\]=;,]')


def dot_tokens(text: str) -> list[str]:
    """Split a dot text, strictly: anything that is no token of the language fails."""
    tokens, at = [], 0
    while at < len(text):
        match = DOT_TOKEN.match(text, at)
        assert match, f"no dot token at: {text[at : at + 40]!r}"
        tokens.append(match.group())
        at = match.end()
    return [token for token in tokens if not token.isspace()]


@pytest.mark.parametrize("trace", [GOLDEN, hostile()], ids=["golden", "hostile"])
def test_dot_is_well_formed(trace: Trace) -> None:
    tokens = dot_tokens(render_trace_dot(trace))
    assert tokens.count("{") == tokens.count("}") == 1 + sum(len(clusters) + 1 for _, clusters in graph_of(trace).files)
    known = {site.id for site in trace.sites}
    assert tokens.count("->") == sum(flow.source in known and flow.target in known for flow in trace.flows)


def test_dot_labels_hold_no_escape_of_the_source() -> None:
    labels = [token for token in dot_tokens(render_trace_dot(hostile())) if token.startswith('"')]
    for label in labels:
        assert set(re.findall(r"\\(.)", label)) <= {"\\", '"', "l"}
        assert not re.search(r"&(?!amp;)", label)
        assert "\n" not in label


MERMAID_LINE = re.compile(
    r"""flowchart\ LR
    | \s*subgraph\ f\d+(s\d+)?\["(?P<title>[^"]*)"\]
    | \s*end
    | \s*n\d+(\[|\[\[|\[/|\{\{|\{|\[\()"(?P<label>[^"]*)"(\]|\]\]|/\]|\}\}|\}|\)\])
    | \s*n\d+\ (-->|-\.->)\|"\w+"\|\ n\d+""",
    re.VERBOSE,
)


@pytest.mark.parametrize("trace", [GOLDEN, hostile()], ids=["golden", "hostile"])
def test_every_line_of_mermaid_is_of_a_known_form(trace: Trace) -> None:
    for line in render_trace_mermaid(trace).splitlines():
        match = MERMAID_LINE.fullmatch(line)
        assert match, line
        text = (match["title"] or match["label"] or "").replace("<br/>", "")
        assert not set(re.sub(r"#\d+;", "", text)) & set("[]{}<>|\"'`#;&$%@\\"), text


def test_a_name_that_ends_a_block_does_not() -> None:
    lines = render_trace_mermaid(hostile()).splitlines()
    assert sum(line.strip() == "end" for line in lines) == sum(line.strip().startswith("subgraph") for line in lines)


def test_uncertain_flows_are_dashed() -> None:
    assert "n1 -.->" in render_trace_mermaid(hostile())
    assert 'n1 -> n2 [label="store", style="dashed"]' in render_trace_dot(hostile())
    assert "dashed" not in render_trace_dot(GOLDEN)


def test_dot_snapshot(snapshot: SnapshotAssertion) -> None:
    assert render_trace_dot(GOLDEN) == snapshot


def test_mermaid_snapshot(snapshot: SnapshotAssertion) -> None:
    assert render_trace_mermaid(GOLDEN) == snapshot
