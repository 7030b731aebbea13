from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import UsageError
from sgmem.source import pip
from sgmem.source.pip import fetch_wheel

if TYPE_CHECKING:
    from pathlib import Path

RETRYING = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('[Errno 111] Connection refused')': /pkg/\n"
)
NONE_FOUND = (
    "ERROR: Could not find a version that satisfies the requirement pkg==1.2 (from versions: {})\nERROR: No matching distribution\n"
)


@pytest.mark.parametrize(
    ("output", "message", "hint"),
    [
        (RETRYING + NONE_FOUND.format("none"), "cannot be reached (Connection refused)", "folder named"),
        (NONE_FOUND.format("none"), "finds no wheel", "source only"),
        (RETRYING + NONE_FOUND.format("1.0, 1.1"), "finds no wheel", "the newest with a wheel are 1.0, 1.1"),
        ("ERROR: No space left on device\n", "No space left on device", ""),
    ],
)
def test_an_index_that_cannot_be_reached_is_not_taken_for_one_without_the_release(output: str, message: str, hint: str) -> None:
    error = pip._refusal("pkg", "1.2", output)
    assert message in error.message
    assert hint in (error.hint or "")


def publish(index: Path, wheel: str) -> None:
    name, version = wheel.split("-")[:2]
    with zipfile.ZipFile(index / wheel, "w") as archive:
        archive.writestr("pkg/__init__.py", "")
        archive.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\n")


def test_a_wheel_for_another_machine_is_as_good(index: Path, tmp_path: Path) -> None:
    publish(index, "my_pkg-1.2-cp38-cp38-win_arm64.whl")
    publish(index, "my_pkg-1.2-cp310-cp310-manylinux_2_99_s390x.manylinux_2_98_s390x.whl")
    publish(index, "my_pkg-1.3-cp311-cp311-win_arm64.whl")
    assert fetch_wheel("My-Pkg", "1.2", tmp_path).name == "my_pkg-1.2-cp310-cp310-manylinux_2_99_s390x.manylinux_2_98_s390x.whl"


def test_a_wheel_for_this_machine_comes_first(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg-1-cp399-cp399-win_arm64.whl")
    publish(index, "pkg-1-py3-none-any.whl")
    assert fetch_wheel("pkg", "1", tmp_path).name == "pkg-1-py3-none-any.whl"


def test_wheels_of_other_releases_do_not_stand_in(index: Path, tmp_path: Path) -> None:
    publish(index, "pkg-1.2-cp310-cp310-win_arm64.whl")
    publish(index, "pkg_tools-1-cp310-cp310-win_arm64.whl")
    with pytest.raises(UsageError, match="pip finds no wheel of pkg==1"):
        fetch_wheel("pkg", "1", tmp_path)
