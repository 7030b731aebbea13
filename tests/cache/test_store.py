from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sgmem.cache import store as store_module
from sgmem.cache.database import database_path, generations
from sgmem.cache.store import NullStore, Store

if TYPE_CHECKING:
    from pathlib import Path


def put(folder: Path, **facts: bytes) -> None:
    with Store.open(folder) as store:
        store.put_many("k", facts.items())


def test_facts_outlive_the_run(tmp_path: Path) -> None:
    put(tmp_path, a=b"1", b=b"\x00\xff")
    with Store.open(tmp_path) as store:
        assert store.keeps
        assert store.get("k", "a") == b"1"
        assert store.get_many("k", ["b", "a", "absent", "a"]) == {"a": b"1", "b": b"\x00\xff"}
        assert store.get("k", "absent") is None
        assert store.get("other", "a") is None
        assert store.get_many("k", []) == {}


def test_a_later_fact_replaces_an_earlier(tmp_path: Path) -> None:
    put(tmp_path, a=b"1")
    put(tmp_path, a=b"2")
    assert Store.open(tmp_path).get("k", "a") == b"2"


def test_many_facts(tmp_path: Path) -> None:
    facts = {f"key {number}": b"%d" % number for number in range(2500)}
    with Store.open(tmp_path) as store:
        store.put_many("k", facts.items())
        assert store.get_many("k", list(facts)) == facts


def test_facts_are_on_disk_before_the_store_is_closed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.put_many("k", [("a", b"1")])
    assert Store.open(tmp_path).get("k", "a") == b"1"


def test_facts_of_other_code_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, a=b"1")
    monkeypatch.setattr(store_module, "tool_stamp", lambda: "other")
    assert Store.open(tmp_path).get("k", "a") is None
    put(tmp_path, a=b"2")
    monkeypatch.undo()
    assert Store.open(tmp_path).get("k", "a") == b"1"


