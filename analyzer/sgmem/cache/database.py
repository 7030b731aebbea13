"""One sqlite file of facts: opened, checked, read, written and kept small. Errors of sqlite come out as they are."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
import zlib
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SCHEMA = 1
_APPLICATION = 0x73676D65  # "sgme"
_NAME = re.compile(r"facts-(\d{1,9})\.sqlite")
_COMPANIONS = ("", "-wal", "-shm", "-journal")
_BUSY_SECONDS = 3.0
# Below sqlite's lowest limit of variables in one statement.
_KEYS_PER_QUERY = 500
# Use is noted this coarsely, so that most runs write nothing.
_USE_SECONDS = 3600
_KEPT_SHARE = 0.75


class ForeignDatabase(sqlite3.DatabaseError):
    """A sqlite file that is not ours, or of another layout."""


def generations(folder: Path) -> list[int]:
    """The numbers of the databases in `folder`, oldest first.

    A database that is damaged or cleared is never replaced under its name: a process that still has it open would, when
    it closes it, delete or overwrite the journal of its successor. The successor gets the next number.
    """
    matches = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    return sorted(int(match.group(1)) for match in matches if match)


def database_path(folder: Path, generation: int) -> Path:
    return folder / f"facts-{generation}.sqlite"


def remove_generation(folder: Path, generation: int) -> None:
    """Best effort: a file that is in use cannot be removed everywhere."""
    path = database_path(folder, generation)
    for companion in _COMPANIONS:
        with contextlib.suppress(OSError):
            path.with_name(path.name + companion).unlink()


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, not the moment (locked, disk full, no permission)."""
    if isinstance(error, ForeignDatabase):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return False
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT) or code in (
        sqlite3.SQLITE_IOERR_SHORT_READ,
        sqlite3.SQLITE_ERROR,
    )


class Database:
    """Facts by kind and key in one file."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        self._touched: set[int] = set()
        self._written = False
        try:
            self._prepare()
        except sqlite3.Error:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            self._create()
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (schema,) = self._connection.execute("PRAGMA user_version").fetchone()
        if (application, schema) != (_APPLICATION, SCHEMA):
            raise ForeignDatabase("not a store of facts of this layout")
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def _create(self) -> None:
        """Two processes may be here at once: each statement is harmless when repeated."""
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self._connection.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL,"
                " used INTEGER NOT NULL, size INTEGER NOT NULL, checksum INTEGER NOT NULL, value BLOB NOT NULL,"
                " UNIQUE (kind, key))"
            )
            self._connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def read(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """The values of those keys that are there and whose checksum is right."""
        found = {}
        stale = int(time.time()) - _USE_SECONDS
        for some in _batches(keys):
            marks = ",".join("?" * len(some))
            rows = self._connection.execute(
                f"SELECT id, key, used, checksum, value FROM facts WHERE kind = ? AND key IN ({marks})", (kind, *some)
            )
            for identity, key, used, checksum, value in rows:
                if zlib.crc32(value) != checksum:
                    continue
                found[key] = value
                if used < stale:
                    self._touched.add(identity)
        return found

    def write(self, kind: str, facts: Iterable[tuple[str, bytes]]) -> None:
        """All of `facts` or none."""
        now = int(time.time())
        rows = [(kind, key, now, len(value), zlib.crc32(value), value) for key, value in facts]
        if not rows:
            return
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO facts (kind, key, used, size, checksum, value) VALUES (?, ?, ?, ?, ?, ?)", rows
            )
        self._written = True

    def tidy(self, max_bytes: int) -> None:
        """Note what was used; if the file outgrew `max_bytes`, drop what was used longest ago."""
        if self._touched:
            with self._transaction():
                self._connection.executemany(
                    "UPDATE facts SET used = ? WHERE id = ?",
                    [(int(time.time()), identity) for identity in self._touched],
                )
            self._touched.clear()
        if self._written and (excess := self._bytes_in_use() - max_bytes) > 0:
            self._drop_oldest(excess + int(max_bytes * (1 - _KEPT_SHARE)))

    def _bytes_in_use(self) -> int:
        pages, free, size = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _drop_oldest(self, wanted: int) -> None:
        with self._transaction():
            freed = 0
            doomed = []
            for identity, size in self._connection.execute("SELECT id, size FROM facts ORDER BY used, id"):
                doomed.append((identity,))
                freed += size
                if freed >= wanted:
                    break
            self._connection.executemany("DELETE FROM facts WHERE id = ?", doomed)
        self._connection.execute("PRAGMA incremental_vacuum").fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()


def _batches(keys: Sequence[str]) -> Iterator[list[str]]:
    iterator = iter(keys)
    while some := list(islice(iterator, _KEYS_PER_QUERY)):
        yield some
