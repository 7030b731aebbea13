"""Every rule's page: it has the sections a reader looks for, and its cases come out of the real check."""

from __future__ import annotations

import pytest
from rules.cases import Case, cases_of

from sgmem.findings.registry import InstalledRule, rules_of
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree

RULES = rules_of("sgmem_rules")
CASES = [pytest.param(rule, case, id=f"{rule.name}-{case.name}") for rule in RULES for case in cases_of(rule.page)]
SECTIONS = ["What it does", "Why it matters", "Example", "How to fix it", "When to ignore it"]


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_a_case_is_reported_exactly_where_it_is_marked(rule: InstalledRule, case: Case) -> None:
    tree = SourceTree.from_texts({"serving/__init__.py": "", **case.files})
    result = check(tree, [], CheckOptions(select=(rule.name,), persona=rule.rule.persona))
    assert sorted((one.path, one.line) for one in result.findings) == case.expected
    assert not result.source.unreadable


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_page_has_every_section_and_examples_of_both_kinds(rule: InstalledRule) -> None:
    headings = [line.removeprefix("## ") for line in rule.page.splitlines() if line.startswith("## ")]
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    assert rule.page.startswith(f"# {rule.name} ({rule.code})\n")
    kinds = {bool(case.expected) for case in cases_of(rule.page)}
    assert kinds == {True, False}
    assert 0 < len(rule.summary) < 160


@pytest.mark.parametrize(("rule", "case"), [param for param in CASES if param.values[1].expected])
def test_a_finding_ends_at_its_sink_and_every_step_says_something(rule: InstalledRule, case: Case) -> None:
    tree = SourceTree.from_texts({"serving/__init__.py": "", **case.files})
    for finding in check(tree, [], CheckOptions(select=(rule.code,), persona=rule.rule.persona)).findings:
        assert finding.steps
        assert all(step.message and step.path in tree.files and step.line >= 1 and step.code for step in finding.steps)
        assert any((step.path, step.line) == (finding.path, finding.line) for step in finding.steps)
        assert finding.message.isprintable()
