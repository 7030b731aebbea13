"""What formats for other tools share: the rules of some findings, severities, and paths as those tools want them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import RuleInfo

SEVERITIES = ("error", "warning", "note")
"""From the gravest."""


def rule_infos(findings: Iterable[Finding]) -> list[RuleInfo]:
    """The rules of these findings, by code. One that is not installed here, as in a kept result, is made up from them."""
    from sgmem.queries.check.rules import all_rules
    from sgmem.queries.results.check import RuleInfo

    known = {rule.name: rule for rule in all_rules()}
    found = {
        one.rule: known.get(one.rule) or RuleInfo(one.rule, one.code, one.rule, one.rule, one.severity, one.persona) for one in findings
    }
    return sorted(found.values(), key=lambda rule: (rule.code, rule.name))


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """The gravest first, otherwise in their order: some readers show the first few only."""
    return sorted(findings, key=lambda one: SEVERITIES.index(one.severity))


def uri_of(uri: str) -> str:
    """A place as a URI: what is absolute gets its scheme, and nothing stays unencoded that a URI may not hold."""
    safe = quote(uri.encode("utf-8", "surrogateescape"), safe="/+@,;=~!$&'()*%:")
    return f"file://{safe}" if safe.startswith("/") else safe


def path_of(finding: Finding) -> str:
    """The path of a finding's file from the repository or working folder, not encoded."""
    from sgmem.report.text import escape

    return escape(unquote(finding.uri, errors="backslashreplace") or finding.path)
