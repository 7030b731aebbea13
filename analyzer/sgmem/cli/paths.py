"""The PATHS of `check`: that they exist, and the package they lie in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def existing(paths: Iterable[Path]) -> list[Path]:
    """Return the paths, absolute and without `..`; raises UsageError for one that is missing."""
    from sgmem.source.uri import normal

    found = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        found.append(normal(path))
    return found


def package_around(paths: Sequence[Path]) -> str | None:
    """Return the top folder of the package that holds `paths`, as a source; None without any path.

    Raises UsageError where they lie in different packages: findings need one whole program.
    """
    tops = {top_folder(path) for path in paths}
    if len(tops) > 1:
        first, second = sorted(map(str, tops))[:2]
        raise UsageError(f"the paths lie in different packages: {first} and {second}", hint="give --source, or check one")
    return str(tops.pop()) if tops else None


def top_folder(path: Path) -> Path:
    """The outermost package around `path`, or its own folder where it is in none."""
    from sgmem.source.folder import path_in_package

    folder = path if path.is_dir() else path.parent
    below = path_in_package(folder)
    return folder.parents[below.count("/") - 1] if "/" in below else folder
