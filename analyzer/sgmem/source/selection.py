"""From all the Python files found in a folder to those of one package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import NothingAnalysed
from sgmem.source.package import Candidate, choose_package

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Found(msgspec.Struct, frozen=True):
    """One Python file: its path below the folder looked into, as the system spells it, with forward slashes.

    `key` is what its bytes are read by: the absolute path, or the name of git's object. For a file reached through a
    link, `real` is the path below the folder where the bytes really are.
    """

    path: str
    key: str
    real: str | None = None


class Listing(msgspec.Struct):
    """The Python files below a folder; `unreadable` pairs paths with reasons; `complete` unless the walk gave up."""

    files: list[Found]
    unreadable: list[tuple[str, str]]
    complete: bool = True


class Selection(msgspec.Struct):
    """The files of one package. The folder that holds it is so many `levels` above the folder looked into, or below it
    at `parent`; the paths of `files` and `unreadable` are relative to that."""

    package: str
    parent: str
    levels: int
    files: list[Found]
    unreadable: list[tuple[str, str]]


def select_package(
    listing: Listing,
    *,
    below: str,
    where: str,
    package: str | None,
    count_anchored: Callable[[Sequence[str]], int],
) -> Selection:
    """The package that a folder is, is in, or holds.

    `below` is where the folder is in its package, if in any; `count_anchored` takes keys of files.

    A folder inside a package stands for that part of the package. NothingAnalysed if there is no package.
    """
    if not listing.files:
        reason = f": {listing.unreadable[0][1]}" if listing.unreadable else ""
        raise NothingAnalysed(f"{where} holds no Python file{reason}")
    if not below or package not in (None, below.partition("/")[0]):
        keys = {found.path: found.key for found in listing.files}
        candidate = choose_package(
            list(keys),
            where=where,
            package=package,
            count_anchored=lambda paths: count_anchored([keys[path] for path in paths]),
        )
        return _selection(listing, candidate, levels=0)
    candidate = Candidate("", below.partition("/")[0])
    return _selection(_moved_down(listing, below), candidate, levels=below.count("/") + 1)


def _selection(listing: Listing, candidate: Candidate, levels: int) -> Selection:
    inside = {found.path for found in listing.files if found.path.startswith(candidate.prefix)}
    cut = len(candidate.parent)
    return Selection(
        package=candidate.name,
        parent=candidate.parent,
        levels=levels,
        # A file reached through a link counts once, where it really is, if that is in the package too.
        files=[Found(found.path[cut:], found.key) for found in listing.files if found.path in inside and found.real not in inside],
        unreadable=[(path[cut:], why) for path, why in listing.unreadable if path.startswith(candidate.prefix)],
    )


def _moved_down(listing: Listing, below: str) -> Listing:
    """The listing of a folder as seen from the folder that holds its package."""
    return Listing(
        [Found(f"{below}/{found.path}", found.key, found.real and f"{below}/{found.real}") for found in listing.files],
        [(f"{below}/{path}", why) for path, why in listing.unreadable],
    )
