from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.source import release
from sgmem.source.release import parse_release, release_folder

if TYPE_CHECKING:
    from pathlib import Path


def publish(index: Path, name: str, version: str, files: dict[str, str], requires: str = "") -> Path:
    wheel = index / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))
    return wheel


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pkg==1.2", ("pkg", "1.2")),
        (" my.pkg == 1.2.post1+cu1 ", ("my.pkg", "1.2.post1+cu1")),
        ("pkg", None),
        ("pkg==", None),
        ("==1", None),
        ("pkg>=1", None),
        ("pkg==1.*", None),
        ("--index-url==1", None),
        ("pkg==../x", None),
        ("pkg==1 --index-url x", None),
        ("pkg[extra]==1", None),
        ("a==1==2", None),
    ],
)
def test_what_is_a_release(spec: str, expected: tuple[str, str] | None) -> None:
    assert parse_release(spec) == expected


def test_a_release_is_fetched_once(index: Path, tmp_path: Path) -> None:
    wheel = publish(index, "pkg", "1.2", {"pkg/__init__.py": "", "pkg/a.py": "x", "pkg/k.so": ""}, "Requires-Python: <3\n")
    folder = release_folder("pkg", "1.2", store=tmp_path / "kept")
    assert folder == tmp_path / "kept" / "pkg-1.2"
    assert (folder / "pkg" / "a.py").read_text() == "x"
    assert not (folder / "pkg" / "k.so").exists()
    wheel.unlink()
    assert release_folder("pkg", "1.2", store=tmp_path / "kept") == folder
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["pkg-1.2"]


def test_names_are_one_up_to_their_spelling(index: Path, tmp_path: Path) -> None:
    publish(index, "my_pkg", "1", {"pkg/__init__.py": ""})
    folder = release_folder("My.Pkg", "1", store=tmp_path / "kept")
    assert folder == release_folder("my-pkg", "1", store=tmp_path / "kept")


