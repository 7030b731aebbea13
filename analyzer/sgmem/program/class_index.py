"""The classes of a program by text alone: where each name is defined, and where it stands as a base."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.program.files import Tree

_KIND = "classes"
# Without an anchor at the line's start, so that the searches can leap from one `class` to the next.
_HEADER = re.compile(rb"class[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?")
_NAMED = re.compile(r"class[ \t]+(\w+)")
_WORD = re.compile(rb"\w+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class ClassHeader(msgspec.Struct, frozen=True, array_like=True):
    """A class as its header spells it: its name, and every name in the parentheses."""

    name: str
    bases: tuple[str, ...]


class ClassIndex:
    """The classes of all files. What a file's headers say is kept by the hash of its content."""

    def __init__(self, tree: Tree, paths: Iterable[str]) -> None:
        self.defined: dict[str, list[str]] = {}
        """Every class name with the files that define it."""
        self.derived: dict[str, list[str]] = {}
        """Every name that is (part of) a base with the files of the classes under it."""
        self.spelled: dict[str, list[str]] = {}
        """Every name that a variable would have with the class names that it spells."""
        for path, headers in _headers_of(tree, sorted(paths)):
            for header in headers:
                self.defined.setdefault(header.name, []).append(path)
                for base in header.bases:
                    self.derived.setdefault(base, []).append(path)
        for name in self.defined:
            self.spelled.setdefault(snake_case(name), []).append(name)


def class_headers(data: bytes) -> tuple[ClassHeader, ...]:
    """The headers of the classes in the bytes of a file."""
    found = []
    for match in _HEADER.finditer(data):
        start = match.start()
        if not data[data.rfind(b"\n", 0, start) + 1 : start].strip(b" \t"):
            bases = tuple(base.decode(errors="replace") for base in _WORD.findall(match.group(2) or b""))
            found.append(ClassHeader(match.group(1).decode(errors="replace"), bases))
    return tuple(found)


class IndentedHeader(NamedTuple):
    """A class header of a text: where it stands, how far it is indented, and the header around it (-1 where there is none)."""

    start: int
    depth: int
    name: str
    around: int


def indented_headers(text: str) -> list[IndentedHeader]:
    """The class headers of a text, in order."""
    headers: list[IndentedHeader] = []
    for match in _NAMED.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        before = text[start : match.start()]
        if not before.strip(" \t"):
            depth = len(before.expandtabs())
            headers.append(IndentedHeader(start, depth, match[1], _outwards(headers, len(headers) - 1, depth)))
    return headers


def classes_around(text: str, headers: list[IndentedHeader], offsets: Iterable[int]) -> set[str]:
    """The names of the classes in which the lines at some offsets seem to stand: the nearest headers before that are indented less."""
    names = set()
    for at in offsets:
        line = text[text.rfind("\n", 0, at) + 1 : at + 1].expandtabs()
        nearest = _outwards(headers, bisect_left(headers, (at,)) - 1, len(line) - len(line.lstrip()))
        while nearest >= 0:
            names.add(headers[nearest].name)
            nearest = headers[nearest].around
    return names


def _outwards(headers: list[IndentedHeader], last: int, depth: int) -> int:
    """The nearest header, of those up to `last`, that is indented less than `depth`; -1 where there is none."""
    while last >= 0 and headers[last].depth >= depth:
        # What that header stands in is the next that can be indented less.
        last = headers[last].around
    return last


def snake_case(name: str) -> str:
    """`server_args` for ServerArgs."""
    return _HUMP.sub("_", name).lower().strip("_")


def _headers_of(tree: Tree, paths: list[str]) -> Iterator[tuple[str, tuple[ClassHeader, ...]]]:
    if not tree.store.keeps:
        for path in paths:
            yield path, class_headers(tree.read(path))
        return
    digests = {path: tree.digest(path) for path in paths}
    known = kept_headers(tree, digests.values())
    fresh = []
    for path in paths:
        headers = known.get(digests[path])
        if headers is None:
            headers = class_headers(tree.read(path))
            fresh.append((tree.digest(path), msgspec.msgpack.encode(headers)))
        yield path, headers
    tree.store.put_many(_KIND, fresh)


def kept_headers(tree: Tree, digests: Iterable[str]) -> dict[str, tuple[ClassHeader, ...]]:
    """The headers of those files, given by the hash of their content, that the store knows."""
    kept = {}
    for digest, data in tree.store.get_many(_KIND, list(dict.fromkeys(digests))).items():
        try:
            kept[digest] = msgspec.msgpack.decode(data, type=tuple[ClassHeader, ...])
        except (msgspec.DecodeError, msgspec.ValidationError):
            continue
    return kept
