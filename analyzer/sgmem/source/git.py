"""A source tree from a git revision, read from the object store without a checkout."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sgmem.cache.store import NullStore, Store
from sgmem.config.errors import UsageError
from sgmem.source.disk import check_size
from sgmem.source.git_listing import list_revision
from sgmem.source.git_objects import Entry, Repository
from sgmem.source.identifiers import mentions_any
from sgmem.source.names import printable, uri_reference
from sgmem.source.package import place_in_package
from sgmem.source.release_number import find_version
from sgmem.source.selection import Selection, select_package
from sgmem.source.tree import SourceFile, SourceTree, Unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sgmem.config.settings import SourceSettings


_DIGESTS = "git"


class RevisionContents:
    """The bytes of blobs. All are fetched at the first read: one question to git costs as much as a thousand.

    An object's name stands for its bytes, so that the digest of a blob once read is known for ever.
    """

    def __init__(self, repository: Repository, objects: Mapping[str, str], max_file_bytes: int, store: Store | None = None) -> None:
        self._repository = repository
        self._objects = objects
        self._max_file_bytes = max_file_bytes
        self._fetched: dict[str, bytes] | None = None
        self._store = store or NullStore()
        self._digests: dict[str, bytes] | None = None
        self._learnt: dict[str, bytes] = {}
        self._store.before_close(self._save)

    def read(self, path: str) -> bytes:
        if self._fetched is None:
            self._fetched = self._repository.blobs(self._objects.values())
            self._repository.forget()
        data = self._fetched.get(self._objects[path])
        if data is None:
            raise OSError(f"git cannot read object {self._objects[path]}")
        check_size(len(data), self._max_file_bytes)
        return data

    def known_digest(self, path: str) -> str | None:
        if self._digests is None:
            self._digests = self._store.get_many(_DIGESTS, list(dict.fromkeys(self._objects.values())))
        digest = self._digests.get(self._objects[path])
        return digest.decode("ascii", "replace") if digest is not None else None

    def learn_digest(self, path: str, digest: str) -> None:
        self._learnt[self._objects[path]] = digest.encode()

    def _save(self) -> None:
        self._store.put_many(_DIGESTS, self._learnt.items())

    def identity(self, path: str) -> str | None:
        return self._objects[path]

    def place(self, path: str) -> str | None:
        return None


def open_revision(
    revision: str,
    path: str,
    *,
    package: str | None,
    working_folder: Path,
    settings: SourceSettings,
    store: Store | None = None,
) -> SourceTree:
    """The package in `path` ("" for the whole tree, `./x` from the working folder) of a revision of the repository.

    UsageError if there is no repository, revision or path of that name; NothingAnalysed if there is no package in it.
    """
    shown = printable(f"{revision}:{path}")
    repository = Repository.around(working_folder)
    entries = repository.entries(repository.tree_of(revision))
    folder = repository.path_from_root(path)
    _check_folder(folder, entries, shown)

    def count_anchored(objects: Sequence[str]) -> int:
        blobs = repository.blobs(objects)
        return sum(mentions_any(blobs.get(name, b""), settings.anchors) for name in objects)

    selection = select_package(
        list_revision(repository, entries, folder),
        below=place_in_package(folder, lambda around, name: f"{around}/{name}" in entries) if folder else "",
        where=shown,
        package=package,
        count_anchored=count_anchored,
    )
    return _tree(repository, revision, _holder(folder, selection), selection, entries, settings, store)


def _check_folder(folder: str, entries: Mapping[str, Entry], shown: str) -> None:
    """UsageError unless `folder` is one."""
    if folder in entries:
        raise UsageError(f"{shown} is a file; a source is a folder")
    if folder and not any(path.startswith(folder + "/") for path in entries):
        raise UsageError(f"{shown} does not exist: that revision has no folder {printable(folder)}")


def _holder(folder: str, selection: Selection) -> str:
    """The folder that holds the package, from the root of the repository: "" or `folder/`."""
    for _ in range(selection.levels):
        folder = posixpath.dirname(folder)
    return (folder + "/" if folder else "") + selection.parent


def _tree(
    repository: Repository,
    revision: str,
    holder: str,
    selection: Selection,
    entries: Mapping[str, Entry],
    settings: SourceSettings,
    store: Store | None,
) -> SourceTree:
    objects = {printable(found.path): found.key for found in selection.files}
    return SourceTree(
        root=printable(f"{revision}:{holder.rstrip('/')}"),
        package=printable(selection.package),
        version=_version(repository, selection.package, holder, entries),
        files=[SourceFile(printable(found.path), uri_reference(holder + found.path)) for found in selection.files],
        contents=RevisionContents(repository, objects, settings.max_file_bytes, store),
        unreadable=[Unreadable(printable(path), why) for path, why in selection.unreadable],
        store=store,
    )


def _version(repository: Repository, package: str, holder: str, entries: Mapping[str, Entry]) -> str | None:
    def read(path: str) -> bytes | None:
        entry = entries.get(posixpath.normpath(holder + path))
        return repository.blobs([entry.object]).get(entry.object) if entry is not None else None

    beside = {path[len(holder) :].partition("/")[0] for path in entries if path.startswith(holder)}
    return find_version(read, package=package, beside=beside, above=[".."] if holder else [])
