"""The way of a fork's maintainer, on a real release as a git repository: set up, accept what is there, refuse what is new."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from releases.fork import Done, Fork, defects, use_hook

from sgmem.findings.registry import rules_of
from sgmem.report.registry import format_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sgmem.source.tree import SourceTree

VERSION = "0.4.3"
RULES = rules_of("sgmem_rules")

pytestmark = pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed: pip install -e '.[dev]'")


def findings(done: Done) -> list[dict[str, Any]]:
    assert done.code in (0, 1), done.said
    found = json.loads(done.out)["findings"]
    assert isinstance(found, list)
    return found


def test_the_way_of_a_maintainer(release: Callable[[str], SourceTree], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fork = Fork.of(release(VERSION), tmp_path / "fork")
    start(fork)
    known = first_check_and_baseline(fork)
    clean_commit_passes_twice(fork)
    planted = a_commit_with_every_kind_of_defect_is_refused(fork)
    every_format_annotates(fork, planted)
    a_suppression_with_a_reason_lets_it_pass(fork)
    an_unrelated_refactor_brings_nothing_new(fork, known)
    a_mended_finding_is_pruned(fork, known)
    with capsys.disabled():
        print(f"\n{VERSION}\n{fork.table()}")


def start(fork: Fork) -> None:
    done = fork.sgmem("init")
    assert done.code == 0, done.said
    assert "anchor mem_fraction_static: in " in done.err
    assert 'source = "python"' in (fork.folder / "sgmem.toml").read_text()
    assert fork.sgmem("config").code == 0
    fork.note("init", done.seconds)


def first_check_and_baseline(fork: Fork) -> int:
    done = fork.sgmem("check", "-f", "json", "-q")
    known = len(findings(done))
    assert done.code == 1
    assert known >= 1
    fork.note("first check", done.seconds, known)
    again = fork.sgmem("check", "-f", "json", "-q")
    assert again.out == done.out
    fork.note("check, nothing changed", again.seconds, known)
    accepted = fork.sgmem("baseline", "update")
    assert f"0 known, {known} added, 0 dropped" in accepted.err
    fork.note("baseline update", accepted.seconds, known)
    after = fork.sgmem("check", "-f", "json", "-q")
    assert (after.code, json.loads(after.out)["baselined"]) == (0, known)
    fork.note("check with the baseline", after.seconds, 0)
    assert use_hook(fork).code == 0
    return known


def clean_commit_passes_twice(fork: Fork) -> None:
    for name in ("clean commit", "second clean commit"):
        with (fork.below / "sglang" / "version.py").open("a") as file:
            file.write("# a comment\n")
        done = fork.commit(name)
        assert done.code == 0, done.said
        fork.note(f"{name}, hook included", done.seconds, 0)


def a_commit_with_every_kind_of_defect_is_refused(fork: Fork) -> set[str]:
    # The hook runs as a maintainer has it: what pedantic rules find is not for it.
    planted = defects([rule for rule in RULES if rule.persona == "regular"], "sglang")
    comment = {"sglang/planted_comment.py": "x = 1  # sgmem: ignore[no-such-rule] because\n"}
    planted_at_once = {**planted, "suppression": comment}
    done = refused(fork, *planted_at_once.values())
    named = {rule for rule in planted_at_once if f"sgmem rule {rule}" in done.said}
    fork.note("commit with every kind of defect, refused", done.seconds)
    # A program in which some estimate charges a dimension is no case of one that charges it nowhere: such a rule is tried alone.
    for rule in planted_at_once.keys() - named:
        alone = refused(fork, planted_at_once[rule])
        assert f"sgmem rule {rule}" in alone.said, f"{rule} is not named:\n{alone.said[-3000:]}"
    refused(fork, *(planted_at_once[rule] for rule in named))
    assert len(named) >= len(planted) - 2
    return named


def refused(fork: Fork, *planted: Mapping[str, str]) -> Done:
    """A commit of these files, and of nothing that was tried before."""
    fork.reset()
    for files in planted:
        fork.write(files)
    done = fork.commit("defects")
    assert done.code != 0
    return done


def every_format_annotates(fork: Fork, planted: set[str]) -> None:
    formats = format_names("check")
    done = fork.sgmem("check", "-q", *(part for name in formats for part in ("-o", f"{name}:{name}.out")))
    assert done.code == 1
    for name in formats:
        text = (fork.folder / f"{name}.out").read_text(encoding="utf-8").replace("\\-", "-")
        assert [rule for rule in planted if rule not in text] == [], name
        single = fork.sgmem("check", "-q", "-f", name)
        assert single.code == 1
        (fork.folder / f"{name}.out").unlink()
    fork.note(f"check in {len(formats)} formats at once", done.seconds, len(findings(fork.sgmem("check", "-q", "-f", "json"))))


def a_suppression_with_a_reason_lets_it_pass(fork: Fork) -> None:
    fork.reset()
    fork.write({"sglang/ours.py": "def fits(weights_mb, budget_gb):\n    return weights_mb <= budget_gb\n"})
    assert fork.commit("not suppressed").code != 0
    reason = "# sgmem: ignore[unit-mismatch] the server gives both in MB"
    fork.write({"sglang/ours.py": f"def fits(weights_mb, budget_gb):\n    return weights_mb <= budget_gb  {reason}\n"})
    done = fork.commit("suppressed")
    assert done.code == 0, done.said
    fork.note("commit with a suppression", done.seconds, 0)
    fork.write({"sglang/ours.py": f"def fits(weights_mb, budget_mb):\n    return weights_mb <= budget_mb  {reason}\n"})
    assert fork.commit("the suppression is not needed any more").code != 0
    fixed = fork.sgmem("check", "--fix")
    assert (fixed.code, "1 finding fixed in 1 file" in fixed.err) == (0, True), fixed.said
    assert "sgmem" not in (fork.below / "sglang" / "ours.py").read_text()
    fork.note("check --fix", fixed.seconds, 0)
    assert fork.commit("fixed").code == 0


def an_unrelated_refactor_brings_nothing_new(fork: Fork, known: int) -> None:
    before = fork.git("rev-parse", "HEAD").strip()
    entries = json.loads((fork.folder / "sgmem-baseline.json").read_text())["findings"]
    for path in {entry["path"] for entry in entries}:
        file = fork.below / path
        file.write_text("# moved down\n\nREFACTORED = True\n\n" + file.read_text())
    names = {entry["symbol"].rpartition(".")[2] for entry in entries}
    for file in fork.below.rglob("*.py"):
        text = renamed = file.read_text()
        for name in names:
            renamed = renamed.replace(name, f"{name}_renamed") if not name.startswith("__") else renamed
        if renamed != text:
            file.write_text(renamed)
    done = fork.sgmem("check", "-f", "json", "-q")
    assert (findings(done), json.loads(done.out)["baselined"], json.loads(done.out)["stale"]) == ([], known, [])
    fork.note("check after a refactor", done.seconds, 0)
    compared = fork.sgmem("check", "--no-baseline", "--against", before, "-f", "json", "-q")
    assert (findings(compared), json.loads(compared.out)["against"]["unchanged"]) == ([], known)
    fork.note("check --against the commit before", compared.seconds, 0)
    assert fork.commit("a refactor").code == 0


def a_mended_finding_is_pruned(fork: Fork, known: int) -> None:
    one = findings(fork.sgmem("check", "--no-baseline", "-f", "json", "-q"))[0]
    file = fork.below / one["path"]
    lines = file.read_text().split("\n")
    indent = lines[one["line"] - 1][: one["column"] - 1]
    lines[one["line"] - 1 : one["end_line"]] = [f"{indent}pass"]
    file.write_text("\n".join(lines))
    done = fork.sgmem("check")
    assert done.code == 0, done.said
    assert "stale in the baseline:" in done.out
    pruned = fork.sgmem("baseline", "prune")
    assert pruned.code == 0, pruned.said
    left = json.loads((fork.folder / "sgmem-baseline.json").read_text())["findings"]
    assert len(left) < known
    fork.note("baseline prune", pruned.seconds, len(left))
    assert not [line for line in fork.sgmem("baseline", "show").out.splitlines() if line.startswith("stale ")]
    assert fork.commit("mended").code == 0
