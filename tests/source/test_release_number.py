from __future__ import annotations

import pytest

from sgmem.source.release_number import find_version, metadata_version, normal_name


def version_of(files: dict[str, str], package: str = "pkg", above: tuple[str, ...] = ()) -> str | None:
    beside = {path.partition("/")[0] for path in files}

    def read(path: str) -> bytes | None:
        text = files.get(path.removeprefix("./"))
        return text.encode() if text is not None else None

    return find_version(read, package=package, beside=beside, above=above)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"pkg-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: pkg\nVersion: 1.2\n\nVersion: 9"}, "1.2"),
        ({"PKG-1.2.dist-info/METADATA": "Version: 1.2"}, "1.2"),
        ({"pkg/version.py": '__version__ = "1.2"'}, "1.2"),
        ({"pkg/__init__.py": "import os\n__version__: str = '1.2.post1'\n"}, "1.2.post1"),
        ({"pkg/_version.py": "__version__ = version = '1.2'"}, "1.2"),
        ({"pkg/_version.py": "version: str\n__version__ = version = '1.2'"}, "1.2"),
        ({"pkg/__init__.py": 'x = {"version": "1"}\n  __version__ = "2"\n'}, None),
        ({"pkg/__init__.py": '__version__ = get("1.2")'}, None),
        ({"pyproject.toml": '[project]\nname = "pkg"\nversion = "1.2"\n[tool.x]\nversion = "3"'}, "1.2"),
        ({"pyproject.toml": '[tool.x]\nversion = "3"\n[project]\ndynamic = ["version"]\n'}, None),
        ({"pyproject.toml": '[tool.poetry]\nversion = "1.2"'}, "1.2"),
    ],
)
def test_where_a_version_is_found(files: dict[str, str], expected: str | None) -> None:
    assert version_of(files) == expected


def test_the_installer_knows_best() -> None:
    assert version_of({"pkg/version.py": '__version__ = "0"', "pkg-1.dist-info/METADATA": "Version: 1"}) == "1"


def test_a_fork_is_found_by_its_list_of_files() -> None:
    files = {
        "fork-2.dist-info/METADATA": "Version: 2",
        "fork-2.dist-info/RECORD": "fork/x.py,,\npkg/__init__.py,sha256=x,1\n",
        "other-3.dist-info/METADATA": "Version: 3",
        "other-3.dist-info/RECORD": "mypkg/__init__.py,,\n",
    }
    assert version_of(files) == "2"


def test_the_project_above() -> None:
    files = {"../pyproject.toml": '[project]\nversion = "1.2"'}
    assert version_of(files) is None
    assert version_of(files, above=("..",)) == "1.2"


def test_a_plain_folder_may_have_a_version() -> None:
    assert version_of({"version.py": '__version__ = "4"'}, package="") == "4"


def test_versions_are_printable() -> None:
    assert version_of({"pkg/version.py": '__version__ = "1\x1b[31m"'}) == "1\\u001b[31m"


def test_metadata() -> None:
    assert metadata_version(b"Name: x\nVersion: 1.0\n") == "1.0"
    assert metadata_version(b"Name: x\n") is None


@pytest.mark.parametrize(("one", "other"), [("My.Pkg", "my_pkg"), ("a--b", "a_b")])
def test_names_of_distributions(one: str, other: str) -> None:
    assert normal_name(one) == normal_name(other)
