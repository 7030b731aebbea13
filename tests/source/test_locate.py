from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sgmem.cache.store import Store
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.config.settings import SourceSettings
from sgmem.source import locate
from sgmem.source.locate import open_source

Write = Callable[..., Path]
SETTINGS = SourceSettings(anchors=("anchor_field",), installed=("pkg",))
PACKAGE = {"pkg/__init__.py": "", "pkg/srt/args.py": "anchor_field"}
SITE = "lib/python3.12/site-packages"


def test_a_folder_absolute_or_from_the_working_folder(tmp_path: Path, write: Write) -> None:
    write(tmp_path / "source", PACKAGE)
    for spec in (str(tmp_path / "source"), "source", "./source/", "source/pkg"):
        tree = open_source(spec, working_folder=tmp_path)
        assert (tree.package, tree.root) == ("pkg", str(tmp_path / "source"))


def test_the_home_folder(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "source", PACKAGE)
    assert open_source("~/source", working_folder=Path("/")).package == "pkg"


def test_the_working_folder_is_that_of_the_process(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "source", PACKAGE)
    monkeypatch.chdir(tmp_path)
    assert open_source("source").files["pkg/__init__.py"].uri == "source/pkg/__init__.py"


def test_a_revision(repository: Any, write: Write) -> None:
    write(repository.folder, PACKAGE)
    repository.commit()
    assert open_source("HEAD:", working_folder=repository.folder).root == "HEAD:"
    assert open_source("HEAD:pkg", working_folder=repository.folder).package == "pkg"


