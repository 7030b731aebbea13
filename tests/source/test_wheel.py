from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import UsageError
from sgmem.source.wheel import unpack_wheel

if TYPE_CHECKING:
    from pathlib import Path


def make(folder: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    wheel = folder / "pkg-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return wheel


def member(name: str, mode: int) -> zipfile.ZipInfo:
    """A member with the mode that a Unix archiver would note."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def written(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_python_files_and_records_are_unpacked(tmp_path: Path) -> None:
    wheel = make(
        tmp_path,
        [
            ("pkg/__init__.py", b"x = 1"),
            ("pkg/", b""),
            ("pkg/data.json", b"{}"),
            ("pkg/kernel.so", b"\x7fELF"),
            ("pkg-1.dist-info/METADATA", b"Version: 1"),
            ("pkg-1.dist-info/RECORD", b""),
            ("pkg-1.dist-info/licenses/METADATA", b""),
            (member("pkg/mode.py", stat.S_IFREG | 0o4777), b""),
        ],
    )
    out = tmp_path / "out"
    assert unpack_wheel(wheel, out) == 2
    assert written(out) == {"pkg/__init__.py", "pkg/mode.py", "pkg-1.dist-info/METADATA", "pkg-1.dist-info/RECORD"}
    assert (out / "pkg/__init__.py").read_bytes() == b"x = 1"
    assert not (out / "pkg/mode.py").stat().st_mode & (stat.S_ISUID | stat.S_IXUSR)


def test_what_a_wheel_keeps_apart_goes_where_an_installer_puts_it(tmp_path: Path) -> None:
    wheel = make(tmp_path, [("pkg-1.data/purelib/pkg/a.py", b""), ("pkg-1.data/platlib/pkg/b.py", b"")])
    unpack_wheel(wheel, tmp_path / "out")
    assert written(tmp_path / "out") == {"pkg/a.py", "pkg/b.py"}


@pytest.mark.parametrize(
    "name",
    [
        "/etc/evil.py",
        "../evil.py",
        "pkg/../../evil.py",
        "pkg/..",
        "./evil.py",
        "pkg//evil.py",
        "C:/evil.py",
        "C:evil.py",
        "pkg\\..\\evil.py",
        "\\\\server\\share\\evil.py",
        "pkg/evil.py\x00.txt",
        "pkg/new\nline.py",
        "pkg/evil.py:stream",
        "pkg/.. /evil.py",
        "pkg/dot./evil.py",
        "pkg-1.data/purelib/../../../evil.py",
        "",
    ],
)
def test_members_that_would_leave_the_folder_are_refused(name: str, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("x")
    # Zipfile cleans names that are given to it; an attacker does not use zipfile.
    info.filename = info.orig_filename = name
    wheel = make(tmp_path, [("pkg/__init__.py", b""), (info, b"evil")])
    with pytest.raises(UsageError, match="refused") as raised:
        unpack_wheel(wheel, tmp_path / "out")
    assert "\n" not in str(raised.value) and "\0" not in str(raised.value)
    assert written(tmp_path) == {wheel.name}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
@pytest.mark.parametrize("name", ["pkg/evil.py", "pkg/evil"])
def test_links_and_special_files_are_refused(kind: int, name: str, tmp_path: Path) -> None:
    wheel = make(tmp_path, [(member(name, kind | 0o777), b"/etc")])
    with pytest.raises(UsageError, match="link or a special file"):
        unpack_wheel(wheel, tmp_path / "out")
    assert written(tmp_path) == {wheel.name}


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.wheel._MAX_MEMBER_BYTES", 1000)
    with pytest.raises(UsageError, match="too large"):
        unpack_wheel(make(tmp_path, [("pkg/a.py", bytes(1001))]), tmp_path / "out")


def test_many_members_are_counted_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.wheel._MAX_TOTAL_BYTES", 1000)
    with pytest.raises(UsageError, match=r"pkg/b\.py is too large"):
        unpack_wheel(make(tmp_path, [("pkg/a.py", bytes(600)), ("pkg/b.py", bytes(600))]), tmp_path / "out")


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.wheel._MAX_MEMBERS", 3)
    with pytest.raises(UsageError, match="4 members"):
        unpack_wheel(make(tmp_path, [(f"pkg/{number}.py", b"") for number in range(4)]), tmp_path / "out")


def test_a_large_member_that_is_not_source_is_no_reason_to_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.source.wheel._MAX_MEMBER_BYTES", 1000)
    assert unpack_wheel(make(tmp_path, [("pkg/a.py", b""), ("pkg/k.so", bytes(9999))]), tmp_path / "out") == 1


def test_a_file_that_is_a_folder_too_is_refused(tmp_path: Path) -> None:
    for members in (["pkg.py", "pkg.py/a.py"], ["pkg.py/a.py", "pkg.py"]):
        with pytest.raises(UsageError, match=r"refused|unpacked"):
            unpack_wheel(make(tmp_path, [(name, b"") for name in members]), tmp_path / "out")


@pytest.mark.parametrize("damage", [b"", b"no archive", b"PK\x05\x06"])
def test_what_is_no_archive_is_an_error(damage: bytes, tmp_path: Path) -> None:
    wheel = tmp_path / "pkg.whl"
    wheel.write_bytes(damage)
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpack_wheel(wheel, tmp_path / "out")


def test_a_damaged_member_is_an_error(tmp_path: Path) -> None:
    wheel = make(tmp_path, [("pkg/a.py", b"x = 1\n" * 500)])
    data = bytearray(wheel.read_bytes())
    data[40:60] = bytes(20)
    wheel.write_bytes(data)
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpack_wheel(wheel, tmp_path / "out")


def test_a_cut_off_wheel_is_an_error(tmp_path: Path) -> None:
    wheel = make(tmp_path, [("pkg/a.py", b"x = 1\n" * 500)])
    wheel.write_bytes(wheel.read_bytes()[:-30])
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpack_wheel(wheel, tmp_path / "out")


def test_an_encrypted_member_is_an_error(tmp_path: Path) -> None:
    wheel = make(tmp_path, [("pkg/a.py", b"x")])
    data = bytearray(wheel.read_bytes())
    directory = data.rindex(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    wheel.write_bytes(data)
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpack_wheel(wheel, tmp_path / "out")


def test_a_wheel_without_python_is_unpacked(tmp_path: Path) -> None:
    assert unpack_wheel(make(tmp_path, [("pkg-1.dist-info/METADATA", b"")]), tmp_path / "out") == 0
