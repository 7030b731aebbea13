"""Reads the model files and finds the rows that a name matches."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from sgmem.models.patterns import PatternError, last_name, matches, validate
from sgmem.models.rows import ConfigRow, CountRow, EventRow, GroupRow, MeasurementRow, RoleRow, RootRow, Row, SinkRow, UnitRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

RowT = TypeVar("RowT", bound=Row)

FILES: dict[str, type[Row]] = {
    "unit": UnitRow,
    "measurement": MeasurementRow,
    "event": EventRow,
    "sink": SinkRow,
    "config": ConfigRow,
    "root": RootRow,
    "role": RoleRow,
    "group": GroupRow,
    "count": CountRow,
}
"""The tables that a model file may hold, and the type of their rows."""


class ModelError(Exception):
    """A model file that cannot be used: `where`, the file and row, and what is wrong there, in one line."""

    def __init__(self, where: str, said: str) -> None:
        super().__init__(f"{where}: {said}")
        self.where = where
        self.said = said


class Table(Generic[RowT]):
    """Rows of one kind, in order: the first that matches a name is the most specific."""

    def __init__(self, rows: Iterable[RowT]) -> None:
        self.rows = tuple(rows)

    def rows_for_name(self, last: str) -> tuple[RowT, ...]:
        """The rows that a call or attribute spelled `last` may match, without looking at what comes before it."""
        wild = [row for pattern, row in self._wild if fnmatchcase(last, pattern)]
        return tuple(dict.fromkeys((*self._exact.get(last, ()), *wild)))

    def find_all(self, name: str) -> tuple[RowT, ...]:
        """Every row that matches a resolved name (`module:qualname`) or a dotted text."""
        cached = self._found.get(name)
        if cached is None:
            parts = name.replace("()", "").rpartition(":")[2].split(".")
            last = parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
            candidates = [row for row in self.rows_for_name(last) if _applies(row, name)]
            order = {id(row): index for index, row in enumerate(self.rows)}
            cached = self._found[name] = tuple(sorted(candidates, key=lambda row: order[id(row)]))
        return cached

    def find(self, name: str) -> RowT | None:
        """The first row that matches, or None."""
        return next(iter(self.find_all(name)), None)

    @cached_property
    def words(self) -> frozenset[str]:
        """The exact last names of the patterns: a file that holds none of them, nor any of `word_patterns`, has no
        match.
        """
        return frozenset(self._exact)

    @cached_property
    def word_patterns(self) -> tuple[str, ...]:
        """The last names with a wildcard, as for `fnmatch`."""
        return tuple(dict.fromkeys(pattern for pattern, _ in self._wild))

    @cached_property
    def _exact(self) -> dict[str, tuple[RowT, ...]]:
        index: dict[str, tuple[RowT, ...]] = {}
        for row in self.rows:
            for last in {last_name(pattern) for pattern in row.names}:
                if "*" not in last:
                    index[last] = (*index.get(last, ()), row)
        return index

    @cached_property
    def _wild(self) -> tuple[tuple[str, RowT], ...]:
        return tuple((last, row) for row in self.rows for last in dict.fromkeys(map(last_name, row.names)) if "*" in last)

    @cached_property
    def _found(self) -> dict[str, tuple[RowT, ...]]:
        return {}


class Models(msgspec.Struct, frozen=True, eq=False):
    """All rows. `digest` changes whenever any file does: what was computed with other models is stale."""

    units: Table[UnitRow]
    measurements: Table[MeasurementRow]
    events: Table[EventRow]
    sinks: Table[SinkRow]
    config: Table[ConfigRow]
    roots: Table[RootRow]
    roles: Table[RoleRow]
    groups: Table[GroupRow]
    counts: Table[CountRow]
    digest: str


def load_models(
    extra: Sequence[Path] = (), own_rows: Mapping[str, Sequence[object]] | None = None, origin: str = "the settings"
) -> Models:
    """The built-in models, preceded by `own_rows`, plain rows by table from `origin`, and the rows of `extra` files.

    A file may hold any of the tables. Raises ModelError, naming the file and the row.
    """
    built_in = sorted(Path(__file__).parent.glob("*.toml"))
    rows: dict[str, list[Row]] = {key: [] for key in FILES}
    digest = sha256(repr(own_rows).encode() if own_rows else b"")
    for key, found in rows_of({key: list(entries) for key, entries in (own_rows or {}).items()}, origin).items():
        rows[key] += found
    for path in (*extra, *built_in):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ModelError(str(path), str(error.strerror)) from None
        digest.update(data + b"\0")
        for key, found in read_rows(data, str(path)).items():
            rows[key] += found
    return Models(
        Table(_only(UnitRow, rows["unit"])),
        Table(_only(MeasurementRow, rows["measurement"])),
        Table(_only(EventRow, rows["event"])),
        Table(_only(SinkRow, rows["sink"])),
        Table(_only(ConfigRow, rows["config"])),
        Table(_only(RootRow, rows["root"])),
        Table(_only(RoleRow, rows["role"])),
        Table(_only(GroupRow, rows["group"])),
        Table(_only(CountRow, rows["count"])),
        digest.hexdigest(),
    )


def read_rows(data: bytes, path: str) -> dict[str, list[Row]]:
    """The rows of one file's bytes, by table. Raises ModelError."""
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(path, str(error)) from None
    except RecursionError:
        raise ModelError(path, "its values are nested too deeply to be read") from None
    return rows_of(document, path)


def rows_of(document: Mapping[str, object], path: str) -> dict[str, list[Row]]:
    """The rows of a parsed document, by table. Raises ModelError."""
    found: dict[str, list[Row]] = {}
    for key, entries in document.items():
        if key not in FILES:
            raise ModelError(path, f"unknown table [[{key}]], expected one of {', '.join(FILES)}")
        if not isinstance(entries, list):
            raise ModelError(path, f"{key} must be written as [[{key}]]")
        found[key] = [_row(entry, FILES[key], f"{path}: [[{key}]] row {number}") for number, entry in enumerate(entries, 1)]
    return found


def _row(entry: object, kind: type[Row], where: str) -> Row:
    names = entry.get("names") if isinstance(entry, dict) else None
    where = f"{where} ({names[0]})" if isinstance(names, list) and names else where
    try:
        row = msgspec.convert(entry, kind, strict=True)
        for pattern in (*row.names, *row.unless, *(row.of if isinstance(row, ConfigRow) else ())):
            validate(pattern)
    except (msgspec.ValidationError, PatternError) as error:
        raise ModelError(where, str(error)) from None
    if not row.names:
        raise ModelError(where, "names is empty")
    return row


def _applies(row: Row, name: str) -> bool:
    return any(matches(pattern, name) for pattern in row.names) and not any(matches(pattern, name) for pattern in row.unless)


def _only(kind: type[RowT], rows: Iterable[Row]) -> list[RowT]:
    return [row for row in rows if isinstance(row, kind)]
