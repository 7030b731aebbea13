"""`sgmem check --format rdjson`: the diagnostic format of reviewdog, which comments on pull requests of many hosts.

Its columns count bytes of UTF-8, unlike all others here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.report.json import without_surrogates
from sgmem.report.rule_text import path_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding, Step
    from sgmem.queries.results.check import CheckResult

SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def render_check_rdjson(result: CheckResult) -> str:
    """Return the diagnostics of all findings."""
    document = {"source": {"name": "sgmem"}, "diagnostics": [diagnostic(finding) for finding in result.findings]}
    raw = msgspec.json.encode(without_surrogates(document))
    return msgspec.json.format(raw, indent=2).decode() + "\n"


def diagnostic(finding: Finding) -> dict[str, Any]:
    start = {"line": finding.line, "column": finding.byte_column or finding.column}
    end = {"line": finding.end_line, "column": finding.end_byte_column or finding.end_column}
    return {
        "message": escape(finding.message),
        "location": {"path": path_of(finding), "range": {"start": start, "end": end}},
        "severity": SEVERITIES[finding.severity],
        "code": {"value": escape(finding.rule)},
        "related_locations": [related(finding, step) for step in finding.steps],
    }


def related(finding: Finding, step: Step) -> dict[str, Any]:
    path = path_of(msgspec.structs.replace(finding, path=step.path, uri=step.uri))
    return {"message": escape(step.message), "location": {"path": path, "range": {"start": {"line": step.line}}}}
