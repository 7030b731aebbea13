"""`sgmem check --format junit`: an XML test report; every finding is a test that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from sgmem.report.rule_text import path_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import CheckResult


def render_check_junit(result: CheckResult) -> str:
    """Return one suite. A clean run has one test, which passed: some readers take a suite without tests for a failure."""
    findings = result.findings
    numbers = {"tests": str(max(1, len(findings) + result.suppressed)), "failures": str(len(findings)), "errors": "0"}
    numbers["skipped"] = str(result.suppressed)
    suites = ElementTree.Element("testsuites", {"name": "sgmem", **numbers})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "sgmem check", **numbers})
    for finding in findings:
        add_failure(suite, finding)
    for one in result.held:
        if one.why == "suppressed":
            ElementTree.SubElement(test_case(suite, one.finding), "skipped", {"message": escape(one.reason)})
    if len(suite) == 0:
        ElementTree.SubElement(suite, "testcase", {"name": "no findings", "classname": "sgmem"})
    ElementTree.indent(suites)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(suites, encoding='unicode')}\n"


def add_failure(suite: ElementTree.Element, finding: Finding) -> None:
    failure = ElementTree.SubElement(
        test_case(suite, finding), "failure", {"type": escape(finding.rule), "message": escape(finding.message)}
    )
    lines = [f"{path_of(finding)}:{finding.line}:{finding.column}: {escape(finding.code)} {escape(finding.message)}"]
    lines += [f"{number}. {escape(step.path)}:{step.line} {escape(step.message)}" for number, step in enumerate(finding.steps, 1)]
    failure.text = "\n".join(lines)


def test_case(suite: ElementTree.Element, finding: Finding) -> ElementTree.Element:
    names = {
        "name": f"{escape(finding.rule)} {escape(finding.symbol)} {finding.fingerprint}",
        "classname": path_of(finding),
        "file": path_of(finding),
        "line": str(finding.line),
    }
    return ElementTree.SubElement(suite, "testcase", names)