def test_before_close_is_called_once_and_may_write(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    calls: list[int] = []
    store.before_close(lambda: calls.append(1))
    store.before_close(lambda: store.put_many("k", [("a", b"1")]))
    store.close()
    store.close()
    assert calls == [1]
    assert Store.open(tmp_path).get("k", "a") == b"1"


def test_a_closed_store_keeps_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.close()
    store.put_many("k", [("a", b"1")])
    assert not store.keeps
    assert store.get("k", "a") is None


def test_clear_forgets_everything_for_everybody(tmp_path: Path) -> None:
    put(tmp_path, a=b"1")
    other = Store.open(tmp_path)
    with Store.open(tmp_path) as store:
        store.clear()
        assert store.get("k", "a") is None
        store.put_many("k", [("b", b"2")])
    # A run that had the old one open goes on undisturbed and disturbs nobody.
    other.put_many("k", [("c", b"3")])
    other.close()
    with Store.open(tmp_path) as store:
        assert store.get_many("k", ["a", "b", "c"]) == {"b": b"2"}
    assert len(generations(tmp_path)) == 1


@pytest.mark.parametrize("times", [1, 5])
def test_clearing_again_is_harmless(times: int, tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        for _ in range(times):
            store.clear()
    put(tmp_path, a=b"1")
    assert Store.open(tmp_path).get("k", "a") == b"1"


def test_the_null_store() -> None:
    with NullStore() as store:
        store.put_many("k", [("a", b"1")])
        assert not store.keeps
        assert store.get("k", "a") is None
        store.clear()


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "cache_folder", lambda: None)
    with Store.open() as store:
        store.put_many("k", [("a", b"1")])
        assert not store.keeps
        store.clear()


def test_the_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGMEM_CACHE_DIR", str(tmp_path / "new" / "cache"))
    with Store.open() as store:
        assert store.keeps
    assert generations(tmp_path / "new" / "cache") == [1]


@pytest.mark.parametrize("place", ["file", "file/inner"])
def test_a_folder_that_cannot_be_made(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Store.open(tmp_path / place) as store:
        store.put_many("k", [("a", b"1")])
        assert not store.keeps


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with Store.open(tmp_path) as store:
            store.put_many("k", [("a", b"1")])
            assert store.get("k", "a") is None
    finally:
        tmp_path.chmod(0o700)


def test_a_database_that_is_a_folder(tmp_path: Path) -> None:
    database_path(tmp_path, 1).mkdir()
    with Store.open(tmp_path) as store:
        store.put_many("k", [("a", b"1")])
        assert store.get("k", "a") in (None, b"1")


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
        connection.execute("INSERT INTO mine VALUES (1)")
    connection.close()


def other_layout(path: Path) -> None:
    foreign(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {0x73676D65}")
        connection.execute("PRAGMA user_version = 999")
    connection.close()


def without_table(path: Path) -> None:
    put(path.parent, a=b"1")
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE facts RENAME TO gone")
    connection.close()


def truncated(path: Path) -> None:
    put(path.parent, **{f"a{number}": os.urandom(5000) for number in range(200)})
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    put(path.parent, **{f"a{number}": os.urandom(5000) for number in range(200)})
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))


def no_database(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever its name says" * 100)


def short(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00\x10")


def empty(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = [foreign, other_layout, without_table, truncated, overwritten, no_database, short, empty]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_or_foreign_database_is_replaced(damage: object, tmp_path: Path) -> None:
    damage(database_path(tmp_path, 1))  # type: ignore[operator]
    with Store.open(tmp_path) as store:
        for number in range(200):
            assert store.get("k", f"a{number}") is None or damage is truncated
        store.put_many("k", [("b", b"1")])
        store.put_many("k", [("b", b"2")])
    with Store.open(tmp_path) as store:
        assert store.get("k", "b") == b"2"
    assert len(generations(tmp_path)) == 1


def test_a_database_damaged_while_it_is_used(tmp_path: Path) -> None:
    facts = {f"a{number}": os.urandom(5000) for number in range(200)}
    put(tmp_path, **facts)
    store = Store.open(tmp_path)
    with database_path(tmp_path, 1).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (database_path(tmp_path, 1).stat().st_size - 4096))
    found = store.get_many("k", list(facts))
    assert all(facts[key] == value for key, value in found.items())
    store.put_many("k", [("b", b"1")])
    store.close()
    with Store.open(tmp_path) as again:
        again.put_many("k", [("c", b"1")])
        assert again.get("k", "c") == b"1"


def test_a_value_that_rotted_is_not_found(tmp_path: Path) -> None:
    put(tmp_path, a=b"a value that is long enough to be found", b=b"1")
    path = database_path(tmp_path, 1)
    path.write_bytes(path.read_bytes().replace(b"a value that is long", b"a value that is LONG"))
    with Store.open(tmp_path) as store:
        assert store.get_many("k", ["a", "b"]) == {"b": b"1"}


def test_a_locked_database_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgmem.cache.database._BUSY_SECONDS", 0.05)
    put(tmp_path, a=b"1")
    blocker = sqlite3.connect(database_path(tmp_path, 1), isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with Store.open(tmp_path) as store:
        store.put_many("k", [("b", b"2")])
        assert store.get("k", "a") == b"1"
    blocker.execute("ROLLBACK")
    blocker.close()
    assert generations(tmp_path) == [1]
    assert Store.open(tmp_path).get_many("k", ["a", "b"]) == {"a": b"1"}


def test_keys_that_cannot_be_stored_are_misses(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.put_many("k", [("\ud800", b"1")])
        assert store.get("k", "\ud800") is None
        assert store.keeps


def test_a_fact_as_large_as_the_store_is_not_kept(tmp_path: Path) -> None:
    with Store.open(tmp_path, max_bytes=1000) as store:
        store.put_many("k", [("a", bytes(251)), ("b", bytes(250))])
        assert store.get_many("k", ["a", "b"]) == {"b": bytes(250)}


def test_the_store_stays_small(tmp_path: Path) -> None:
    limit = 1_000_000
    for run in range(6):
        with Store.open(tmp_path, max_bytes=limit) as store:
            store.put_many("k", [(f"{run}-{number}", os.urandom(10_000)) for number in range(40)])
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size < 1.5 * limit
    with Store.open(tmp_path) as store:
        assert len(store.get_many("k", [f"5-{number}" for number in range(40)])) == 40


# One stamp for this process and its children, even if somebody edits the code meanwhile.
PREPARED = """
import sys
from pathlib import Path
from sgmem.cache import store as store_module
store_module.tool_stamp = lambda: "stamp"
from sgmem.cache.store import Store
"""

WRITER = """
folder, name = Path(sys.argv[1]), sys.argv[2]
for number in range(30):
    with Store.open(folder) as store:
        store.put_many("k", [(f"{name}-{number}-{part}", name.encode() * 2000) for part in range(5)])
        assert store.get("k", f"{name}-{number}-0") == name.encode() * 2000, (name, number)
"""


def run(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PREPARED + script, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "tool_stamp", lambda: "stamp")


@pytest.mark.usefixtures("prepared")
def test_two_processes_write_at_once(tmp_path: Path) -> None:
    runs = [run(WRITER, str(tmp_path / "new"), name) for name in ("one", "two")]
    assert [process.wait(60) for process in runs] == [0, 0]
    keys = [f"{name}-{number}-{part}" for name in ("one", "two") for number in range(30) for part in range(5)]
    with Store.open(tmp_path / "new") as store:
        found = store.get_many("k", keys)
    assert set(found) == set(keys)
    assert all(value == key.split("-")[0].encode() * 2000 for key, value in found.items())


ENDLESS = """
store = Store.open(Path(sys.argv[1]))
number = 0
while True:
    store.put_many("k", [(f"{number}-{part}", bytes([number % 256]) * 3000) for part in range(20)])
    number += 1
    if number == 5:
        print("going", flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
@pytest.mark.usefixtures("prepared")
def test_a_killed_writer_leaves_whole_transactions(tmp_path: Path) -> None:
    process = run(ENDLESS, str(tmp_path))
    assert process.stdout is not None
    assert process.stdout.readline() == b"going\n"
    process.kill()
    process.communicate()
    with Store.open(tmp_path) as store:
        counts = [len(store.get_many("k", [f"{number}-{part}" for part in range(20)])) for number in range(5)]
        assert counts == [20] * 5
        store.put_many("k", [("after", b"1")])
        assert store.get("k", "after") == b"1"
    assert generations(tmp_path) == [1]


def use_in_child(store: Store, answers: multiprocessing.Queue[object]) -> None:
    store.put_many("k", [("child", b"1")])
    store.close()
    answers.put((store.keeps, store.get("k", "parent")))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_worker_does_not_touch_the_database(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    with Store.open(tmp_path) as store:
        store.put_many("k", [("parent", b"1")])
        answers: multiprocessing.Queue[object] = context.Queue()
        worker = context.Process(target=use_in_child, args=(store, answers))
        worker.start()
        assert answers.get(timeout=30) == (False, None)
        worker.join()
        assert store.get_many("k", ["parent", "child"]) == {"parent": b"1"}


def test_python_without_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with Store.open(tmp_path) as store:
        store.put_many("k", [("a", b"1")])
        assert not store.keeps
