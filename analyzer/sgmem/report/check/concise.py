"""`sgmem check --format concise`: one line per finding, as editors and `grep` read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import CheckResult
    from sgmem.report.view import View


def render_check_concise(result: CheckResult, view: View) -> str:
    """Return `path:line:column: CODE message [rule]` per finding, however wide the view; nothing where there is none."""
    return "".join(line_of(finding) + "\n" for finding in result.findings)


def line_of(finding: Finding) -> str:
    place = f"{escape(finding.uri or finding.path)}:{finding.line}:{finding.column}"
    return f"{place}: {escape(finding.code)} {escape(finding.message)} [{escape(finding.rule)}]"
