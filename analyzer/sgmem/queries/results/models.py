"""What `sgmem models` returns. Field names are the JSON contract `sgmem/models/1`: fields may be added, never changed in meaning."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.queries.results.trace import SourceInfo

State = Literal["matched", "mentioned", "unfit", "missing", "absent"]
"""matched: it names definitions of the source. mentioned: a library function or a field that the source mentions. unfit: what it
names does not look as the row's kind must. missing: the modules that it names are here, what it looks for in them is not. absent:
neither is."""


class Definition(msgspec.Struct, frozen=True):
    """A function, class or variable of the source that a row names."""

    name: str
    path: str
    line: int


class ModelRow(msgspec.Struct, frozen=True):
    """One row in force; `own` rows come from the settings or model files of the project. `mentions` counts files."""

    table: str
    kind: str | None
    names: tuple[str, ...]
    why: str
    own: bool
    state: State
    definitions: tuple[Definition, ...]
    mentions: int
    note: str = ""


class Suggestion(msgspec.Struct, frozen=True):
    """A row that the source seems to need, as TOML, with the definition that it is about."""

    table: str
    definition: Definition
    why: str
    toml: str


class ModelsResult(msgspec.Struct, frozen=True):
    """The rows in force with what they match in a source, and, where asked for, rows that it seems to need."""

    source: SourceInfo
    rows: tuple[ModelRow, ...]
    suggestions: tuple[Suggestion, ...] = ()
    schema: str = "sgmem/models/1"
