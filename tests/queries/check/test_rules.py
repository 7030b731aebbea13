from __future__ import annotations

import pytest

from sgmem.findings.registry import close_rules
from sgmem.queries.check.rules import all_rules, chosen_rules


def test_every_rule_is_listed_by_code_with_its_page() -> None:
    rules = all_rules()
    assert [one.code for one in rules] == sorted(one.code for one in rules)
    assert {one.name for one in rules} >= {"suppression", "unit-mismatch", "negative-budget", "mixed-measurement-times"}
    for one in rules:
        assert one.page_markdown.startswith(f"# {one.name} ({one.code})")
        assert one.summary
        assert "\n" not in one.summary


def test_all_rules_run_unless_some_are_named() -> None:
    names = {one.name for one in all_rules()}
    rules, judges = chosen_rules((), ())
    assert {one.name for one in rules} == names - {"suppression"}
    assert judges


def test_names_and_codes_choose_and_ignoring_wins() -> None:
    rules, judges = chosen_rules(("SGM101", "negative-budget"), ("sgm201",))
    assert [one.name for one in rules] == ["unit-mismatch"]
    assert not judges


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("late-laod", ["late-load", "late-guard"]),
        ("unit-missmatch", ["unit-mismatch"]),
        ("load", ["late-load"]),
        ("nope", []),
        ("a-b", []),
    ],
)
def test_a_misspelt_rule_means_one_that_is_spelled_like_it_or_has_its_words(given: str, meant: list[str]) -> None:
    assert close_rules(given, ["late-load", "late-guard", "unit-mismatch", "window-as-page"]) == meant
