"""Unpacking a wheel that nobody vouches for."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError
from sgmem.source.names import printable

if TYPE_CHECKING:
    from pathlib import Path

_MAX_MEMBERS = 200_000
_MAX_MEMBER_BYTES = 64 * 2**20
_MAX_TOTAL_BYTES = 2**30
_ARCHIVE_ERRORS = (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, RuntimeError, zlib.error)
_CHUNK = 2**20
# Drive letters, alternate streams, other separators, characters that no installer accepts.
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f:\\*?\"<>|]")
# Where an installer puts what a wheel keeps apart.
_DATA = re.compile(r"^[^/]+\.data/(?:purelib|platlib)/")
_RECORDS = ("METADATA", "RECORD", "top_level.txt", "WHEEL")
_REGULAR_TYPES = (0, stat.S_IFREG)


def unpack_wheel(wheel: Path, folder: Path) -> int:
    """Write the Python files and the installer's records of `wheel` below `folder`; how many Python files there are.

    UsageError, naming the member, if a member would leave the folder, is a link or another special file, or is larger
    than any source is; the folder may then hold a part of the wheel. Nothing but regular files is ever created.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = archive.infolist()
            if len(members) > _MAX_MEMBERS:
                raise UsageError(f"{wheel.name} is refused: it has {len(members)} members")
            for member in members:
                _check(member, wheel.name)
            return _write([member for member in members if _is_wanted(member)], archive, folder, wheel.name)
    except (*_ARCHIVE_ERRORS, ValueError, OSError) as error:
        raise UsageError(f"{wheel.name} cannot be unpacked: {printable(str(error))}") from error


def _check(member: zipfile.ZipInfo, wheel: str) -> None:
    """UsageError for a member that no honest wheel has.

    `orig_filename` is what the archive says, `filename` what zipfile makes of it.
    """
    name = member.orig_filename
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or _FORBIDDEN.search(name) or any(part in ("", ".", "..") for part in parts):
        raise UsageError(f"{wheel} is refused: its member {printable(name)} would leave the folder")
    if any(part != part.rstrip(" .") for part in parts):
        raise UsageError(f"{wheel} is refused: its member {printable(name)} ends in a dot or a space")
    if not member.is_dir() and stat.S_IFMT(member.external_attr >> 16) not in _REGULAR_TYPES:
        raise UsageError(f"{wheel} is refused: its member {printable(name)} is a link or a special file")


def _is_wanted(member: zipfile.ZipInfo) -> bool:
    """The rest (kernels, tables of tuned parameters) is larger than the source and is not looked at."""
    folder, _, name = member.filename.rpartition("/")
    if member.is_dir():
        return False
    return name.endswith(".py") or (folder.endswith(".dist-info") and "/" not in folder and name in _RECORDS)


def _write(members: list[zipfile.ZipInfo], archive: zipfile.ZipFile, folder: Path, wheel: str) -> int:
    total = 0
    for member in members:
        target = folder.joinpath(*_DATA.sub("", member.filename).split("/"))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            total += _write_member(archive, member, target, min(_MAX_MEMBER_BYTES, _MAX_TOTAL_BYTES - total), wheel)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise UsageError(f"{wheel} is refused: its member {printable(member.filename)} is both a file and a folder") from error
    return len({member.filename for member in members if member.filename.endswith(".py")})


def _write_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, limit: int, wheel: str) -> int:
    """Copy one member; its size is counted, for what the archive says about it may be a lie."""
    written = 0
    with archive.open(member) as packed, target.open("wb") as unpacked:
        while chunk := packed.read(_CHUNK):
            written += len(chunk)
            if written > limit:
                raise UsageError(f"{wheel} is refused: its member {printable(member.filename)} is too large")
            unpacked.write(chunk)
    return written
