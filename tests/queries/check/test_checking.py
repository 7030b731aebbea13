"""The check query: what it reports, where, for whom, and what comments do to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sgmem.cache.store import Store
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.findings import registry
from sgmem.queries.check import checking
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.locate import open_source
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.queries.results.check import CheckResult

CLASSIC = Path(__file__).parents[3] / "fixtures" / "classic"
MIXED = """
def fits(weights_mb, budget_gb):
    return weights_mb <= budget_gb{comment}


def also_fits(weights_mb, budget_gb):
    return weights_mb < budget_gb
"""


def run(source: str = MIXED.format(comment=""), *paths: Path, **options: Any) -> CheckResult:
    return check(SourceTree.from_texts({"serving/limits.py": source}), paths, CheckOptions(**options))


def lines(result: CheckResult, rule: str = "unit-mismatch") -> list[int]:
    return [one.line for one in result.findings if one.rule == rule]


def test_the_bundled_example_has_the_findings_it_was_written_for() -> None:
    result = check(open_source(str(CLASSIC), working_folder=CLASSIC), [], CheckOptions())
    assert [(one.rule, one.severity, one.confidence) for one in result.findings] == [
        ("negative-budget", "warning", "high"),
        ("mixed-measurement-times", "note", "high"),
        ("unchecked-fraction", "warning", "high"),
        ("overridden-setting", "warning", "high"),
        ("machine-amount", "warning", "medium"),
    ]
    negative, mixed = result.findings[:2]
    assert "mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory" in negative.message
    assert "21.7 - 94 * (1 - 0.55) = -20.6" in negative.message
    assert "self.max_total_num_tokens <= 0" in negative.message
    assert negative.path == mixed.path == "minisgl/srt/model_executor/kv_cache_mixin.py"
    said = [step.code for step in mixed.steps]
    loading = next(i for i, code in enumerate(said) if "load_model()" in code)
    measured = [i for i, code in enumerate(said) if "= get_available_gpu_memory(" in code]
    assert len(measured) == 2
    assert measured[0] < loading < measured[1] < len(said) - 1


def test_findings_are_in_order_and_carry_their_place() -> None:
    result = run()
    assert lines(result) == [3, 7]
    first = result.findings[0]
    assert (first.column, first.end_line, first.end_column) == (12, 3, 35)
    assert first.symbol == "serving.limits:fits"
    assert first.uri == "serving/limits.py"
    assert result.source.files == 1


def test_fingerprints_survive_what_moves_the_code() -> None:
    moved = run("import os\n\n# a comment\n" + MIXED.format(comment=""))
    assert [one.fingerprint for one in moved.findings] == [one.fingerprint for one in run().findings]
    assert len({one.fingerprint for one in moved.findings}) == 2


@pytest.mark.parametrize("name", ["unit-mismatch", "SGM101", "sgm101"])
def test_a_comment_with_a_reason_suppresses_one_finding(name: str) -> None:
    result = run(MIXED.format(comment=f"  # sgmem: ignore[{name}] both are small"))
    assert lines(result) == [7]
    assert result.suppressed == 1
    assert lines(result, "suppression") == []


def test_a_comment_on_the_line_before_does_as_well() -> None:
    source = MIXED.format(comment="").replace("    return weights_mb <=", "    # sgmem: ignore[SGM101] fine\n    return weights_mb <=")
    result = run(source)
    assert lines(result) == [8]
    assert result.suppressed == 1


@pytest.mark.parametrize(
    ("comment", "about", "left"),
    [
        ("  # sgmem: ignore[SGM101]", "gives no reason", [3, 7]),
        ("  # sgmem: ignore all of it", "names no rule", [3, 7]),
        ("  # sgmem: ignore[negative-budget] no", "negative-budget suppresses nothing", [3, 7]),
        ("  # sgmem: ignore[SGM101, no-such] ok", "'no-such', which is no rule", [7]),
    ],
)
def test_comments_that_do_nothing_are_reported(comment: str, about: str, left: list[int]) -> None:
    result = run(MIXED.format(comment=comment))
    assert lines(result) == left
    told = [one for one in result.findings if one.rule == "suppression"]
    assert [(one.line, one.code) for one in told] == [(3, "SGM001")]
    assert about in told[0].message


def test_a_comment_for_a_rule_that_was_left_out_is_not_judged() -> None:
    source = MIXED.format(comment="  # sgmem: ignore[negative-budget] no")
    assert lines(run(source, ignore=("negative-budget",)), "suppression") == []
    assert lines(run(source, select=("unit-mismatch", "suppression")), "suppression") == []
    assert lines(run(source, select=("SGM001", "SGM201")), "suppression") == [3]


def test_a_comment_is_used_even_by_what_would_not_be_shown() -> None:
    line = "    return a_gb - options.mem_fraction_static  # sgmem: ignore[SGM101] yes\n"
    result = run("def f(options, a_gb):\n" + line, min_confidence="high")
    assert result.findings == ()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"select": ("unit-mismatch",)}, [3, 7]),
        ({"select": ("SGM201",)}, []),
        ({"ignore": ("SGM101",)}, []),
        ({"min_confidence": "high"}, []),
        ({"min_confidence": "medium"}, [3, 7]),
    ],
)
def test_rules_and_confidence_are_chosen(options: dict[str, Any], expected: list[int]) -> None:
    assert lines(run(**options)) == expected


@pytest.mark.parametrize("options", [{"select": ("unit-mismatches",)}, {"ignore": ("SGM999",)}])
def test_an_unknown_rule_is_an_error_with_a_suggestion(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as error:
        run(**options)
    assert error.value.hint


def test_without_rules_there_is_no_clean_bill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: ())
    registry.installed_rules.cache_clear()
    with pytest.raises(UsageError, match="no rules are installed"):
        run()
    registry.installed_rules.cache_clear()


def test_paths_filter_where_findings_are_reported_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        folder = tmp_path / "serving" / name
        folder.mkdir(parents=True)
        (folder / "limits.py").write_text(MIXED.format(comment=""))
        (folder / "__init__.py").write_text("")
    (tmp_path / "serving" / "__init__.py").write_text("")
    monkeypatch.chdir(tmp_path)
    tree = open_source(str(tmp_path), working_folder=tmp_path)
    assert len(check(tree, [], CheckOptions()).findings) == 4
    some = check(tree, [tmp_path / "serving" / "two"], CheckOptions())
    assert {one.path for one in some.findings} == {"serving/two/limits.py"}
    assert len(check(tree, [tmp_path / "serving" / "one" / "limits.py"], CheckOptions()).findings) == 2
    with pytest.raises(NothingAnalysed):
        check(tree, [tmp_path / "elsewhere"], CheckOptions())


def test_a_result_is_remembered_until_something_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGMEM_CACHE_DIR", str(tmp_path))
    computed = []
    compute = checking.compute
    monkeypatch.setattr(checking, "compute", lambda *asked: computed.append(1) or compute(*asked))
    store = Store.open()
    try:
        first = run(store=store)
        assert run(store=store) == first
        assert run(store=store, min_confidence="high").findings == ()
        assert len(computed) == 1
        run(store=store, ignore=("SGM101",))
        run("# changed\n" + MIXED.format(comment=""), store=store)
        assert len(computed) == 3
    finally:
        store.close()


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x_gb = y_mb = z_bytes\n",
        "def f(a_gb):\n    return a_gb + f(a_gb) - f(a_gb + f(a_gb))\n",
        "def f(a_gb):\n    while a_gb:\n        a_gb = a_gb - a_gb\n    return a_gb\n",
        "def f(a_gb):\n    a_gb -= g(a_gb)\n    return f(a_gb)\ndef g(a_gb):\n    return f(a_gb) - 1\n",
        "class A:\n    def f(self):\n        self.x_gb = self.x_gb - self.y_mb\n        self.y_mb = self.x_gb\n",
        "f = lambda a_gb: a_gb - 1\nx = [a_gb - 1 for a_gb in f(1)]\n",
        "def f(a_gb, *b_mb, **c_bytes):\n    return a_gb + b_mb[0] + c_bytes['d_kb']\n",
        "import torch\na_gb, b_gb = torch.cuda.mem_get_info()[0] / 2**30, 1\ndel a_gb\nprint(b_gb - a_gb)\n",
        "def f(a_gb):\n    return " + "+".join(["a_gb"] * 3000) + "\n",
        "def f(a_gb):\n    return " + "(" * 90 + "a_gb" + " - 1)" * 90 + "\n",
    ],
)
def test_odd_programs_end_without_a_crash(source: str) -> None:
    run(source, persona="auditor")


def test_a_source_of_which_nothing_can_be_read_has_no_clean_bill() -> None:
    broken = SourceTree.from_texts({"pkg/a.py": "def f(:\n", "pkg/b.py": b"x = 1\0"}, package="pkg")
    with pytest.raises(NothingAnalysed, match=r"no file of .* could be read") as caught:
        check(broken, (), CheckOptions())
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("pkg/a.py: line 1")


def test_a_source_without_anything_about_memory_is_clean() -> None:
    result = check(SourceTree.from_texts({"pkg/a.py": "x = 1\n"}, package="pkg"), (), CheckOptions())
    assert (result.findings, result.source.analysed) == ((), 1)
