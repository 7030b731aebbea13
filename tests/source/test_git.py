from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sgmem.cache.store import Store
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.config.settings import SourceSettings
from sgmem.source.git import open_revision
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Callable

SETTINGS = SourceSettings(anchors=("anchor_field",), max_file_bytes=1000)
FILES = {
    "python/pyproject.toml": '[project]\nversion = "0"',
    "python/pkg/__init__.py": "",
    "python/pkg/version.py": '__version__ = "1.2"',
    "python/pkg/srt/args.py": "anchor_field = 1",
    "python/pkg/srt/layers/__init__.py": "",
    "kernel/kern/__init__.py": "",
    "setup.py": "",
}
PACKAGE = [path.removeprefix("python/") for path in sorted(FILES) if path.startswith("python/pkg/")]


@pytest.fixture
def worked_in(repository: Any, write: Callable[..., Path]) -> Path:
    """A repository with one commit, whose working tree has since been emptied."""
    write(repository.folder, FILES)
    repository.commit()
    repository.git("tag", "v1")
    for file in sorted(repository.folder.rglob("*.py")):
        file.unlink()
    return Path(repository.folder)


def open_source(working_folder: Path, revision: str = "HEAD", path: str = "", package: str | None = None) -> SourceTree:
    return open_revision(revision, path, package=package, working_folder=working_folder, settings=SETTINGS)


@pytest.mark.parametrize("revision", ["HEAD", "v1", "main", "HEAD^{tree}", "main~0"])
def test_a_revision_is_read_without_a_checkout(revision: str, worked_in: Path) -> None:
    tree = open_source(worked_in, revision)
    assert (tree.root, tree.package, tree.version) == (f"{revision}:python", "pkg", "1.2")
    assert list(tree.files) == PACKAGE
    assert tree.files["pkg/srt/args.py"].uri == "python/pkg/srt/args.py"
    assert tree.read("pkg/srt/args.py") == b"anchor_field = 1"
    assert tree.mentioning("anchor_field") == ("pkg/srt/args.py",)
    assert tree.unreadable == ()


@pytest.mark.parametrize("path", ["python", "python/", "python/pkg", "./python", "kernel/../python"])
def test_a_path_in_a_revision(path: str, worked_in: Path) -> None:
    tree = open_source(worked_in, path=path)
    assert (tree.root, list(tree.files)) == ("HEAD:python", PACKAGE)


def test_a_folder_in_the_package(worked_in: Path) -> None:
    tree = open_source(worked_in, path="python/pkg/srt/layers")
    assert (tree.root, tree.package, list(tree.files)) == ("HEAD:python", "pkg", ["pkg/srt/layers/__init__.py"])
    assert tree.read("pkg/srt/layers/__init__.py") == b""


def test_paths_with_a_dot_start_where_one_works(worked_in: Path) -> None:
    (worked_in / "kernel").mkdir(exist_ok=True)
    assert open_source(worked_in / "kernel", path="./kern").package == "kern"
    assert open_source(worked_in / "kernel", path="../python").package == "pkg"
    assert open_source(worked_in / "kernel", path="kernel").package == "kern"


def test_a_package_by_name(worked_in: Path) -> None:
    assert open_source(worked_in, package="kern").root == "HEAD:kernel"
    with pytest.raises(NothingAnalysed) as raised:
        open_source(worked_in, package="absent")
    assert raised.value.candidates == ("kern", "pkg")


@pytest.mark.parametrize("revision", ["absent", "--help", "-x", "HEAD~9", "\0", "", "a b", "HEAD:python/pkg/version.py"])
def test_an_unknown_revision(revision: str, worked_in: Path) -> None:
    with pytest.raises(UsageError, match="no revision") as raised:
        open_source(worked_in, revision)
    assert "\0" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("absent", "does not exist"),
        ("pyth", "does not exist"),
        ("python/pkg/version.py", "is a file"),
        ("../..", "outside the repository"),
        ("/etc", "outside the repository"),
    ],
)
def test_a_path_that_is_not_there(path: str, said: str, worked_in: Path) -> None:
    with pytest.raises(UsageError, match=said):
        open_source(worked_in, path=path)


def test_a_folder_without_python(repository: Any, write: Callable[..., Path]) -> None:
    write(repository.folder, {"docs/a.md": ""})
    repository.commit()
    with pytest.raises(NothingAnalysed, match="HEAD:docs holds no Python file"):
        open_source(repository.folder, path="docs")


def test_not_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        open_source(tmp_path)


def test_no_commit_yet(repository: Any) -> None:
    with pytest.raises(UsageError, match="no revision HEAD"):
        open_source(repository.folder)


