"""What a package says its version is, read as text and never by importing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sgmem.source.names import printable

_ASSIGNED = re.compile(
    rb"""^(?:__version__|version|VERSION)[ \t]*(?::[ \t]*[\w.]+[ \t]*)?   # a name, maybe annotated
    (?:=[ \t]*(?:__version__|version)[ \t]*)?                             # setuptools-scm chains two names
    =[ \t]*["']([^"'\n]{1,100})["']""",
    re.MULTILINE | re.VERBOSE,
)
_HEADER = re.compile(rb"^Version:[ \t]*(\S{1,100})", re.MULTILINE)
_PROJECT = re.compile(rb"^\[(?:project|tool\.poetry)\][ \t]*$.*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_MODULES = ("version.py", "_version.py", "__version__.py", "__init__.py")

Reader = Callable[[str], bytes | None]


def find_version(read: Reader, *, package: str, beside: Iterable[str], above: Iterable[str] = ()) -> str | None:
    """The version of `package`: from the installer's METADATA beside it, else its own source, else the project file.

    `read` takes a path relative to the folder that holds the package and gives None for what is not there; `beside` are
    the names in that folder; `above` are further folders whose `pyproject.toml` may describe it.
    """
    if not package:
        return _first(read, ["version.py"], _ASSIGNED) or _from_project(read, ["."])
    return (
        _from_metadata(read, package, beside)
        or _first(read, [f"{package}/{module}" for module in _MODULES], _ASSIGNED)
        or _from_project(read, [".", *above])
    )


def _from_metadata(read: Reader, package: str, beside: Iterable[str]) -> str | None:
    """The distribution of that name, else the one whose list of files has the package: forks have their own names."""
    infos = sorted(name for name in beside if name.endswith(".dist-info"))
    own = [info for info in infos if normal_name(info.removesuffix(".dist-info").partition("-")[0]) == normal_name(package)]
    for info in own:
        if version := _first(read, [f"{info}/METADATA"], _HEADER):
            return version
    init = f"{package}/__init__.py,".encode()
    for info in infos:
        record = read(f"{info}/RECORD")
        if record is not None and (record.startswith(init) or b"\n" + init in record):
            return _first(read, [f"{info}/METADATA"], _HEADER)
    return None


def _from_project(read: Reader, folders: Iterable[str]) -> str | None:
    """The version that a project file gives the project; other tables of the file have versions of other things."""
    for folder in folders:
        table = _PROJECT.search(read(f"{folder}/pyproject.toml") or b"")
        if table and (version := _value(_ASSIGNED, table.group())):
            return version
    return None


def _first(read: Reader, paths: Iterable[str], pattern: re.Pattern[bytes]) -> str | None:
    for path in paths:
        if version := _value(pattern, read(path) or b""):
            return version
    return None


def _value(pattern: re.Pattern[bytes], data: bytes) -> str | None:
    match = pattern.search(data)
    return printable(match.group(1).decode("utf-8", "surrogateescape")) if match else None


def metadata_version(metadata: bytes) -> str | None:
    """The version in the METADATA of a distribution."""
    return _value(_HEADER, metadata)


def normal_name(name: str) -> str:
    """Names of distributions are equal up to case and the kind of separator."""
    return re.sub(r"[-_.]+", "_", name).lower()
