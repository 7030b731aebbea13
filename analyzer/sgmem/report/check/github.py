"""`sgmem check --format github`: workflow commands, which GitHub Actions turns into annotations of the changed lines.

GitHub shows ten errors and ten warnings of a step, so the gravest come first; the log has them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.report.rule_text import by_severity, path_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import CheckResult

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_check_github(result: CheckResult) -> str:
    """Return one workflow command per finding."""
    return "".join(command(finding) + "\n" for finding in by_severity(result.findings))


def command(finding: Finding) -> str:
    place = {"file": path_of(finding), "line": finding.line, "endLine": finding.end_line}
    if finding.line == finding.end_line:  # columns of several lines are refused
        place |= {"col": finding.column, "endColumn": finding.end_column}
    place |= {"title": f"{finding.rule} ({finding.code})"}
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in place.items())
    flow = "".join(f"\n{number}. {step.path}:{step.line} {step.message}" for number, step in enumerate(finding.steps, 1))
    help_text = f"\nhelp: {finding.fix}" if finding.fix else ""
    return f"::{COMMANDS[finding.severity]} {properties}::{_data(finding.message + flow + help_text)}"


def _data(text: str) -> str:
    lines = [escape(line).replace("%", "%25") for line in text.split("\n")]
    return "%0A".join(lines)


def _property(text: str) -> str:
    return escape(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
