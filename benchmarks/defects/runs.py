"""Checks of a source and of edited copies of it: only what an edit touches is worked out again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sgmem.cache.store import Store
from sgmem.findings.finding import Finding
from sgmem.program.files import Files
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree


class EditedContents:
    """The bytes of a tree, some files replaced by texts."""

    def __init__(self, tree: SourceTree, texts: Mapping[str, bytes]) -> None:
        self._tree = tree
        self._texts = texts

    def read(self, path: str) -> bytes:
        return self._texts[path] if path in self._texts else self._tree.read(path)

    def known_digest(self, path: str) -> str | None:
        return None if path in self._texts else self._tree.digest(path)

    def learn_digest(self, path: str, digest: str) -> None:
        return None

    def identity(self, path: str) -> str | None:
        return None if path in self._texts else self._tree.identity(path)

    def place(self, path: str) -> str | None:
        return None


class Reading(Store):
    """Another store's facts; keeps nothing itself, so that every edited copy is compared with the source as published."""

    def __init__(self, store: Store) -> None:
        super().__init__(None)
        self._store = store

    @property
    def keeps(self) -> bool:
        return self._store.keeps

    def get_many(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        return self._store.get_many(kind, keys)

    def put_many(self, kind: str, facts: Iterable[tuple[str, bytes]]) -> None:
        return None


class Runs:
    """Checks of one tree, whose own store keeps the answers about the source as it is."""

    def __init__(self, tree: SourceTree, options: CheckOptions) -> None:
        self._tree = tree
        self._reading = Reading(tree.store)
        self._options = msgspec.structs.replace(options, store=self._reading)
        self.published = tuple(check(tree, [], msgspec.structs.replace(options, store=tree.store)).findings)
        """What is found in the source as it is."""

    def edited(self, texts: Mapping[str, bytes]) -> tuple[Finding, ...]:
        """What is found with some files replaced."""
        tree = self._tree
        copy = SourceTree(
            root=tree.root,
            package=tree.package,
            version=tree.version,
            files=tree.files.values(),
            contents=EditedContents(tree, texts),
            store=self._reading,
        )
        return tuple(check(copy, [], self._options).findings)


def keep_parsed_files() -> None:
    """Parse equal bytes once: all runs differ in a few files only."""
    kept: dict[tuple[str, bytes], object] = {}
    parse = Files._parse

    def remembered(self: Files, path: str) -> object:
        key = (path, self._tree.read(path))
        if key not in kept:
            kept[key] = parse(self, path)
        return kept[key]

    Files._parse = remembered  # type: ignore[method-assign,assignment]
