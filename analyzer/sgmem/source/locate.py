"""What `--source` means: a folder, a git revision, a release, or, when nothing is said, what is at hand."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.cache.store import NullStore, Store
from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.config.settings import DEFAULT_SOURCE_SETTINGS, SourceSettings
from sgmem.source.folder import FolderSource, find_in_folder, path_in_package
from sgmem.source.names import printable

if TYPE_CHECKING:
    from sgmem.source.tree import SourceTree

# A working folder with more folders than that is not one project's.
_MAX_FOLDERS = 20_000
_WAYS = "a source is a folder, REVISION: or REVISION:FOLDER of this repository, or PACKAGE==VERSION"
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+[A-Za-z0-9.+-]*)")
_OTHERWISE = re.compile(r"([A-Za-z][\w.-]*?)\s*(?:[~>]?=|===|@|-v?|\s)\s*(\d+(?:\.\d+)+[A-Za-z0-9.+]*)")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def open_source(
    spec: str | None,
    *,
    package: str | None = None,
    working_folder: Path | None = None,
    settings: SourceSettings = DEFAULT_SOURCE_SETTINGS,
    store: Store | None = None,
) -> SourceTree:
    """The source tree that `spec` names; without one the working folder if it looks right, else an installed package.

    A folder of that name comes first. `package` is the import name to analyse where there are several. `store`
    remembers between runs which files are unchanged; it must be closed to do so. UsageError for what does not exist;
    NothingAnalysed if there is no Python package in it.
    """
    working_folder = working_folder or _current_folder()
    store = store or NullStore()
    if spec == "":
        raise UsageError("the source is an empty string", hint=_WAYS)
    if spec is None:
        return _at_hand(package, working_folder, settings, store)
    folder = _folder(spec, working_folder)
    if folder is not None:
        found = find_in_folder(folder, package=package, settings=settings, store=store)
        return found.open(working_folder=working_folder)
    return _elsewhere(spec, package, working_folder, settings, store)


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the working folder does not exist any more") from error


def _folder(spec: str, working_folder: Path) -> Path | None:
    """The folder that `spec` names, None if there is nothing of that name on disk."""
    try:
        folder = working_folder / Path(spec).expanduser()
        if folder.is_dir():
            return folder
        if folder.exists():
            raise UsageError(f"{printable(spec)} is a file; a source is a folder")
    except (OSError, ValueError, RuntimeError):
        return None
    return None


def _elsewhere(spec: str, package: str | None, working_folder: Path, settings: SourceSettings, store: Store) -> SourceTree:
    from sgmem.source.release import parse_release, release_folder

    release = parse_release(spec)
    if release is not None:
        folder = release_folder(*release)
        found = find_in_folder(folder, package=package, settings=settings, store=store)
        shown = f"{release[0]}=={release[1]}"
        return found.open(working_folder=working_folder, shown_as=shown, fallback_version=release[1])
    revision, colon, path = spec.partition(":")
    if colon and revision and not _DRIVE.match(spec):
        from sgmem.source.git import open_revision

        return open_revision(revision, path, package=package, working_folder=working_folder, settings=settings, store=store)
    raise UsageError(f"there is no folder {printable(spec)}", hint=_meant(spec, settings) or _WAYS)


def _meant(spec: str, settings: SourceSettings) -> str | None:
    """What somebody who wrote a release or a tag in another way may have meant."""
    if spec in settings.installed:
        return f"{spec}==VERSION names a release; for an installed {spec} leave --source out"
    bare = _VERSION.fullmatch(spec)
    if bare is not None and settings.installed:
        return f"{settings.installed[0]}=={bare[1]} names a release, {spec}: a git tag or revision"
    spelled = _OTHERWISE.fullmatch(spec)
    return f"did you mean {spelled[1]}=={spelled[2]}?" if spelled is not None else None


def _at_hand(package: str | None, working_folder: Path, settings: SourceSettings, store: Store) -> SourceTree:
    """The working folder, or the package around it, if it looks right; else the first installed package."""
    from sgmem.source.installed import environments, find_installed

    found, why_not = _worked_in(package, working_folder, settings, store)
    if found is not None:
        return found.open(working_folder=working_folder)
    names = (package,) if package is not None else settings.installed
    searched = environments(working_folder, os.environ)
    installed = find_installed(names, searched)
    if installed is not None:
        source = find_in_folder(
            installed.folder,
            package=None,
            settings=settings,
            store=store,
            is_package=True,
            outside_links=True,
        )
        return source.open(working_folder=working_folder, fallback_version=installed.version)
    places = ", ".join(environment.shown_as for environment in searched)
    raise NothingAnalysed(
        f"nothing to analyse: {why_not}; and no {' or '.join(names)} is installed in {places}",
        hint=f"name one with --source: {_WAYS}",
    )


def _worked_in(package: str | None, working_folder: Path, settings: SourceSettings, store: Store) -> tuple[FolderSource | None, str]:
    """The package worked in, or why it is not taken. A package that was asked for by name need not look right."""
    below = path_in_package(working_folder)
    folder = working_folder.absolute()
    if below:
        folder = folder.parents[below.count("/") - 1] if "/" in below else folder
    try:
        found = find_in_folder(folder, package=package, settings=settings, store=store, max_folders=_MAX_FOLDERS)
    except (NothingAnalysed, UsageError) as error:
        return None, error.message
    if package is None and not found.looks_right():
        return None, f"{printable(str(folder))} mentions no {' or '.join(settings.anchors)}"
    return found, ""
