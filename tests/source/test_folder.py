from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.store import NullStore, Store
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.config.settings import SourceSettings
from sgmem.source.folder import find_in_folder, path_in_package

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.source.tree import SourceTree

SETTINGS = SourceSettings(anchors=("anchor_field",), max_file_bytes=1000)
PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/version.py": '__version__ = "1.2"',
    "pkg/srt/args.py": "anchor_field = 1",
    "pkg/srt/layers/__init__.py": "",
}


def open_folder(folder: Path, working_folder: Path | None = None, **options: object) -> SourceTree:
    options = {"package": None, "settings": SETTINGS, "store": NullStore(), **options}
    found = find_in_folder(folder, **options)  # type: ignore[arg-type]
    return found.open(working_folder=working_folder or folder)


@pytest.mark.parametrize("holder", [".", "python", "src", "a/b/c"])
def test_the_package_in_a_folder_or_repository(holder: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path / holder, PACKAGE)
    tree = open_folder(tmp_path)
    assert (tree.package, tree.version, tree.root) == ("pkg", "1.2", str(tmp_path / holder))
    assert list(tree.files) == sorted(PACKAGE)
    assert tree.read("pkg/srt/args.py") == b"anchor_field = 1"
    prefix = "" if holder == "." else holder + "/"
    assert tree.files["pkg/srt/args.py"].uri == prefix + "pkg/srt/args.py"


def test_the_package_folder_itself(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, PACKAGE)
    tree = open_folder(tmp_path / "pkg", tmp_path)
    assert (tree.package, tree.root, list(tree.files)) == ("pkg", str(tmp_path), sorted(PACKAGE))


@pytest.mark.parametrize("inner", ["srt", "srt/layers"])
def test_a_folder_in_a_package_is_that_part_of_it(inner: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, PACKAGE)
    tree = open_folder(tmp_path / "pkg" / inner, tmp_path)
    assert tree.package == "pkg"
    assert list(tree.files) == [path for path in sorted(PACKAGE) if path.startswith(f"pkg/{inner}/")]
    assert tree.read(next(iter(tree.files))) is not None
    assert tree.version == "1.2"


def test_a_name_looks_inside_a_folder_that_seems_to_be_in_another_package(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"outer/__init__.py": ""})
    write(tmp_path / "outer" / "data", PACKAGE)
    assert open_folder(tmp_path / "outer" / "data").package == "outer"
    assert open_folder(tmp_path / "outer" / "data", package="pkg").package == "pkg"
    with pytest.raises(NothingAnalysed):
        open_folder(tmp_path / "outer" / "data", package="absent")


def test_plain_modules(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"a.py": "x", "b/c.py": "y"})
    tree = open_folder(tmp_path)
    assert (tree.package, tree.version, list(tree.files)) == ("", None, ["a.py", "b/c.py"])


def test_only_the_chosen_package_is_analysed(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {**PACKAGE, "other/__init__.py": "", "setup.py": "", "test/anchor.py": "anchor_field"})
    assert list(open_folder(tmp_path).files) == sorted(PACKAGE)
    assert list(open_folder(tmp_path, package="other").files) == ["other/__init__.py"]


@pytest.mark.parametrize("files", [{}, {"readme.md": "x"}])
def test_no_python_is_an_error(files: dict[str, str], tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, files)
    with pytest.raises(NothingAnalysed, match="holds no Python file"):
        open_folder(tmp_path)


def test_a_file_too_large_is_reported_when_it_is_read(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/big.py": "x" * 1001})
    tree = open_folder(tmp_path)
    assert tree.mentioning("x" * 1001) == ()
    assert [(file.path, "limit" in file.why) for file in tree.unreadable] == [("pkg/big.py", True)]


def test_a_file_that_went_away_is_reported(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, PACKAGE)
    tree = open_folder(tmp_path)
    (tmp_path / "pkg/srt/args.py").unlink()
    assert tree.read("pkg/srt/args.py") == b""
    assert [file.path for file in tree.unreadable] == ["pkg/srt/args.py"]


def test_odd_names_are_told_apart_and_read(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/\udcff.py": "bytes", "pkg/\\xff.py": "text", "pkg/a\n.py": "line"})
    tree = open_folder(tmp_path)
    assert {path: tree.read(path) for path in tree.files} == {
        "pkg/__init__.py": b"",
        "pkg/\\xff.py": b"bytes",
        "pkg/\\\\xff.py": b"text",
        "pkg/a\\u000a.py": b"line",
    }
    assert tree.files["pkg/\\xff.py"].uri == "pkg/%FF.py"


def test_a_file_linked_within_the_package_counts_once(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {**PACKAGE, "third/party.py": "x", "third/more.py": "y"})
    (tmp_path / "pkg" / "alias.py").symlink_to("srt/args.py")
    (tmp_path / "pkg" / "again").symlink_to("srt")
    (tmp_path / "pkg" / "vendored").symlink_to("../third")
    (tmp_path / "pkg" / "outside.py").symlink_to("/etc/hostname")
    tree = open_folder(tmp_path)
    assert set(tree.files) - set(PACKAGE) == {"pkg/vendored/more.py", "pkg/vendored/party.py"}
    assert tree.read("pkg/vendored/party.py") == b"x"
    assert [file.path for file in tree.unreadable] == ["pkg/outside.py"]


def test_outside_the_working_folder_uris_are_absolute(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path / "source", PACKAGE)
    tree = open_folder(tmp_path / "source", write(tmp_path / "elsewhere", {}))
    assert tree.files["pkg/__init__.py"].uri == f"{tmp_path}/source/pkg/__init__.py"


@pytest.fixture
def no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the index runs ahead: the time of a change of the inode cannot be set back."""
    monkeypatch.setattr("sgmem.cache.stat_index._RACY_NANOSECONDS", -(10**12))


@pytest.mark.usefixtures("no_race")
def test_unchanged_files_are_not_read_to_know_their_digests(
    tmp_path: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "source", {**PACKAGE, "other/__init__.py": ""})
    with Store.open(tmp_path / "cache") as store:
        fingerprint = open_folder(source, store=store).fingerprint()
    reads: list[str] = []

    def read_file(path: str, max_bytes: int) -> tuple[bytes, None]:
        reads.append(path)
        return Path(path).read_bytes(), None

    monkeypatch.setattr("sgmem.source.disk.read_file", read_file)
    with Store.open(tmp_path / "cache") as store:
        assert open_folder(source, store=store).fingerprint() == fingerprint
        assert reads == []
        (source / "pkg" / "srt" / "args.py").write_text("anchor_field = 2")
        assert open_folder(source, store=store).fingerprint() != fingerprint
    assert str(source / "pkg" / "srt" / "args.py") in reads


def test_a_folder_with_more_files_than_any_source(tmp_path: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.folder._MAX_FILES", 3)
    write(tmp_path, {**PACKAGE, "z/a.py": ""})
    with pytest.raises(UsageError, match="too large"):
        open_folder(tmp_path)


def test_path_in_package_on_disk(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, PACKAGE)
    assert path_in_package(tmp_path / "pkg" / "srt") == "pkg/srt"
    assert path_in_package(tmp_path / "pkg" / "srt" / "..") == "pkg"
    assert path_in_package(tmp_path) == ""
