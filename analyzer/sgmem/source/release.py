"""A published release as a folder: its wheel, fetched by pip once, unpacked and kept."""

from __future__ import annotations

import atexit
import contextlib
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from sgmem.cache.place import cache_folder
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.source.names import printable
from sgmem.source.pip import fetch_wheel
from sgmem.source.release_number import normal_name
from sgmem.source.wheel import unpack_wheel

_SPEC = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*==\s*"
    r"(?P<version>[A-Za-z0-9](?:[A-Za-z0-9.!+_-]*[A-Za-z0-9])?)"
)
_MARKER = ".sgmem-release.json"
_UNFINISHED = "unfinished-"
_UNFINISHED_SECONDS = 24 * 3600


def parse_release(spec: str) -> tuple[str, str] | None:
    """Name and version of `package==version`, None if `spec` is not of that form."""
    match = _SPEC.fullmatch(spec.strip())
    return (match["name"], match["version"]) if match else None


def release_folder(name: str, version: str, *, store: Path | None = None) -> Path:
    """The folder that holds the unpacked wheel of a release, fetched if it is not kept yet.

    `store` is where releases are kept, by default the user's cache; a temporary folder if that cannot be written.
    UsageError if the release cannot be had or its wheel is hostile; NothingAnalysed if the wheel holds no Python file.
    """
    releases = _writable(store if store is not None else _default_store())
    folder = releases / f"{normal_name(name)}-{version}"
    if _python_files(folder) is None:
        _remove_unfinished(releases)
        _fetch(name, version, releases, folder)
    if not _python_files(folder):
        raise NothingAnalysed(
            f"the wheel of {name}=={version} holds no Python file",
            hint="it may be a name only; look for the package that holds the source",
        )
    return folder


def _default_store() -> Path | None:
    cache = cache_folder()
    return cache / "releases" if cache is not None else None


def _writable(store: Path | None) -> Path:
    """`store`, or a folder that is removed when the process ends if nothing can be written there."""
    if store is not None:
        with contextlib.suppress(OSError):
            store.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=store):
                return store
    temporary = Path(tempfile.mkdtemp(prefix="sgmem-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return temporary


def _python_files(folder: Path) -> int | None:
    """How many Python files an unpacked release has; None if it is not there or not complete."""
    try:
        marker = json.loads((folder / _MARKER).read_bytes())
        return int(marker["python_files"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _remove_unfinished(releases: Path) -> None:
    """What killed runs left behind; what a run that is still going on works in is younger."""
    for folder in releases.glob(_UNFINISHED + "*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _UNFINISHED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _fetch(name: str, version: str, releases: Path, folder: Path) -> None:
    """Fetch and unpack into a folder of our own, then give it its name: others see all of it or nothing."""
    if sys.stderr.isatty():
        print(f"fetching {name}=={version}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=releases, ignore_cleanup_errors=True) as work:
        wheel = fetch_wheel(name, version, Path(work))
        unpacked = Path(work, "unpacked")
        unpacked.mkdir()
        count = unpack_wheel(wheel, unpacked)
        (unpacked / _MARKER).write_text(json.dumps({"wheel": wheel.name, "python_files": count}))
        _publish(unpacked, folder)


def _publish(unpacked: Path, folder: Path) -> None:
    """Rename `unpacked` to `folder`, unless another run was faster; what is there but incomplete makes way."""
    for _ in range(2):
        try:
            unpacked.rename(folder)
            return
        except OSError:
            if _python_files(folder) is not None:
                return
            with contextlib.suppress(OSError):
                folder.rename(unpacked.with_name("broken"))
    if _python_files(folder) is None:
        raise UsageError(f"the release cannot be kept in {printable(str(folder))}")
