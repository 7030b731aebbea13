"""Finding an installed package in other environments, without running their Python and without importing anything."""

from __future__ import annotations

import json
import os
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sgmem.source.disk import read_file
from sgmem.source.names import printable
from sgmem.source.release_number import metadata_version, normal_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ENVIRONMENT_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")
_SITE_PATTERNS = (
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "lib/pypy*/site-packages",
    "Lib/site-packages",
    "lib/python3*/dist-packages",
    "local/lib/python3*/dist-packages",
)
# Where projects keep their packages.
_LAYOUTS = (".", "src", "python", "lib")
_MAX_BYTES = 4 * 2**20


class Installed(msgspec.Struct, frozen=True):
    """A package found: its folder, and the version its installer recorded (None where that is beside the folder)."""

    package: str
    folder: Path
    version: str | None = None


class Environment(msgspec.Struct, frozen=True):
    """A place where packages may be installed, and how users know it."""

    shown_as: str
    sites: tuple[Path, ...]


def environments(working_folder: Path, variables: Mapping[str, str]) -> list[Environment]:
    """Environments to search, most specific first: the active ones, `.venv` of the working folder, our own."""
    prefixes = [(f"${name}", Path(value)) for name in _ENVIRONMENT_VARIABLES if (value := variables.get(name))]
    prefixes.append((".venv", working_folder / ".venv"))
    found = [Environment(f"{shown} ({printable(str(prefix))})", _sites(prefix)) for shown, prefix in prefixes]
    own = sysconfig.get_paths()
    sites = tuple(dict.fromkeys(Path(own[kind]) for kind in ("purelib", "platlib") if kind in own))
    return [*(environment for environment in found if environment.sites), Environment("sgmem's own environment", sites)]


def find_installed(packages: Sequence[str], where: Sequence[Environment]) -> Installed | None:
    """The first of `packages` (import names) that is in one of the environments."""
    for environment in where:
        for package in packages:
            for site in environment.sites:
                for found in (*_plain(site, package), *_by_path_file(site, package), *_editable(site, package)):
                    return found
    return None


def _sites(prefix: Path) -> tuple[Path, ...]:
    found = [site for pattern in _SITE_PATTERNS for site in sorted(prefix.glob(pattern), reverse=True)]
    return tuple({os.path.realpath(site): site for site in found if site.is_dir()}.values())


def _plain(site: Path, package: str) -> Iterator[Installed]:
    """Copied into the environment."""
    if _is_package(site / package):
        yield Installed(package, site / package)


def _by_path_file(site: Path, package: str) -> Iterator[Installed]:
    """In a folder that a `.pth` file names. Lines that begin with `import` are code; they are not run."""
    for line in _lines(sorted(_glob(site, "*.pth"))):
        if line.startswith(("#", "import ", "import\t")) or "\0" in line:
            continue
        folder = site / line / package
        if _is_package(folder):
            yield Installed(package, folder, _recorded_version(site, package))


def _editable(site: Path, package: str) -> Iterator[Installed]:
    """Behind an import hook: the folder is in the hook's table, or in what the installer wrote about the origin."""
    for hook in sorted(_glob(site, "__editable__*finder.py")):
        for quoted in re.findall(rf"""['"]{re.escape(package)}['"]\s*:\s*['"]([^'"\n]+)['"]""", _text(hook)):
            folder = Path(quoted.replace("\\\\", "\\"))
            if folder.is_absolute() and _is_package(folder):
                yield Installed(package, folder, _recorded_version(site, package))
    for info in _infos(site, package):
        for folder in _origins(info, package):
            if _is_package(folder):
                yield Installed(package, folder, _recorded_version(site, package))


def _origins(info: Path, package: str) -> Iterator[Path]:
    """Where the package may be in the project that `direct_url.json` says was installed in editable mode."""
    try:
        origin = json.loads(_text(info / "direct_url.json") or "{}")
        url, editable = origin["url"], origin["dir_info"]["editable"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if editable is not True or not isinstance(url, str) or not url.startswith("file://"):
        return
    from urllib.request import url2pathname

    project = Path(url2pathname(url.removeprefix("file://")))
    yield from (project / layout / package for layout in _LAYOUTS)


def _recorded_version(site: Path, package: str) -> str | None:
    for info in _infos(site, package):
        if version := metadata_version(_bytes(info / "METADATA") or b""):
            return version
    return None


def _infos(site: Path, package: str) -> list[Path]:
    """The records of distributions that are called like the package or say that they hold it."""
    return [
        info
        for info in sorted(_glob(site, "*.dist-info"))
        if normal_name(info.name.removesuffix(".dist-info").partition("-")[0]) == normal_name(package)
        or package in _text(info / "top_level.txt").split()
    ]


def _is_package(folder: Path) -> bool:
    """Whether a folder holds Python files at its top or in folders right below it."""
    try:
        return folder.is_dir() and any(True for pattern in ("*.py", "*/*.py") for _ in folder.glob(pattern))
    except (OSError, ValueError):
        return False


def _glob(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _lines(files: Sequence[Path]) -> Iterator[str]:
    for file in files:
        for line in _text(file).splitlines():
            if line.strip():
                yield line.strip()


def _text(file: Path) -> str:
    return (_bytes(file) or b"").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _bytes(file: Path) -> bytes | None:
    try:
        return read_file(str(file), _MAX_BYTES)[0]
    except OSError:
        return None
