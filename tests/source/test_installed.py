from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sgmem.source.installed import Environment, Installed, environments, find_installed

Write = Callable[..., Path]
PACKAGE = {"pkg/__init__.py": "", "pkg/a.py": ""}
METADATA = {"pkg-1.2.dist-info/METADATA": "Version: 1.2"}


def find(site: Path, *packages: str) -> Installed | None:
    return find_installed(packages or ("pkg",), [Environment("it", (site,))])


def test_a_package_copied_into_the_environment(tmp_path: Path, write: Write) -> None:
    write(tmp_path, {**PACKAGE, **METADATA})
    assert find(tmp_path) == Installed("pkg", tmp_path / "pkg")


@pytest.mark.parametrize("files", [{}, {"pkg.py": ""}, {"pkg/readme.txt": ""}, {"pkgs/__init__.py": ""}, METADATA])
def test_what_is_no_package_is_not_found(files: dict[str, str], tmp_path: Path, write: Write) -> None:
    assert find(write(tmp_path, files)) is None


def test_the_first_name_wins(tmp_path: Path, write: Write) -> None:
    write(tmp_path, {"a/__init__.py": "", "b/__init__.py": ""})
    assert find(tmp_path, "b", "a") == Installed("b", tmp_path / "b")
    assert find(tmp_path, "c", "a") == Installed("a", tmp_path / "a")


@pytest.mark.parametrize("line", ["{project}", "../project", "  {project}  ", "\ufeff{project}", "# x\n\n{project}"])
def test_a_path_file(line: str, tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "project", PACKAGE)
    site = write(tmp_path / "site", {"__editable__.pkg.pth": line.format(project=project), **METADATA})
    found = find(site)
    assert found is not None
    assert found.folder.resolve() == project / "pkg"
    assert found.version == "1.2"


@pytest.mark.parametrize("line", ["import {project}", "# {project}", "import os; os.mkdir('{project}/ran')", "\0", "\udcff"])
def test_other_lines_of_path_files_lead_nowhere(line: str, tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "project", PACKAGE)
    site = write(tmp_path / "site", {"x.pth": line.format(project=project)})
    assert find(site) is None
    assert not (project / "ran").exists()


def test_an_import_hook(tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "my project", PACKAGE)
    hook = f"import sys\nMAPPING: dict[str, str] = {{'other': '/x', 'pkg': {str(project / 'pkg')!r}}}\nsys.exit('ran')\n"
    site = write(
        tmp_path / "site",
        {
            "__editable___pkg_1_2_finder.py": hook,
            "__editable__.pkg-1.2.pth": "import __editable___pkg_1_2_finder",
            **METADATA,
        },
    )
    assert find(site) == Installed("pkg", project / "pkg", "1.2")
    assert find(site, "other") is None


@pytest.mark.parametrize("layout", [".", "src", "python"])
def test_the_origin_that_the_installer_wrote_down(layout: str, tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "my project", {f"{layout}/{path}": text for path, text in PACKAGE.items()})
    origin = {"url": project.as_uri(), "dir_info": {"editable": True}}
    site = write(tmp_path / "site", {**METADATA, "pkg-1.2.dist-info/direct_url.json": json.dumps(origin)})
    assert find(site) == Installed("pkg", project / layout / "pkg", "1.2")


def test_a_fork_says_what_it_holds(tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "project", PACKAGE)
    origin = json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}})
    records = {"fork-3.dist-info/METADATA": "Version: 3", "fork-3.dist-info/direct_url.json": origin}
    site = write(tmp_path / "site", records)
    assert find(site) is None
    write(site, {"fork-3.dist-info/top_level.txt": "pkg\nother\n"})
    assert find(site) == Installed("pkg", project / "pkg", "3")


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "not json",
        "[]",
        "null",
        '{"url": 3, "dir_info": {"editable": true}}',
        '{"url": "https://example.org/project", "dir_info": {"editable": true}}',
        '{"url": "file://PROJECT", "dir_info": {}}',
        '{"url": "file://PROJECT", "dir_info": {"editable": false}}',
        "[" * 100_000,
    ],
)
def test_other_origins_lead_nowhere(origin: str, tmp_path: Path, write: Write) -> None:
    project = write(tmp_path / "project", PACKAGE)
    text = origin.replace("PROJECT", str(project))
    assert find(write(tmp_path / "site", {**METADATA, "pkg-1.2.dist-info/direct_url.json": text})) is None


@pytest.mark.parametrize(
    "site",
    [
        "lib/python3.12/site-packages",
        "lib64/python3.11/site-packages",
        "Lib/site-packages",
        "lib/python3/dist-packages",
    ],
)
def test_where_environments_keep_packages(site: str, tmp_path: Path, write: Write) -> None:
    write(tmp_path / "venv" / site, PACKAGE)
    searched = environments(tmp_path, {"VIRTUAL_ENV": str(tmp_path / "venv")})
    assert find_installed(("pkg",), searched) == Installed("pkg", tmp_path / "venv" / site / "pkg")
    assert searched[0].shown_as == f"$VIRTUAL_ENV ({tmp_path / 'venv'})"


def test_the_order_of_environments(tmp_path: Path, write: Write) -> None:
    site = "lib/python3.12/site-packages"
    folders = {name: tmp_path / name for name in ("active", "conda", ".venv")}
    for folder in folders.values():
        write(folder / site, PACKAGE)
    variables = {"VIRTUAL_ENV": str(folders["active"]), "CONDA_PREFIX": str(folders["conda"])}

    def found(variables: dict[str, str], working_folder: Path) -> Path | None:
        installed = find_installed(("pkg",), environments(working_folder, variables))
        return installed.folder if installed else None

    assert found(variables, tmp_path) == folders["active"] / site / "pkg"
    assert found({"CONDA_PREFIX": variables["CONDA_PREFIX"]}, tmp_path) == folders["conda"] / site / "pkg"
    assert found({}, tmp_path) == folders[".venv"] / site / "pkg"
    assert found({"VIRTUAL_ENV": ""}, tmp_path / "active") is None


def test_the_environment_of_the_tool_comes_last(tmp_path: Path) -> None:
    searched = environments(tmp_path, {"VIRTUAL_ENV": str(tmp_path / "gone")})
    assert [environment.shown_as for environment in searched] == ["sgmem's own environment"]
    assert find_installed(("msgspec",), searched) is not None
