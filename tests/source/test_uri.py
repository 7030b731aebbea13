from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sgmem.source.uri import is_inside, normal, repository_root, uri_prefix

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def worked_in(tmp_path: Path) -> Path:
    (tmp_path / "repo" / "python" / "pkg").mkdir(parents=True)
    return tmp_path / "repo"


def test_relative_to_the_repository_wherever_in_it_one_works(worked_in: Path) -> None:
    (worked_in / ".git").mkdir()
    assert uri_prefix(str(worked_in / "python"), worked_in) == "python/"
    assert uri_prefix(str(worked_in / "python"), worked_in / "python" / "pkg") == "python/"
    assert uri_prefix(str(worked_in), worked_in) == ""


def test_a_worktree_has_a_file_for_its_repository(worked_in: Path) -> None:
    (worked_in / ".git").write_text("gitdir: elsewhere")
    assert repository_root(worked_in / "python") == worked_in


def test_relative_to_the_working_folder_without_a_repository(worked_in: Path) -> None:
    assert uri_prefix(str(worked_in / "python"), worked_in) == "python/"


def test_absolute_outside(worked_in: Path, tmp_path: Path) -> None:
    other = tmp_path / "repo two"
    other.mkdir()
    assert uri_prefix(str(other), worked_in) == f"{tmp_path}/repo%20two/"


def test_a_link_to_the_working_folder_is_inside(worked_in: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(worked_in)
    assert uri_prefix(str(tmp_path / "link" / "python"), worked_in) == "python/"


def test_normal_paths_keep_links(worked_in: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(worked_in)
    assert normal(tmp_path / "link" / "." / "python" / "..") == tmp_path / "link"


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [("/a/b", "/a", True), ("/a", "/a", True), ("/ab", "/a", False), ("/a", "/", True), ("/", "/a", False)],
)
def test_inside(path: str, folder: str, expected: bool) -> None:
    assert is_inside(path.replace("/", os.sep), folder.replace("/", os.sep)) is expected
