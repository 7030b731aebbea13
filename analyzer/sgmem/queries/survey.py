"""What of the models a source has: its anchors, and the functions and classes that the rows name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.config.settings import OwnModels
    from sgmem.source.tree import SourceTree


class Mentioned(msgspec.Struct, frozen=True):
    """A name that the settings or the models know, and the files of the source that mention it."""

    kind: str
    name: str
    files: tuple[str, ...]


class Survey(msgspec.Struct, frozen=True):
    """A source, its anchors, and the names of the models in it. `unknown` are tables of which it mentions no name at all."""

    root: str
    package: str
    version: str | None
    files: int
    anchors: tuple[Mentioned, ...]
    names: tuple[Mentioned, ...]
    unknown: tuple[str, ...]


def survey(tree: SourceTree, anchors: Iterable[str], own: OwnModels) -> Survey:
    """Look for the anchors and for every name of the measurements, events and sinks; nothing is parsed."""
    from sgmem.queries.own_models import models_with

    models = models_with(own)
    tables = {"measurement": models.measurements.words, "event": models.events.words, "sink": models.sinks.words}
    found = [
        Mentioned(kind, word, files)
        for kind, words in tables.items()
        for word in sorted(words)
        if word != "__init__" and (files := tree.mentioning(word))
    ]
    kinds = {one.kind for one in found}
    return Survey(
        root=tree.root,
        package=tree.package,
        version=tree.version,
        files=len(tree.files),
        anchors=tuple(Mentioned("anchor", name, tree.mentioning(name)) for name in anchors),
        names=tuple(found),
        unknown=tuple(kind for kind in tables if kind not in kinds),
    )
