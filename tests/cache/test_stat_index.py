from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.stat_index import FileState, StatIndex
from sgmem.cache.store import NullStore, Store

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 10**9


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.py"
    made.write_bytes(b"one")
    return made


def state_of(file: Path, seconds_later: float = 60) -> FileState:
    """The state as seen some time after the file was last changed."""
    status = file.stat()
    seen = max(status.st_mtime_ns, status.st_ctime_ns) + int(seconds_later * SECOND)
    return FileState(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, seen)


def test_an_unchanged_file_is_known_in_the_next_run(file: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cache") as store:
        index = StatIndex(store, "root")
        index.learn(str(file), state_of(file), "digest")
        assert index.digest(str(file)) == "digest"
    with Store.open(tmp_path / "cache") as store:
        assert StatIndex(store, "root").digest(str(file)) == "digest"
        assert StatIndex(store, "root").digest(str(tmp_path / "b.py")) is None
        assert StatIndex(store, "other").digest(str(file)) is None


def known(file: Path) -> StatIndex:
    index = StatIndex(NullStore(), "root")
    index.learn(str(file), state_of(file), "digest")
    return index


def test_a_file_of_another_size_is_unknown(file: Path) -> None:
    index = known(file)
    file.write_bytes(b"longer")
    assert index.digest(str(file)) is None


def test_a_file_written_again_is_unknown_even_if_its_time_was_set_back(file: Path) -> None:
    index = known(file)
    before = file.stat()
    # A change of the inode has a time that nobody can set; it may be the same tick as before.
    while file.stat().st_ctime_ns == before.st_ctime_ns:
        file.write_bytes(b"two")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert index.digest(str(file)) is None


def test_a_file_that_took_the_place_of_another_is_unknown(file: Path) -> None:
    index = known(file)
    other = file.with_name("b.py")
    other.write_bytes(b"two")
    other.replace(file)
    assert index.digest(str(file)) is None


def test_a_file_that_is_gone_is_unknown(file: Path) -> None:
    index = known(file)
    file.unlink()
    assert index.digest(str(file)) is None


@pytest.mark.parametrize(("seconds_later", "expected"), [(0, None), (2.9, None), (3.1, "digest"), (-60, None)])
def test_a_file_seen_right_after_a_change_is_not_trusted(seconds_later: float, expected: str | None, file: Path) -> None:
    index = StatIndex(NullStore(), "root")
    index.learn(str(file), state_of(file, seconds_later), "digest")
    assert index.digest(str(file)) == expected


def test_nothing_is_written_when_nothing_was_learnt(file: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cache") as store:
        StatIndex(store, "root").learn(str(file), state_of(file, 0), "digest")
    with Store.open(tmp_path / "cache") as store:
        assert store.get_many("stat", [StatIndex(store, "root")._key]) == {}


@pytest.mark.parametrize("saved", [b"", b"\xc1", b"\x90", b"\x81\xa1a\x01"])
def test_an_index_that_cannot_be_read_is_empty(saved: bytes, file: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "cache") as store:
        store.put_many("stat", [(StatIndex(store, "root")._key, saved)])
        assert StatIndex(store, "root").digest(str(file)) is None
        index = StatIndex(store, "root")
        index.learn(str(file), state_of(file), "digest")
        assert index.digest(str(file)) == "digest"


def test_files_that_nobody_asks_about_are_forgotten_in_the_end(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [tmp_path / f"{number}.py" for number in range(5)]
    with Store.open(tmp_path / "cache") as store:
        index = StatIndex(store, "root")
        for other in others:
            other.write_bytes(b"")
            index.learn(str(other), state_of(other), "digest")
    monkeypatch.setattr("sgmem.cache.stat_index._MOST_FILES", 5)
    with Store.open(tmp_path / "cache") as store:
        index = StatIndex(store, "root")
        assert index.digest(str(others[0])) == "digest"
        index.learn(str(file), state_of(file), "digest")
    with Store.open(tmp_path / "cache") as store:
        index = StatIndex(store, "root")
        assert [index.digest(str(path)) for path in (file, *others[:2])] == ["digest", "digest", None]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "\udcff\n.py"
    file.write_bytes(b"")
    with Store.open(tmp_path / "cache") as store:
        StatIndex(store, "\udcff").learn(str(file), state_of(file), "digest")
        index = StatIndex(store, "\udcff")
        index.learn(str(file), state_of(file), "digest")
    with Store.open(tmp_path / "cache") as store:
        assert StatIndex(store, "\udcff").digest(str(file)) == "digest"
        assert StatIndex(store, "\udcff").digest("a\0b") is None


def test_two_runs_on_one_folder_lose_at_most_what_one_learnt(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.py"
    other.write_bytes(b"")
    with Store.open(tmp_path / "cache") as one, Store.open(tmp_path / "cache") as two:
        StatIndex(one, "root").learn(str(file), state_of(file), "a")
        StatIndex(two, "root").learn(str(other), state_of(other), "b")
    with Store.open(tmp_path / "cache") as store:
        index = StatIndex(store, "root")
        assert {index.digest(str(file)), index.digest(str(other))} <= {"a", "b", None}
        assert index.digest(str(file)) or index.digest(str(other))
