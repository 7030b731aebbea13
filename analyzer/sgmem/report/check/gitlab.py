"""`sgmem check --format gitlab`: a Code Quality report, shown in merge requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.report.rule_text import path_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import CheckResult

SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render_check_gitlab(result: CheckResult) -> str:
    """Return the report: an array with one issue per finding."""
    raw = msgspec.json.encode([issue(finding) for finding in result.findings])
    return msgspec.json.format(raw, indent=2).decode() + "\n"


def issue(finding: Finding) -> dict[str, object]:
    return {
        "description": f"{escape(finding.code)} {escape(finding.message)}",
        "check_name": escape(finding.rule),
        "fingerprint": finding.fingerprint,
        "severity": SEVERITIES[finding.severity],
        "location": {"path": path_of(finding), "lines": {"begin": finding.line, "end": finding.end_line}},
    }
