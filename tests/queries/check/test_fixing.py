"""Which fixes are made: safe ones, one per line, only in files that are as they were analysed; and that they mend."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sgmem.config.errors import UsageError
from sgmem.findings.finding import Edit, Finding
from sgmem.queries.check.fixing import diff, fixes
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.locate import open_source
from sgmem.source.tree import SourceTree

UNUSED = """\
def fits(weights_mb, budget_mb):
    # kept
    return weights_mb <= budget_mb  # noqa: E501  # sgmem: ignore[unit-mismatch, SGM201] not any more
"""
BUDGET = """\
from serving.utils import get_available_gpu_memory


def build(options: "Options"):
    spare = get_available_gpu_memory("cuda", 0) - options.reserved_gb  # what is left
    return TokenPool(int(spare * 1024))


class Options:
    reserved_gb: float = 2.0


class TokenPool:
    def __init__(self, size):
        self.size = size
"""


def opened(folder: Path, text: str) -> SourceTree:
    package = folder / "serving"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "a.py").write_text(text)
    return open_source(str(folder), working_folder=folder)


def found(tree: SourceTree) -> tuple[Finding, ...]:
    return check(tree, [], CheckOptions()).findings


def test_an_unused_suppression_is_taken_out_and_the_rest_stays(tmp_path: Path) -> None:
    tree = opened(tmp_path, UNUSED)
    (change,) = fixes(tree, found(tree)).changes
    assert change.after.decode() == UNUSED.replace("  # sgmem: ignore[unit-mismatch, SGM201] not any more", "")
    assert (tmp_path / "serving" / "a.py").read_text() == UNUSED
    assert found(opened(tmp_path, change.after.decode())) == ()


def test_a_name_that_is_still_needed_stays(tmp_path: Path) -> None:
    text = UNUSED.replace("budget_mb", "budget_gb")
    tree = opened(tmp_path, text)
    (change,) = fixes(tree, found(tree)).changes
    assert change.after.decode() == text.replace("[unit-mismatch, SGM201]", "[unit-mismatch]")
    assert found(opened(tmp_path, change.after.decode())) == ()


def test_a_missing_guard_is_offered_as_unsafe_and_mends(tmp_path: Path) -> None:
    tree = opened(tmp_path, BUDGET)
    assert [one.rule for one in found(tree)] == ["negative-budget"]
    assert fixes(tree, found(tree)).changes == ()
    (change,) = fixes(tree, found(tree), unsafe=True).changes
    lines = change.after.decode().split("\n")
    assert lines[4].endswith("# what is left")
    assert lines[5] == "    if spare < 0:"
    assert lines[6].startswith('        raise ValueError(f"spare is {spare}, below 0, because ')
    assert found(opened(tmp_path, change.after.decode())) == ()


def test_two_fixes_are_never_made_on_one_line(tmp_path: Path) -> None:
    tree = opened(tmp_path, UNUSED)
    (one,) = found(tree)
    other = msgspec.structs.replace(one, edits=(Edit("replace", "serving/a.py", 3, 12, 3, 22, "x"),))
    result = fixes(tree, [one, other])
    assert result.count == 1
    assert [(finding, why) for finding, why in result.left] == [(other, "another fix is on its line; run again")]


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    tree = opened(tmp_path, UNUSED)
    findings = found(tree)
    (tmp_path / "serving" / "a.py").write_text("# new\n" + UNUSED)
    result = fixes(tree, findings)
    assert result.changes == ()
    assert "changed since" in result.left[0][1]


def test_what_is_no_folder_cannot_be_fixed() -> None:
    tree = SourceTree.from_texts({"serving/a.py": UNUSED})
    with pytest.raises(UsageError, match="no folder"):
        fixes(tree, found(tree))


def test_the_diff_is_one_that_git_applies(tmp_path: Path) -> None:
    tree = opened(tmp_path, UNUSED.rstrip("\n"))
    result = fixes(tree, found(tree))
    text = diff(result.changes, {path: file.uri for path, file in tree.files.items()})
    assert text.startswith("--- a/serving/a.py\n+++ b/serving/a.py\n@@ -1,3 +1,3 @@\n")
    assert text.count("\\ No newline at end of file\n") == 2