def test_a_release(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def release_folder(name: str, version: str) -> Path:
        asked.append((name, version))
        return write(tmp_path / "kept", {**PACKAGE, "extra/__init__.py": ""})

    monkeypatch.setattr("sgmem.source.release.release_folder", release_folder)
    tree = open_source("fork==1.2", working_folder=tmp_path, settings=SETTINGS)
    assert asked == [("fork", "1.2")]
    assert (tree.root, tree.package, tree.version) == ("fork==1.2", "pkg", "1.2")


def test_a_folder_comes_before_a_release_or_a_revision(tmp_path: Path, write: Write) -> None:
    for spec in ("pkg==1", "HEAD:x"):
        write(tmp_path / spec, PACKAGE)
        assert open_source(spec, working_folder=tmp_path).package == "pkg"


@pytest.mark.parametrize("spec", ["absent", "absent/x", "C:\\absent", "C:/absent", ":x", "~nobody/x", "a\0b", "x" * 5000])
def test_what_is_not_there(spec: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder") as raised:
        open_source(spec, working_folder=tmp_path)
    assert raised.value.exit_code == 2
    assert raised.value.hint is not None and "PACKAGE==VERSION" in raised.value.hint
    assert "\0" not in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("pkg", "pkg==VERSION names a release"),
        ("0.5.9", "pkg==0.5.9 names a release"),
        ("v0.5.9.post1", "pkg==0.5.9.post1 names a release, v0.5.9.post1: a git tag"),
        ("pkg=0.5.9", "did you mean pkg==0.5.9?"),
        ("fork>=1.2", "did you mean fork==1.2?"),
        ("fork 1.2", "did you mean fork==1.2?"),
        ("fork@1.2.3", "did you mean fork==1.2.3?"),
        ("pkg-0.5.9", "did you mean pkg==0.5.9?"),
        ("x=y", "PACKAGE==VERSION"),
        ("src2", "PACKAGE==VERSION"),
    ],
)
def test_a_release_that_is_written_another_way(spec: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder") as raised:
        open_source(spec, working_folder=tmp_path, settings=SETTINGS)
    assert raised.value.hint is not None
    assert meant in raised.value.hint


def test_an_empty_source_is_not_the_working_folder(tmp_path: Path, write: Write) -> None:
    write(tmp_path, PACKAGE)
    with pytest.raises(UsageError, match="empty"):
        open_source("", working_folder=tmp_path)


def test_a_file_is_no_source(tmp_path: Path, write: Write) -> None:
    write(tmp_path, PACKAGE)
    with pytest.raises(UsageError, match="is a file"):
        open_source("pkg/__init__.py", working_folder=tmp_path)


def at_hand(working_folder: Path, package: str | None = None, store: Store | None = None) -> Any:
    return open_source(None, package=package, working_folder=working_folder, settings=SETTINGS, store=store)


def test_the_working_folder_if_it_looks_right(tmp_path: Path, write: Write) -> None:
    write(tmp_path, {**PACKAGE, f".venv/{SITE}/pkg/__init__.py": "", "other/__init__.py": ""})
    tree = at_hand(tmp_path)
    assert (tree.root, list(tree.files)) == (str(tmp_path), sorted(PACKAGE))


@pytest.mark.parametrize("inside", ["pkg", "pkg/srt"])
def test_the_whole_package_when_one_works_inside_it(inside: str, tmp_path: Path, write: Write) -> None:
    write(tmp_path, PACKAGE)
    assert list(at_hand(tmp_path / inside).files) == sorted(PACKAGE)


def test_an_installed_package_otherwise(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "worked_in", {"app/__init__.py": "", f".venv/{SITE}/pkg/__init__.py": "# .venv"})
    assert at_hand(tmp_path / "worked_in").read("pkg/__init__.py") == b"# .venv"
    write(tmp_path / "active" / SITE, {**PACKAGE, "pkg-3.dist-info/METADATA": "Version: 3", "big/__init__.py": ""})
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    tree = at_hand(tmp_path / "worked_in")
    assert (tree.root, tree.package, tree.version) == (str(tmp_path / "active" / SITE), "pkg", "3")
    assert list(tree.files) == sorted(PACKAGE)


def test_an_installed_package_without_init(tmp_path: Path, write: Write) -> None:
    write(tmp_path / ".venv" / SITE, {"pkg/a/__init__.py": "", "pkg/b/__init__.py": "", "x/__init__.py": ""})
    assert list(at_hand(tmp_path).files) == ["pkg/a/__init__.py", "pkg/b/__init__.py"]


def test_an_editable_install_has_the_version_of_its_source(tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "project", PACKAGE)
    records = {"x.pth": str(project), "pkg-3.dist-info/METADATA": "Version: 3"}
    write(tmp_path / "worked_in" / ".venv" / SITE, records)
    tree = at_hand(tmp_path / "worked_in")
    assert (tree.root, tree.version) == (str(project), "3")
    write(project, {"pkg/version.py": "__version__ = '4'"})
    assert at_hand(tmp_path / "worked_in").version == "4"


def test_a_package_asked_for_by_name_need_not_look_right(tmp_path: Path, write: Write) -> None:
    write(tmp_path, {**PACKAGE, "other/__init__.py": "", f".venv/{SITE}/third/__init__.py": ""})
    assert list(at_hand(tmp_path, "other").files) == ["other/__init__.py"]
    assert list(at_hand(tmp_path, "third").files) == ["third/__init__.py"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "holds no Python file"),
        ({"app/__init__.py": ""}, "mentions no anchor_field"),
        ({"a/__init__.py": "", "b/__init__.py": ""}, "holds 2 packages"),
    ],
)
def test_nothing_at_hand(files: dict[str, str], said: str, tmp_path: Path, write: Write) -> None:
    write(tmp_path, files)
    write(tmp_path / ".venv" / SITE, {})
    with pytest.raises(NothingAnalysed, match=said) as raised:
        at_hand(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert ".venv" in str(raised.value)
    assert raised.value.hint is not None and "--source" in raised.value.hint
    assert raised.value.exit_code == 3


def test_a_working_folder_that_is_too_large_is_not_searched(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "_MAX_FOLDERS", 3)
    write(tmp_path, {**PACKAGE, **{f"d{number}/x.py": "" for number in range(5)}})
    with pytest.raises(NothingAnalysed, match="too large to be searched"):
        at_hand(tmp_path)
    assert open_source(".", working_folder=tmp_path, settings=SETTINGS).package == "pkg"


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="does not exist any more"):
        open_source(None)


def test_the_store_is_used_and_changes_no_answer(tmp_path: Path, write: Write) -> None:
    source = write(tmp_path / "source", {**PACKAGE, "other/__init__.py": ""})
    trees = []
    for _ in range(2):
        with Store.open(tmp_path / "cache") as store:
            tree = at_hand(source, store=store)
            trees.append((tree.package, list(tree.files), tree.fingerprint(), tree.mentioning("anchor_field")))
    assert trees[0] == trees[1]
    assert trees[0][3] == ("pkg/srt/args.py",)
