from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sgmem.source.walk import is_skipped, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.source.selection import Listing


def paths(listing: Listing) -> list[str]:
    return [found.path for found in listing.files]


def test_python_files_sorted_by_path(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"b.py": "", "a/z.py": "", "a/b/c.py": "", "a.txt": "", "a.pyc": "", "py": "", "x.PY": "", ".py": ""})
    listing = walk(str(tmp_path))
    assert paths(listing) == [".py", "a/b/c.py", "a/z.py", "b.py"]
    assert [Path(found.key) for found in listing.files] == [tmp_path / path for path in paths(listing)]
    assert listing.complete and listing.unreadable == []


@pytest.mark.parametrize("folder", [".git", ".venv", "__pycache__", "node_modules", "site-packages"])
def test_folders_that_hold_no_source_are_skipped(folder: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {f"pkg/{folder}/a.py": "", "pkg/b.py": ""})
    assert is_skipped(folder)
    assert paths(walk(str(tmp_path))) == ["pkg/b.py"]


def test_a_virtual_environment_is_skipped_whatever_its_name(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"env/pyvenv.cfg": "", "env/lib/a.py": "", "a.py": ""})
    assert paths(walk(str(tmp_path))) == ["a.py"]
    assert paths(walk(str(tmp_path / "env"))) == ["lib/a.py"]


def test_a_skipped_name_is_walked_when_it_is_the_root(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {".hidden/a.py": ""})
    assert paths(walk(str(tmp_path / ".hidden"))) == ["a.py"]


def test_loops_of_links_end(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"a/m.py": "", "b/n.py": ""})
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "b").symlink_to(tmp_path / "b")
    (tmp_path / "b" / "a").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "nowhere").symlink_to("nowhere")
    listing = walk(str(tmp_path))
    assert paths(listing) == ["a/b/n.py", "a/m.py", "b/a/m.py", "b/n.py"]
    assert {found.path: found.real for found in listing.files} == {
        "a/m.py": None,
        "b/n.py": None,
        "a/b/n.py": "b/n.py",
        "b/a/m.py": "a/m.py",
    }


def test_many_links_to_each_other_do_not_multiply(tmp_path: Path, write: Callable[..., Path]) -> None:
    names = [f"d{number}" for number in range(12)]
    write(tmp_path, {f"{name}/m.py": "" for name in names})
    for name in names:
        for other in names:
            (tmp_path / name / f"to_{other}").symlink_to(tmp_path / other)
    assert len(paths(walk(str(tmp_path)))) == 12 + 12 * 11


def test_links_do_not_leave_the_root(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"root/a.py": "", "secret/s.py": "", "root-2/t.py": ""})
    root = tmp_path / "root"
    (root / "folder").symlink_to(tmp_path / "secret")
    (root / "sibling").symlink_to(tmp_path / "root-2")
    (root / "file.py").symlink_to(tmp_path / "secret" / "s.py")
    (root / "gone.py").symlink_to("nothing.py")
    (root / "loop.py").symlink_to("loop.py")
    (root / "alias.py").symlink_to("a.py")
    listing = walk(str(root))
    assert paths(listing) == ["a.py", "alias.py"]
    assert [path for path, _ in listing.unreadable] == ["file.py", "gone.py", "loop.py"]
    assert "leaves" in dict(listing.unreadable)["file.py"]


def test_installers_may_link_files_to_their_cache(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"cache/s.py": "", "site/a.py": ""})
    (tmp_path / "site" / "linked.py").symlink_to(tmp_path / "cache" / "s.py")
    (tmp_path / "site" / "folder").symlink_to(tmp_path / "cache")
    assert paths(walk(str(tmp_path / "site"), outside_links=True)) == ["a.py", "linked.py"]


def test_a_root_that_is_a_link_is_walked(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"real/a/m.py": ""})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(walk(str(tmp_path / "link"))) == ["a/m.py"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_and_folders_called_like_files_are_no_files(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"x.py/inner.py": ""})
    os.mkfifo(tmp_path / "pipe.py")
    assert paths(walk(str(tmp_path))) == ["x.py/inner.py"]


def test_odd_names(tmp_path: Path, write: Callable[..., Path]) -> None:
    names = ["new\nline.py", "sp ace.py", "ütf.py", "\udcff\udcfe.py", "\x01.py", "\\.py"]
    write(tmp_path, dict.fromkeys(names, ""))
    assert paths(walk(str(tmp_path))) == sorted(names)


@pytest.mark.skipif(os.geteuid() == 0, reason="root lists every folder")
def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"a.py": "", "locked/b.py": ""})
    (tmp_path / "locked").chmod(0)
    try:
        listing = walk(str(tmp_path))
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert paths(listing) == ["a.py"]
    assert [path for path, _ in listing.unreadable] == ["locked"]


def test_a_folder_that_vanished_is_reported(tmp_path: Path) -> None:
    listing = walk(str(tmp_path / "gone"))
    assert listing.files == []
    assert listing.unreadable[0][0] == "."


def test_the_walk_gives_up_when_told_to(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {f"d{number}/m.py": "" for number in range(5)})
    assert not walk(str(tmp_path), max_folders=3).complete
    assert walk(str(tmp_path), max_folders=6).complete


def test_the_walk_gives_up_on_too_many_files(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {f"d{number}/m.py": "" for number in range(5)})
    assert not walk(str(tmp_path), max_files=2).complete
    assert walk(str(tmp_path), max_files=5).complete


def test_deep_folders_do_not_exhaust_the_stack(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(400):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "m.py").write_text("")
    assert len(walk(str(tmp_path)).files) == 1