def test_dependencies_are_not_fetched(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg", "1", {"pkg/__init__.py": ""}, "Requires-Dist: absent\n")
    assert release_folder("pkg", "1", store=tmp_path / "kept").is_dir()


def test_an_unknown_version_names_those_that_can_be_had(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg", "1.1", {"pkg/__init__.py": ""})
    publish(index, "pkg", "1.2", {"pkg/__init__.py": ""})
    with pytest.raises(UsageError, match=r"no wheel of pkg==3") as raised:
        release_folder("pkg", "3", store=tmp_path / "kept")
    assert raised.value.hint == "the newest with a wheel are 1.1, 1.2"
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_release_that_is_source_only_is_not_built(index: Path, tmp_path: Path) -> None:
    (index / "pkg-1.tar.gz").write_bytes(b"")
    with pytest.raises(UsageError, match="no wheel") as raised:
        release_folder("pkg", "1", store=tmp_path / "kept")
    assert raised.value.hint is not None and "not built" in raised.value.hint


def test_an_empty_wheel_analyses_nothing(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg", "1", {"pkg/readme.txt": ""})
    for _ in range(2):
        with pytest.raises(NothingAnalysed, match="pkg==1 holds no Python file"):
            release_folder("pkg", "1", store=tmp_path / "kept")


def test_a_hostile_wheel_leaves_nothing_behind(index: Path, tmp_path: Path) -> None:
    wheel = publish(index, "pkg", "1", {"pkg/__init__.py": ""})
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("../../../evil.py", "x")
    with pytest.raises(UsageError, match="would leave the folder"):
        release_folder("pkg", "1", store=tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []
    assert not list(tmp_path.rglob("evil.py"))


def test_a_pip_in_the_working_folder_is_not_run(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(index, "pkg", "1", {"pkg/__init__.py": ""})
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / "pip.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(hostile)
    release_folder("pkg", "1", store=tmp_path / "kept")
    assert not (tmp_path / "ran").exists()


def test_two_runs_at_once(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg", "1", {"pkg/__init__.py": "", **{f"pkg/m{number}.py": "" for number in range(300)}})
    script = (
        "import sys; from pathlib import Path; from sgmem.source.release import release_folder;"
        " folder = release_folder('pkg', '1', store=Path(sys.argv[1])); print(len(list(folder.rglob('*.py'))))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, str(tmp_path / "kept")]
    runs = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [run.communicate()[0].strip() for run in runs] == ["301", "301"]
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["pkg-1"]


@pytest.fixture
def downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel that a stand-in for pip downloads."""
    wheel = publish(tmp_path, "pkg", "1", {"pkg/__init__.py": "new"})
    monkeypatch.setattr(release, "fetch_wheel", lambda *_: wheel)
    return wheel


@pytest.mark.usefixtures("downloaded")
@pytest.mark.parametrize("marker", [None, "", "{}", "[]", "null", '{"python_files": "x"}'])
def test_an_incomplete_release_is_fetched_again(marker: str | None, tmp_path: Path) -> None:
    broken = tmp_path / "kept" / "pkg-1"
    (broken / "pkg").mkdir(parents=True)
    (broken / "pkg" / "old.py").write_text("")
    if marker is not None:
        (broken / ".sgmem-release.json").write_text(marker)
    folder = release_folder("pkg", "1", store=tmp_path / "kept")
    assert folder == broken
    assert [path.name for path in folder.rglob("*.py")] == ["__init__.py"]
    assert json.loads((folder / ".sgmem-release.json").read_text())["python_files"] == 1


@pytest.mark.usefixtures("downloaded")
def test_whoever_is_first_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tmp_path / "kept" / "pkg-1"
    unpack = release.unpack_wheel

    def unpack_while_another_run_ends(wheel: Path, folder: Path) -> int:
        (first / "pkg").mkdir(parents=True)
        (first / "pkg" / "__init__.py").write_text("first")
        (first / ".sgmem-release.json").write_text('{"python_files": 1}')
        return unpack(wheel, folder)

    monkeypatch.setattr(release, "unpack_wheel", unpack_while_another_run_ends)
    assert (release_folder("pkg", "1", store=tmp_path / "kept") / "pkg" / "__init__.py").read_text() == "first"


@pytest.mark.usefixtures("downloaded")
def test_what_killed_runs_left_is_removed(tmp_path: Path) -> None:
    old, young = (tmp_path / "kept" / f"unfinished-{name}" for name in ("old", "young"))
    for folder in (old, young):
        (folder / "wheel").mkdir(parents=True)
    os.utime(old, (time.time() - 90_000,) * 2)
    release_folder("pkg", "1", store=tmp_path / "kept")
    assert young.exists() and not old.exists()


@pytest.mark.usefixtures("downloaded")
def test_without_a_place_to_keep_it_a_release_is_temporary(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = release_folder("pkg", "1", store=tmp_path / "file" / "kept")
    assert (folder / "pkg" / "__init__.py").read_text() == "new"


@pytest.mark.usefixtures("downloaded")
def test_releases_are_kept_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGMEM_CACHE_DIR", str(tmp_path / "cache"))
    assert release_folder("pkg", "1") == tmp_path / "cache" / "releases" / "pkg-1"


@pytest.mark.usefixtures("downloaded")
@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    release_folder("pkg", "1", store=tmp_path / "kept")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ("fetching pkg==1\n" if terminal else "")


def test_pip_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([], 1, b"", b"WARNING: x\nERROR: no\x1b[31m network\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(UsageError, match="pip cannot fetch pkg==1: no") as raised:
        release_folder("pkg", "1", store=tmp_path / "kept")
    assert "\x1b" not in str(raised.value)


def test_pip_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))
    with pytest.raises(UsageError, match="pip cannot be run"):
        release_folder("pkg", "1", store=tmp_path / "kept")
