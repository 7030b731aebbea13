"""`sgmem check --format sarif`: SARIF 2.1.0, as code scanning pages, editors and other tools read it.

Plain dicts, encoded by msgspec: a typed model of the format (sarif-pydantic) takes 0.2 s to import. The tests hold the
output against the official schema and the rules of GitHub's ingestion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.report.json import without_surrogates
from sgmem.report.rule_text import rule_infos, uri_of
from sgmem.report.text import escape
from sgmem.version import __version__

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding, Step
    from sgmem.queries.results.check import CheckResult, Held, RuleInfo

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_STEPS = 1000
"""Steps of one flow; GitHub shows no more."""
MAX_TEXT = 1024
_PRECISION = {"high": "high", "medium": "medium", "low": "low"}
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}

Json = dict[str, Any]


def render_check_sarif(result: CheckResult) -> str:
    """Return one run with every finding, those held back included, each with its flow from source to sink."""
    rules = rule_infos([*result.findings, *(one.finding for one in result.held)])
    index = {rule.name: number for number, rule in enumerate(rules)}
    compared = result.against is not None or result.baselined > 0
    results = [_result(finding, index, "new" if compared else None) for finding in result.findings]
    results += [_held(one, index, compared) for one in result.held]
    run: Json = {
        "tool": {
            "driver": {
                "name": "sgmem",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(result)}],
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of the repository, or the working folder."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    raw = msgspec.json.encode(without_surrogates(document))
    return msgspec.json.format(raw, indent=2).decode() + "\n"


def _rule(rule: RuleInfo) -> Json:
    page = "\n".join(map(escape, rule.page_markdown.split("\n")))
    return {
        "id": escape(rule.code),
        "name": escape(rule.name),
        "shortDescription": {"text": escape(rule.summary)[:MAX_TEXT]},
        "fullDescription": {"text": escape(rule.summary)[:MAX_TEXT]},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": ["memory", rule.persona],
            "problem.severity": _PROBLEM[rule.severity],
            "precision": "high",
        },
    }


def _result(finding: Finding, index: dict[str, int], state: str | None) -> Json:
    found: Json = {
        "ruleId": escape(finding.code),
        "ruleIndex": index[finding.rule],
        "level": finding.severity,
        "message": {"text": escape(finding.message)},
        "locations": [_primary(finding)],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
            "sgmemFingerprint/v1": finding.fingerprint,
        },
        "properties": {"confidence": finding.confidence, "persona": finding.persona, "precision": _PRECISION[finding.confidence]},
    }
    steps = finding.steps[:MAX_STEPS]
    if steps:
        found["codeFlows"] = [{"threadFlows": [{"locations": [_hop(step, number, len(steps)) for number, step in enumerate(steps)]}]}]
    related = [step for step in steps if (step.path, step.line) != (finding.path, finding.line)]
    if related:
        found["relatedLocations"] = [{"id": number, **_location(step)} for number, step in enumerate(related, 1)]
    if finding.fix:
        found["properties"]["help"] = escape(finding.fix)
    if state is not None:
        found["baselineState"] = state
    return found


def _held(one: Held, index: dict[str, int], compared: bool) -> Json:
    """A finding that is not reported: suppressed in the source, or known from before."""
    if one.why == "suppressed":
        found = _result(one.finding, index, "unchanged" if compared else None)
        found["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": escape(one.reason)}]
        return found
    found = _result(one.finding, index, "unchanged")
    if one.why == "baselined":
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "in the baseline"}]
    return found


def _primary(finding: Finding) -> Json:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    place: Json = {"physicalLocation": {"artifactLocation": artifact(finding.uri or finding.path), "region": region}}
    if finding.symbol:
        module, _, qualname = finding.symbol.rpartition(":")
        name = qualname.rpartition(".")[2] or module
        place["logicalLocations"] = [{"name": escape(name), "fullyQualifiedName": escape(finding.symbol)}]
    return place


def _hop(step: Step, number: int, steps: int) -> Json:
    importance = "essential" if number in (0, steps - 1) else "important"
    return {"executionOrder": number + 1, "importance": importance, "location": _location(step)}


def _location(step: Step) -> Json:
    region = {"startLine": step.line, "startColumn": step.column}
    if step.end_line:
        region |= {"endLine": step.end_line, "endColumn": step.end_column}
    return {
        "physicalLocation": {"artifactLocation": artifact(step.uri or step.path), "region": region},
        "message": {"text": escape(step.message) or f"line {step.line}"},
    }


def artifact(uri: str) -> Json:
    """Where a file is: relative to the repository or working folder, or absolute, as a URI."""
    absolute = uri_of(uri)
    return {"uri": absolute} if absolute.startswith("file:") else {"uri": absolute, "uriBaseId": "SRCROOT"}


def _notifications(result: CheckResult) -> list[Json]:
    unread = result.unreadable or result.source.unreadable
    told = [{"level": "warning", "message": {"text": f"not read: {escape(item.path)}: {escape(item.why)}"}} for item in unread]
    return told + [
        {"level": "note", "message": {"text": f"stale in the baseline: {escape(entry.rule)} in {escape(entry.symbol or entry.path)}"}}
        for entry in result.stale
    ]
