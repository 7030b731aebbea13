"""Which Python files a folder holds, without ever leaving it."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

import msgspec

from sgmem.source.package import INSTALL_FOLDERS
from sgmem.source.selection import Found, Listing
from sgmem.source.uri import is_inside

_SKIPPED_FOLDERS = INSTALL_FOLDERS | {"__pycache__", "node_modules"}
_ENVIRONMENT_MARK = "pyvenv.cfg"


class _Folder(msgspec.Struct, frozen=True):
    absolute: str
    prefix: str
    link: bool


def walk(root: str, *, max_folders: int | None = None, max_files: int | None = None, outside_links: bool = False) -> Listing:
    """The Python files below `root`; hidden folders, caches, virtual environments, installed packages are skipped.

    Links to folders are followed if they stay below `root` and do not lead back to a folder they are in; a link inside
    a linked folder is not followed, which bounds the walk whatever the links are. `outside_links` lets links to *files*
    leave the root. Not `complete` if there are more folders or files than `max_folders` and `max_files`.
    """
    walker = _Walker(root, outside_links)
    pending = deque([_Folder(walker.root, "", link=False)])
    visited = 0
    while pending:
        too_many_files = max_files is not None and len(walker.listing.files) > max_files
        if too_many_files or (max_folders is not None and visited >= max_folders):
            walker.listing.complete = False
            break
        visited += 1
        pending.extend(walker.visit(pending.popleft()))
    walker.listing.files.sort(key=lambda found: found.path)
    walker.listing.unreadable.sort()
    return walker.listing


class _Walker:
    def __init__(self, root: str, outside_links: bool) -> None:
        self.root = os.path.realpath(root)
        self.outside_links = outside_links
        self.listing = Listing([], [])

    def visit(self, folder: _Folder) -> list[_Folder]:
        """Note the files of a folder; the folders in it that are to be visited."""
        try:
            with os.scandir(folder.absolute) as entries:
                children = list(entries)
        except OSError as error:
            self._refuse(folder.prefix.rstrip("/") or ".", f"the folder cannot be listed: {error.strerror or error}")
            return []
        if folder.prefix and any(entry.name == _ENVIRONMENT_MARK for entry in children):
            return []
        inner = []
        for entry in children:
            path = folder.prefix + entry.name
            if _is_folder(entry):
                if not is_skipped(entry.name):
                    inner.extend(self._enter(entry, path, folder))
            elif entry.name.endswith(".py"):
                self._note(entry, path, folder)
        return inner

    def _enter(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> list[_Folder]:
        if not entry.is_symlink():
            return [_Folder(entry.path, path + "/", folder.link)]
        if folder.link:
            return []
        real = os.path.realpath(entry.path)
        # A folder that contains the link would be walked again inside itself.
        if not self._is_inside(real) or is_inside(os.path.realpath(folder.absolute), real):
            return []
        return [_Folder(real, path + "/", link=True)]

    def _note(self, entry: os.DirEntry[str], path: str, folder: _Folder) -> None:
        if not entry.is_symlink():
            try:
                is_file = entry.is_file()
            except OSError:
                is_file = True
            if is_file:
                self.listing.files.append(Found(path, entry.path, self._below_root(entry.path) if folder.link else None))
            return
        real = os.path.realpath(entry.path)
        if not Path(real).exists():
            self._refuse(path, "a link to a file that does not exist, or to itself")
        elif not self._is_inside(real) and not self.outside_links:
            self._refuse(path, "a link that leaves the folder")
        elif Path(real).is_file():
            self.listing.files.append(Found(path, real, self._below_root(real) if self._is_inside(real) else None))

    def _refuse(self, path: str, why: str) -> None:
        self.listing.unreadable.append((path, why))

    def _is_inside(self, real: str) -> bool:
        return is_inside(real, self.root)

    def _below_root(self, real: str) -> str:
        return os.path.relpath(real, self.root).replace(os.sep, "/")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_skipped(name: str) -> bool:
    """Whether a folder of this name holds no source of its own."""
    return name.startswith(".") or name in _SKIPPED_FOLDERS
