"""Which of the Python files of a listing make up the package that is to be analysed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import NothingAnalysed
from sgmem.source.names import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

INIT = "__init__.py"
INSTALL_FOLDERS = frozenset({"site-packages", "dist-packages"})
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py")
# Folders of a package may leave out `__init__.py`; so many in a row, and what is above is somebody else's.
_LONGEST_GAP = 4
_NAMES_SHOWN = 8


class Candidate(msgspec.Struct, frozen=True):
    """A top-level package of a listing: its import name and the folder it is in ("" or `folder/`)."""

    parent: str
    name: str

    @property
    def prefix(self) -> str:
        """What the paths of its files begin with."""
        return f"{self.parent}{self.name}/" if self.name else self.parent


def place_in_package(folder: str, has: Callable[[str, str], bool]) -> str:
    """Where `folder` is in a package, from the top-level package's name on (`pkg/inner`); "" if it is in none.

    `has(folder, name)` tells whether there is such an entry in a folder.
    """
    parts = folder.split("/")
    depth = gap = 0
    for level in range(len(parts)):
        around = "/".join(parts[: len(parts) - level])
        name = parts[-1 - level]
        if level and (name in INSTALL_FOLDERS or any(has(around, mark) for mark in _PROJECT_MARKS)):
            break
        if name and has(around, INIT):
            depth, gap = level + 1, 0
        else:
            gap += 1
        if gap > _LONGEST_GAP:
            break
    return "/".join(parts[len(parts) - depth :])


def top_level_packages(paths: Iterable[str]) -> list[Candidate]:
    """The packages of a listing that are inside no other package.

    A package may leave out `__init__.py` in folders below its top; so only the outermost folder that has one counts.
    """
    folders = sorted({path[: -len(INIT)] for path in paths if path.endswith("/" + INIT)})
    top: list[str] = []
    for folder in folders:
        if not (top and folder.startswith(top[-1])):
            top.append(folder)
    return [_candidate(folder) for folder in top]


def _candidate(folder: str) -> Candidate:
    parent, _, name = folder.rstrip("/").rpartition("/")
    return Candidate(f"{parent}/" if parent else "", name)


def choose_package(
    paths: Sequence[str], *, where: str, package: str | None, count_anchored: Callable[[Sequence[str]], int]
) -> Candidate:
    """The package to analyse among the Python files `paths` of `where`.

    Named by `package`, or else the one with most files that mention an anchor, or else the only one; a folder without
    packages is a plain folder of modules. NothingAnalysed, with the packages found, if that does not decide.
    """
    packages = top_level_packages(paths)
    if package is not None:
        return _named(paths, packages, package, where)
    if not packages:
        return _without_init(paths)
    loose = _outside(paths, packages)
    if len(packages) == 1 and not loose:
        return packages[0]
    counted = [(count_anchored(files_of(paths, candidate)), candidate) for candidate in packages]
    best = max(anchored for anchored, _ in counted)
    if best > 0:
        return _shallowest([candidate for anchored, candidate in counted if anchored == best])
    if count_anchored(loose):
        return Candidate("", "")
    if len(packages) == 1:
        return packages[0]
    names = _names(packages)
    raise NothingAnalysed(
        f"{where} holds {len(packages)} packages and none looks like the one to analyse: {_some(names)}",
        hint="name it with --package",
        candidates=names,
    )


def files_of(paths: Iterable[str], candidate: Candidate) -> list[str]:
    """The paths that belong to the package."""
    return [path for path in paths if path.startswith(candidate.prefix)]


def _named(paths: Sequence[str], packages: Sequence[Candidate], package: str, where: str) -> Candidate:
    """The package of that name, also one without any `__init__.py`."""
    named = [candidate for candidate in packages if candidate.name == package]
    if not named:
        marker = f"/{package}/"
        folders = {f"/{path}".partition(marker)[0] for path in paths if marker in f"/{path}"}
        named = [Candidate(folder[1:] + "/" if folder else "", package) for folder in folders]
    if named:
        return _shallowest(named)
    names = _names(packages)
    raise NothingAnalysed(f"{where} holds no package {package}" + (f"; it holds {_some(names)}" if names else ""), candidates=names)


def _without_init(paths: Sequence[str]) -> Candidate:
    """One folder that holds all the files is a package without `__init__.py`; anything else is plain modules."""
    first = {path.partition("/")[0] for path in paths}
    if len(first) == 1 and all("/" in path for path in paths):
        return Candidate("", first.pop())
    return Candidate("", "")


def _outside(paths: Iterable[str], packages: Sequence[Candidate]) -> list[str]:
    prefixes = tuple(candidate.prefix for candidate in packages)
    return [path for path in paths if not path.startswith(prefixes)]


def _shallowest(candidates: Iterable[Candidate]) -> Candidate:
    """Of equals, the one nearest to the root: a build folder holds copies deeper down."""
    return min(candidates, key=lambda candidate: (candidate.prefix.count("/"), candidate.prefix))


def _names(packages: Iterable[Candidate]) -> list[str]:
    return sorted({printable(candidate.name) for candidate in packages})


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
