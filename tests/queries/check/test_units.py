"""Which rules are asked together."""

from __future__ import annotations

from collections.abc import Iterable

from sgmem.domains.program_facts import ProgramFacts
from sgmem.findings.registry import InstalledRule
from sgmem.findings.rule import Report, Rule
from sgmem.queries.check.units import planned
from sgmem.source.tree import SourceTree


def rule(called: str, shared: str = "", alone: bool = False) -> InstalledRule:
    class Made(Rule):
        name = called
        code = called.upper()
        by_file = alone
        shares = shared

        def check(self, facts: ProgramFacts) -> Iterable[Report]:
            return ()

    return InstalledRule(Made(), "", "tests")


def test_rules_that_share_facts_are_one_unit() -> None:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/other.py": ""})
    rules = [rule("one", "books"), rule("two"), rule("three", "books"), rule("four", alone=True), rule("five", "tables")]
    units = [(unit.rules, unit.paths) for unit in planned(rules, tree, keeps=True)]
    files = tuple(tree.files)
    assert units == [(("four",), files), (("one", "three"), ()), (("two",), ()), (("five",), ())]


def test_all_rules_are_one_unit_where_no_answer_is_kept() -> None:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/other.py": ""})
    rules = [rule("one", "books"), rule("two"), rule("three", alone=True)]
    assert [(unit.rules, unit.paths) for unit in planned(rules, tree, keeps=False)] == [(("one", "two", "three"), ())]