def test_without_git(worked_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs git"):
        open_source(worked_in)


def test_a_bare_repository(worked_in: Path, repository: Any, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--bare", str(worked_in), str(tmp_path / "bare.git"))
    assert list(open_source(tmp_path / "bare.git", "v1").files) == PACKAGE


def test_odd_names(repository: Any, write: Callable[..., Path]) -> None:
    names = ["tab\t.py", "new\nline.py", 'quo"te.py', "ü.py", "\udcff.py", "back\\slash.py", " .py"]
    write(repository.folder, {"pkg/__init__.py": "", **{f"pkg/{name}": name for name in names}})
    repository.commit()
    tree = open_source(repository.folder)
    read = {tree.read(path).decode("utf-8", "surrogateescape") for path in tree.files}
    assert read == {"", *names}
    assert all(path.isprintable() for path in tree.files)


def test_skipped_folders_are_those_of_the_disk(repository: Any, write: Callable[..., Path]) -> None:
    write(
        repository.folder,
        {"pkg/__init__.py": "", "pkg/.hidden/a.py": "", "node_modules/x/__init__.py": "", "pkg/.b.py": ""},
    )
    repository.commit()
    assert list(open_source(repository.folder).files) == ["pkg/.b.py", "pkg/__init__.py"]


def test_links_and_submodules(repository: Any, write: Callable[..., Path]) -> None:
    folder = write(repository.folder, {"pkg/__init__.py": "", "pkg/srt/a.py": "a", "third/party.py": "p", "third/m.py": "m"})
    (folder / "pkg" / "alias.py").symlink_to("srt/a.py")
    (folder / "pkg" / "linked.py").symlink_to("../third/party.py")
    (folder / "pkg" / "vendored").symlink_to("../third")
    (folder / "pkg" / "chain").symlink_to("vendored")
    (folder / "pkg" / "self").symlink_to(".")
    (folder / "pkg" / "loop.py").symlink_to("loop.py")
    (folder / "pkg" / "gone.py").symlink_to("nothing.py")
    (folder / "pkg" / "outside.py").symlink_to("/etc/hostname")
    revision = repository.commit()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{revision},pkg/module")
    repository.git("commit", "--quiet", "--message=x")
    tree = open_source(folder)
    assert {path: tree.read(path) for path in tree.files} == {
        "pkg/__init__.py": b"",
        "pkg/srt/a.py": b"a",
        "pkg/linked.py": b"p",
        "pkg/vendored/party.py": b"p",
        "pkg/vendored/m.py": b"m",
        "pkg/chain/party.py": b"p",
        "pkg/chain/m.py": b"m",
    }
    reasons = {file.path: file.why for file in tree.unreadable}
    assert set(reasons) == {"pkg/gone.py", "pkg/loop.py", "pkg/outside.py", "pkg/module"}
    assert "submodule" in reasons["pkg/module"]


def test_a_file_too_large_is_reported(repository: Any, write: Callable[..., Path]) -> None:
    write(repository.folder, {"pkg/__init__.py": "", "pkg/big.py": "x" * 1001})
    repository.commit()
    tree = open_source(repository.folder)
    assert tree.read("pkg/big.py") == b""
    assert [file.path for file in tree.unreadable] == ["pkg/big.py"]


def test_a_missing_object_is_reported(worked_in: Path, repository: Any) -> None:
    name = repository.git("rev-parse", "HEAD:python/pkg/srt/args.py")
    (worked_in / ".git" / "objects" / name[:2] / name[2:]).unlink()
    tree = open_source(worked_in, package="pkg")
    assert tree.read("pkg/srt/args.py") == b""
    assert [(file.path, "git cannot read" in file.why) for file in tree.unreadable] == [("pkg/srt/args.py", True)]
    assert tree.read("pkg/version.py") != b""


def test_the_fingerprint_is_of_the_content_and_reads_nothing(
    worked_in: Path, repository: Any, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository.folder, FILES)
    repository.commit()
    write(repository.folder, {"python/pkg/srt/args.py": "anchor_field = 2"})
    repository.commit()
    monkeypatch.setattr("sgmem.source.git.RevisionContents.read", lambda *_: pytest.fail("read"))
    now, before, first = (open_source(worked_in, revision).fingerprint() for revision in ("HEAD", "HEAD~1", "v1"))
    assert before == first != now


def test_a_second_run_knows_digests_and_words_without_reading(worked_in: Path, tmp_path: Path) -> None:
    def look(store: Store) -> tuple[SourceTree, list[str], list[tuple[str, ...]]]:
        tree = open_revision("HEAD", "python", package=None, working_folder=worked_in, settings=SETTINGS, store=store)
        names = ["anchor_field", "__version__", *(f"absent{number}" for number in range(30))]
        return tree, [tree.digest(path) for path in tree.files], [tree.mentioning(name) for name in names]

    with Store.open(tmp_path / "cache") as store:
        _, *first = look(store)
    with Store.open(tmp_path / "cache") as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sgmem.source.git.RevisionContents.read", lambda *_: pytest.fail("read"))
        _, *second = look(store)
    assert first == second
    assert first[1][0] == ("pkg/srt/args.py",)


def test_digests_are_those_of_a_folder_with_the_same_files(worked_in: Path) -> None:
    tree = open_source(worked_in)
    texts = {path.removeprefix("python/"): text for path, text in FILES.items() if path.startswith("python/pkg/")}
    memory = SourceTree.from_texts(texts)
    assert {path: tree.digest(path) for path in tree.files} == {path: memory.digest(path) for path in memory.files}


def test_many_files(repository: Any, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.git_objects._OBJECTS_PER_QUESTION", 7)
    write(repository.folder, {"pkg/__init__.py": "", **{f"pkg/m{number}.py": f"x = {number}\n" for number in range(50)}})
    repository.commit()
    tree = open_source(repository.folder)
    assert all(tree.read(f"pkg/m{number}.py") == f"x = {number}\n".encode() for number in range(50))


def test_nothing_of_the_repository_is_run(worked_in: Path, repository: Any) -> None:
    """A hostile repository must not get its configuration run by being looked at."""
    mark = worked_in / "mark"
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external"):
        repository.git("config", key, f"touch {mark}")
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        file = worked_in / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {mark}\n")
        file.chmod(0o755)
    tree = open_source(worked_in)
    tree.mentioning("anchor_field")
    assert not mark.exists()
