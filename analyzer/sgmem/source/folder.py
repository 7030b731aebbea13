"""A source tree from a folder on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sgmem.cache.stat_index import StatIndex
from sgmem.config.errors import UsageError
from sgmem.source.anchors import AnchorCounter
from sgmem.source.disk import Disk, FolderContents, read_file
from sgmem.source.names import printable, uri_reference
from sgmem.source.package import place_in_package
from sgmem.source.release_number import find_version
from sgmem.source.selection import Selection, select_package
from sgmem.source.tree import SourceFile, SourceTree, Unreadable
from sgmem.source.uri import normal, uri_prefix
from sgmem.source.walk import walk

if TYPE_CHECKING:
    from sgmem.cache.store import Store
    from sgmem.config.settings import SourceSettings

_METADATA_BYTES = 4 * 2**20
# Forty times the largest release; a whole disk, rather than a source.
_MAX_FILES = 200_000


class FolderSource(msgspec.Struct):
    """A package found on disk, not read yet: `folder` holds it, as users know that folder."""

    folder: Path
    selection: Selection
    disk: Disk
    count_anchored: AnchorCounter
    store: Store

    def looks_right(self) -> bool:
        """Whether the package mentions an anchor."""
        return self.count_anchored([found.key for found in self.selection.files]) > 0

    def open(self, *, working_folder: Path, shown_as: str | None = None, fallback_version: str | None = None) -> SourceTree:
        """The tree. `shown_as` replaces the folder in what users are told."""
        prefix = uri_prefix(str(self.folder), working_folder)
        selected = self.selection.files
        return SourceTree(
            root=shown_as or printable(str(self.folder)),
            package=printable(self.selection.package),
            version=_version(self.folder, self.selection.package) or fallback_version,
            files=[SourceFile(printable(found.path), prefix + uri_reference(found.path)) for found in selected],
            contents=FolderContents(self.disk, {printable(found.path): found.key for found in selected}),
            unreadable=[Unreadable(printable(path), why) for path, why in self.selection.unreadable],
            store=self.store,
        )


def find_in_folder(
    folder: Path,
    *,
    package: str | None,
    settings: SourceSettings,
    store: Store,
    max_folders: int | None = None,
    is_package: bool = False,
    outside_links: bool = False,
) -> FolderSource:
    """The package that `folder` is, is part of, or holds; `is_package` says that it is one, whatever it looks like.

    A folder inside a package stands for that part of the package. NothingAnalysed if there is no package; UsageError if
    the folder is larger than any source, or has more than `max_folders` folders.
    """
    folder = normal(folder)
    listing = walk(str(folder), max_folders=max_folders, max_files=_MAX_FILES, outside_links=outside_links)
    if not listing.complete:
        raise UsageError(f"{printable(str(folder))} is too large to be searched", hint="name a folder inside it")
    disk = Disk(StatIndex(store, os.path.realpath(folder)), settings.max_file_bytes)
    count_anchored = AnchorCounter(disk, store, settings.anchors)
    selection = select_package(
        listing,
        below=folder.name if is_package else path_in_package(folder),
        where=printable(str(folder)),
        package=package,
        count_anchored=count_anchored,
    )
    holder = folder.parents[selection.levels - 1] if selection.levels else folder
    return FolderSource(holder / selection.parent, selection, disk, count_anchored, store)


def path_in_package(folder: Path) -> str:
    """Where a folder on disk is in a package (`pkg/inner`), "" if it is in none."""
    return place_in_package(normal(folder).as_posix(), lambda around, name: Path(around, name).exists())


def _version(folder: Path, package: str) -> str | None:
    def read(path: str) -> bytes | None:
        try:
            return read_file(str(normal(folder / path)), _METADATA_BYTES)[0]
        except OSError:
            return None

    try:
        beside = [path.name for path in folder.iterdir()]
    except OSError:
        beside = []
    return find_version(read, package=package, beside=beside, above=[".."])
