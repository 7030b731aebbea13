"""Which Python files a revision holds, links and submodules included."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sgmem.source.git_objects import LINK, SUBMODULE, Entry, Repository
from sgmem.source.selection import Found, Listing
from sgmem.source.walk import is_skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST_CHAIN = 8


def list_revision(repository: Repository, entries: Mapping[str, Entry], folder: str) -> Listing:
    """The Python files below `folder`, their paths relative to it, by the same rules as `walk` for folders on disk.

    Links lead anywhere in the revision; a link to a folder stands for the files in it.
    """
    cut = len(folder) + 1 if folder else 0
    prefix = folder + "/" if folder else ""
    below = {path[cut:]: entry for path, entry in entries.items() if path.startswith(prefix) and not _hidden(path[cut:])}
    targets = _targets(repository, entries)
    listing = Listing([], [])
    for path, entry in below.items():
        if entry.mode == SUBMODULE:
            listing.unreadable.append((path, "a submodule: its files are not in this repository"))
        elif entry.mode == LINK:
            _follow(prefix + path, cut, entries, targets, listing)
        elif path.endswith(".py"):
            listing.files.append(Found(path, entry.object))
    listing.files.sort(key=lambda found: found.path)
    listing.unreadable.sort()
    return listing


def _targets(repository: Repository, entries: Mapping[str, Entry]) -> dict[str, str]:
    """Where each link of the revision leads, from its root; "" for out of the repository."""
    links = {path: entry.object for path, entry in entries.items() if entry.mode == LINK}
    texts = repository.blobs(links.values())
    return {path: _resolve(path, texts.get(name, b"").decode("utf-8", "surrogateescape")) for path, name in links.items()}


def _resolve(link: str, text: str) -> str:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(link), text))
    return "" if target in (".", "..") or target.startswith(("../", "/")) else target


def _follow(link: str, cut: int, entries: Mapping[str, Entry], targets: Mapping[str, str], listing: Listing) -> None:
    """Add what a link stands for."""
    target = link
    for _ in range(_LONGEST_CHAIN):
        target = targets.get(target, target)
    entry = entries.get(target)
    if entry is not None and entry.mode not in (LINK, SUBMODULE):
        if link.endswith(".py"):
            listing.files.append(Found(link[cut:], entry.object, target[cut:] if target.startswith(link[:cut]) else None))
    elif target and any(True for _ in _files_in(target, entries)):
        if not link.startswith(target + "/"):
            for path, inner in _files_in(target, entries):
                real = path[cut:] if path.startswith(link[:cut]) else None
                listing.files.append(Found(link[cut:] + path[len(target) :], inner.object, real))
    elif link.endswith(".py"):
        listing.unreadable.append((link[cut:], "a link that leaves the repository or leads to nothing"))


def _files_in(folder: str, entries: Mapping[str, Entry]) -> Iterator[tuple[str, Entry]]:
    """The Python files below a folder, those behind further links left out."""
    prefix = folder + "/"
    for path, entry in entries.items():
        is_python = path.startswith(prefix) and path.endswith(".py") and entry.mode not in (LINK, SUBMODULE)
        if is_python and not _hidden(path[len(prefix) :]):
            yield path, entry


def _hidden(path: str) -> bool:
    """Whether a path leads through a folder that is skipped on disk too."""
    return any(is_skipped(name) for name in path.split("/")[:-1])
