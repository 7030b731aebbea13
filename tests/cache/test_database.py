from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.database import (
    Database,
    ForeignDatabase,
    database_path,
    generations,
    is_damage,
    remove_generation,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "facts-1.sqlite")


def test_what_was_used_longest_ago_is_dropped(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    keys = ["old", "used", "young"]
    for age, key in zip((30, 20, 10), keys, strict=True):
        monkeypatch.setattr(time, "time", lambda age=age: now - age * 86_400)
        database.write("k", [(key, os.urandom(100_000))])
    monkeypatch.setattr(time, "time", lambda: now)
    database.read("k", ["used"])
    database.tidy(2**30)
    database.write("k", [("new", os.urandom(100_000))])
    database.tidy(400_000)
    kept = set(database.read("k", [*keys, "new"]))
    assert "old" not in kept
    assert {"used", "new"} <= kept


def test_use_is_not_noted_every_time(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database.write("k", [("a", b"1")])
    database.read("k", ["a"])
    assert database._touched == set()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 3600)
    database.read("k", ["a"])
    assert len(database._touched) == 1
    database.tidy(2**30)
    database.read("k", ["a"])
    assert database._touched == set()


def test_a_write_is_all_or_nothing(database: Database) -> None:
    with pytest.raises(UnicodeEncodeError):
        database.write("k", [("a", b"1"), ("\ud800", b"2")])
    assert database.read("k", ["a"]) == {}
    database.write("k", [("a", b"1")])
    assert database.read("k", ["a"]) == {"a": b"1"}


def test_the_newest_generation_counts(tmp_path: Path) -> None:
    for name in ("facts-2.sqlite", "facts-10.sqlite", "facts-x.sqlite", "facts-3.sqlite-wal", "other"):
        (tmp_path / name).write_text("")
    assert generations(tmp_path) == [2, 10]


def test_a_generation_is_removed_with_its_companions(tmp_path: Path) -> None:
    for name in ("facts-2.sqlite", "facts-2.sqlite-wal", "facts-2.sqlite-shm", "facts-22.sqlite"):
        (tmp_path / name).write_text("")
    remove_generation(tmp_path, 2)
    remove_generation(tmp_path, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["facts-22.sqlite"]
    assert database_path(tmp_path, 22).exists()


def test_a_foreign_database_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "facts-1.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(ForeignDatabase):
        Database(path)
    assert path.read_bytes() == before


def test_what_is_damage(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no database at all" * 50)
    with pytest.raises(sqlite3.Error) as raised:
        Database(tmp_path / "x")
    assert is_damage(raised.value)
    with pytest.raises(sqlite3.Error) as raised:
        Database(tmp_path / "absent" / "x")
    assert not is_damage(raised.value)
    assert not is_damage(sqlite3.OperationalError("without a code"))
