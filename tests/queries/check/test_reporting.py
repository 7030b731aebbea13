"""What of a check is reported: levels, files, the baseline, another source, and what makes it fail."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sgmem.config.errors import UsageError
from sgmem.findings.baseline import Baseline, baseline_of
from sgmem.queries.check.baselines import baseline_state
from sgmem.queries.check.query import check, everything
from sgmem.queries.check.reporting import fails
from sgmem.queries.options import CheckOptions, FileIgnores, NamedRule
from sgmem.queries.results.check import CheckResult
from sgmem.source.tree import SourceTree

MIXED = """
def fits(weights_mb, budget_gb):
    return weights_mb <= budget_gb
"""
MORE = """

def larger(pool_bytes, limit_mb):
    return pool_bytes > limit_mb
"""


def tree(text: str = MIXED, path: str = "serving/limits.py") -> SourceTree:
    return SourceTree.from_texts({"serving/__init__.py": "", path: text})


def run(source: SourceTree, against: SourceTree | None = None, **options: Any) -> CheckResult:
    return check(source, [], CheckOptions(**options), against)


def known(source: SourceTree) -> Baseline:
    return baseline_of(everything(source, CheckOptions()).findings)


def symbols(result: CheckResult) -> list[str]:
    return [one.symbol.rpartition(":")[2] for one in result.findings]


@pytest.mark.parametrize("name", ["unit-mismatch", "SGM101", "sgm101"])
def test_the_settings_give_a_rule_another_level(name: str) -> None:
    (finding,) = run(tree(), levels=((name, "note"),)).findings
    assert finding.severity == "note"


@pytest.mark.parametrize(
    ("pattern", "rules", "left"),
    [
        ("serving/limits.py", ("unit-mismatch",), 0),
        ("serving/**", ("SGM101",), 0),
        ("limits.py", ("sgm101",), 0),
        ("serving/*.pyi", ("SGM101",), 1),
        ("serving/**", ("negative-budget",), 1),
        ("other/**", ("SGM101",), 1),
    ],
)
def test_rules_are_left_out_in_files(pattern: str, rules: tuple[str, ...], left: int) -> None:
    assert len(run(tree(), file_ignores=(FileIgnores(pattern, rules),)).findings) == left


def test_a_rule_that_the_settings_name_wrongly_is_told_with_its_place() -> None:
    with pytest.raises(UsageError, match=r"^sgmem\.toml:3: no rule 'nonsense'"):
        run(tree(), named=(NamedRule("nonsense", "sgmem.toml:3"),))


def test_the_baseline_holds_back_what_it_knows_and_only_that() -> None:
    result = run(tree(MIXED + MORE), baseline=known(tree()))
    assert (symbols(result), result.baselined, result.stale) == (["larger"], 1, ())
    assert [(one.why, one.finding.symbol) for one in result.held] == [("baselined", "serving.limits:fits")]


@pytest.mark.parametrize(
    "moved",
    [
        tree("import os\n\n\n" + MIXED),
        tree(MIXED, "serving/sizes/limits.py"),
        tree(MIXED.replace("weights_mb <= budget_gb", "(\n        weights_mb\n        <= budget_gb\n    )")),
        tree(MIXED.replace("fits", "has_room")),
        tree("class Limits:\n    @staticmethod" + MIXED.replace("\n", "\n    ")),
    ],
    ids=["lines", "file", "formatted", "function", "class"],
)
def test_what_moved_is_not_new(moved: SourceTree) -> None:
    result = run(moved, baseline=known(tree()))
    assert (result.findings, result.baselined, result.stale) == ((), 1, ())
    result = run(moved, tree())
    assert (result.findings, result.against and result.against.unchanged) == ((), 1)


def test_an_entry_is_stale_when_its_finding_is_gone_not_when_less_is_asked_for() -> None:
    baseline = known(tree(MIXED + MORE))
    assert [entry.symbol for entry in run(tree(), baseline=baseline).stale] == ["serving.limits:larger"]
    assert run(tree(MIXED + MORE), baseline=baseline, min_confidence="high").stale == ()
    assert run(tree(), baseline=baseline, select=("negative-budget",)).stale == ()
    options = CheckOptions(baseline=baseline)
    result = check(tree(), [], options)
    assert not fails(result, options)
    assert run(tree(), baseline=baseline, stale="ignore").stale == ()
    assert fails(result, msgspec.structs.replace(options, stale="fail"))


def test_a_baseline_is_updated_and_pruned() -> None:
    before = known(tree())
    state = baseline_state(tree(MORE), before, CheckOptions())
    assert [len(part) for part in (state.known, state.stale, state.new)] == [0, 1, 1]
    assert state.pruned.findings == ()
    assert run(tree(MORE), baseline=state.updated).findings == ()
    other_rule = baseline_state(tree(MORE), before, CheckOptions(select=("negative-budget",)))
    assert other_rule.pruned == before


def test_a_known_entry_is_renewed_so_that_it_says_where_the_code_is_now() -> None:
    moved = tree(MIXED, "serving/sizes/limits.py")
    (entry,) = baseline_state(moved, known(tree()), CheckOptions()).updated.findings
    assert entry.path == "serving/sizes/limits.py"
    assert entry.fingerprint == everything(moved, CheckOptions()).findings[0].fingerprint


def test_only_what_is_new_against_another_source_is_reported() -> None:
    result = run(tree(MIXED + MORE), tree())
    assert symbols(result) == ["larger"]
    assert result.against is not None
    assert (result.against.unchanged, result.against.gone) == (1, 0)
    result = run(tree(), tree(MIXED + MORE))
    assert result.findings == ()
    assert result.against is not None
    assert (result.against.unchanged, result.against.gone) == (1, 1)


def test_what_was_suppressed_before_is_new_without_its_comment_no_more() -> None:
    suppressed = tree(MIXED.replace("budget_gb\n", "budget_gb  # sgmem: ignore[SGM101] fine\n"))
    assert run(tree(), suppressed).findings == ()
    assert run(suppressed, tree()).findings == ()


@pytest.mark.parametrize(("level", "failing"), [("note", True), ("warning", True), ("error", False)])
def test_findings_below_the_level_that_counts_do_not_fail(level: Any, failing: bool) -> None:
    options = CheckOptions(levels=(("SGM101", "warning"),), fail_on=level)
    result = check(tree(), [], options)
    assert len(result.findings) == 1
    assert fails(result, options) is failing


FLOW = """
import torch

def used():
    return torch.cuda.memory_allocated(){source}

def headroom(total_gb):{body}
"""
BODY = """
    taken = used()
    return (
        total_gb
        - taken{sink}
    )"""


@pytest.mark.parametrize(
    "comments",
    [
        {"source": "  # sgmem: ignore[unit-mismatch] at the source", "sink": ""},
        {"source": "", "sink": "  # sgmem: ignore[unit-mismatch] at the sink, in a statement of many lines"},
        {"source": "  # noqa: E501  # sgmem: ignore[SGM101] after another tool's", "sink": ""},
    ],
    ids=["source", "sink", "shared"],
)
def test_a_comment_at_the_source_or_the_sink_suppresses(comments: dict[str, str]) -> None:
    def text(source: str, sink: str) -> str:
        return FLOW.format(source=source, body=BODY.format(sink=sink))

    assert len(run(tree(text("", ""))).findings) == 1
    result = run(tree(text(**comments)))
    assert (result.findings, result.suppressed) == ((), 1)
    assert result.held[0].reason
