"""A trace after an edit is the trace that a run without a store makes, whatever was edited."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from sgmem.cache.store import Store
from sgmem.queries.options import TraceOptions
from sgmem.queries.trace import tracing
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

CLASSIC = Path(__file__).parents[3] / "fixtures" / "classic"
TEXTS = {path.relative_to(CLASSIC).as_posix(): path.read_text(encoding="utf-8") for path in sorted(CLASSIC.rglob("*.py"))}
TEXTS |= {"minisgl/srt/unrelated.py": "def nothing():\n    return 1\n"}
NAME = "mem_fraction_static"


def fresh(texts: dict[str, str]) -> Trace:
    return trace(SourceTree.from_texts(texts), NAME, TraceOptions())


def again(folder: Path, texts: dict[str, str]) -> Trace:
    with Store.open(folder) as store:
        return trace(SourceTree.from_texts(texts, store=store), NAME, TraceOptions(store=store))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    done, compute = [], tracing.compute

    def logged(analysis, name, options):  # type: ignore[no-untyped-def]
        done.append(name)
        return compute(analysis, name, options)

    monkeypatch.setattr(tracing, "compute", logged)
    return done


def test_an_edit_elsewhere_leaves_the_trace_as_it_is(tmp_path: Path, computed: list[str]) -> None:
    before = again(tmp_path, TEXTS)
    assert before == fresh(TEXTS)
    computed.clear()
    edited = TEXTS | {"minisgl/srt/unrelated.py": "def nothing():\n    return 2\n"}
    assert again(tmp_path, edited) == before
    assert computed == []
    assert fresh(edited) == before


@pytest.mark.parametrize("path", sorted(TEXTS))
@pytest.mark.parametrize(
    "line",
    [
        "",
        "def scale(server_args):\n    server_args.mem_fraction_static *= 2\n",
        "from minisgl.srt.server_args import ServerArgs\nserver = ServerArgs(mem_fraction_static=0.5)\n",
    ],
    ids=["blank", "write", "construction"],
)
def test_every_edit_is_seen_in_every_file(tmp_path: Path, path: str, line: str) -> None:
    again(tmp_path, TEXTS)
    edited = TEXTS | {path: f"{TEXTS[path]}\n{line}"}
    assert again(tmp_path, edited) == fresh(edited)


def test_files_that_come_and_go_are_seen(tmp_path: Path) -> None:
    again(tmp_path, TEXTS)
    more = TEXTS | {"minisgl/srt/late.py": "def f(server_args):\n    return server_args.mem_fraction_static - 1\n"}
    assert again(tmp_path, more) == fresh(more)
    assert again(tmp_path, TEXTS) == fresh(TEXTS)


def test_a_file_elsewhere_that_comes_or_goes_leaves_the_trace_as_it_is(tmp_path: Path, computed: list[str]) -> None:
    again(tmp_path, TEXTS)
    computed.clear()
    more = TEXTS | {"minisgl/srt/zero.py": "def zero():\n    return 0\n"}
    less = {path: text for path, text in TEXTS.items() if path != "minisgl/srt/unrelated.py"}
    found = [again(tmp_path, more), again(tmp_path, less)]
    assert computed == []
    assert found == [fresh(more), fresh(less)]


SERVER_ARGS = "minisgl/srt/server_args.py"


@pytest.mark.parametrize("line", [6, 40, 63, 64, 90])
@pytest.mark.parametrize("remark", ["# remark\n", "\n\n", "        # remark\n\n"])
def test_places_move_with_comments_and_blank_lines_that_are_put_in(tmp_path: Path, computed: list[str], line: int, remark: str) -> None:
    again(tmp_path, TEXTS)
    computed.clear()
    lines = TEXTS[SERVER_ARGS].splitlines(keepends=True)
    edited = TEXTS | {SERVER_ARGS: "".join([*lines[:line], remark, *lines[line:]])}
    found = again(tmp_path, edited)
    assert computed == []
    assert found == fresh(edited)


def test_a_comment_that_mentions_what_was_asked_for_is_looked_at(tmp_path: Path, computed: list[str]) -> None:
    path = "minisgl/srt/model_executor/model_loader.py"
    again(tmp_path, TEXTS)
    computed.clear()
    assert NAME not in TEXTS[path]
    edited = TEXTS | {path: TEXTS[path] + f"# nowhere_else = {NAME}\n"}
    assert again(tmp_path, edited) == fresh(edited)
    assert computed == [NAME, NAME]


@pytest.mark.parametrize("data", [b"", msgspec.msgpack.encode([{}, [], {}]), msgspec.msgpack.encode([{}, [[]] * 12, {"a": 1}])])
def test_a_damaged_row_is_a_miss(tmp_path: Path, data: bytes) -> None:
    again(tmp_path, TEXTS)
    with Store.open(tmp_path) as store:
        database = store._database
        assert database is not None
        rows = database._connection.execute("SELECT key FROM facts WHERE kind = 'trace untouched'").fetchall()
        assert rows
        store.put_many("trace untouched", [(key.partition(":")[2], data) for (key,) in rows])
    edited = TEXTS | {"minisgl/srt/unrelated.py": ""}
    assert again(tmp_path, edited) == fresh(edited)
