"""Where an editor or a CI page finds a file."""

from __future__ import annotations

import os
from pathlib import Path

from sgmem.source.names import uri_reference


def uri_prefix(folder: str, working_folder: Path) -> str:
    """What comes before a path below `folder` in a URI.

    Relative to the repository worked in (the working folder if that is in none) when `folder` is inside; else absolute.
    """
    top = os.path.realpath(repository_root(working_folder) or working_folder)
    real = os.path.realpath(folder)
    if real == top:
        return ""
    if is_inside(real, top):
        return uri_reference(os.path.relpath(real, top)) + "/"
    return uri_reference(str(normal(Path(folder)))).rstrip("/") + "/"


def repository_root(folder: Path) -> Path | None:
    """The nearest folder around `folder`, itself included, that is a repository's working tree."""
    absolute = normal(folder)
    return next((around for around in (absolute, *absolute.parents) if (around / ".git").exists()), None)


def normal(folder: Path) -> Path:
    """Absolute, without `.` and `..`, with links as the user knows them: resolving them would show foreign names."""
    return Path(os.path.abspath(folder))  # noqa: PTH100


def is_inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both normal."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
