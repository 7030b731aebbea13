from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import msgspec
import pytest

from sgmem.cache.store import Store
from sgmem.program import file_facts
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree, content_digest
from sgmem.syntax import statements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sgmem.program.files import File

TEXT = dedent(
    """
    import os

    class Pool:
        size: int = 4

        def grow(self, n):
            self.size = self.total = n * 2j
            return self.size + n
    """
)


class Counts:
    """How often something was parsed or lowered in truth."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parsed: list[str] = []
        self.lowered: list[int] = []
        build, lower = file_facts.build_outline, statements.lower_statement

        def counted_build(source):  # type: ignore[no-untyped-def]
            self.parsed.append(source.path)
            return build(source)

        def counted_lower(source, outline, index):  # type: ignore[no-untyped-def]
            self.lowered.append(index)
            return lower(source, outline, index)

        monkeypatch.setattr(file_facts, "build_outline", counted_build)
        monkeypatch.setattr(statements, "lower_statement", counted_lower)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    yield Counts(monkeypatch)


def read(folder: Path, texts: dict[str, str]) -> dict[str, list[str]]:
    """All statements of all files, lowered, as text."""
    with Store.open(folder) as store:
        tree = SourceTree.from_texts(texts, package="pkg", store=store)
        files = Program(tree, tuple(tree.files)).files
        return {path: shown(file) for path in tree.files if (file := files.get(path)) is not None}


def shown(file: File) -> list[str]:
    rows = [repr(file.statement(index)) for index in range(len(file.outline.statements))]
    headers = [repr(file.expression(span)) for row in file.outline.statements for span in row.heads]
    return [repr(file.unnoted_outline), *rows, *headers]


def test_an_unchanged_file_is_neither_parsed_nor_lowered_again(tmp_path: Path, counts: Counts) -> None:
    first = read(tmp_path, {"pkg/a.py": TEXT, "pkg/b.py": "x = 1\n"})
    assert (len(counts.parsed), len(counts.lowered)) == (2, 7)
    counts.lowered.clear()
    assert read(tmp_path, {"pkg/a.py": TEXT, "pkg/b.py": "x = 2\n"})["pkg/a.py"] == first["pkg/a.py"]
    assert counts.parsed[2:] == ["pkg/b.py"]
    assert len(counts.lowered) == 2  # the other file's, and the one with a number that has no bytes


def test_the_same_content_elsewhere_is_known_too(tmp_path: Path, counts: Counts) -> None:
    read(tmp_path, {"pkg/a.py": TEXT})
    read(tmp_path, {"pkg/moved/b.py": TEXT})
    assert counts.parsed == ["pkg/a.py"]


def test_a_file_that_cannot_be_parsed_is_remembered_with_the_reason(tmp_path: Path, counts: Counts) -> None:
    texts = {"pkg/a.py": "def f(:\n"}
    reasons = []
    for _ in range(2):
        with Store.open(tmp_path) as store:
            tree = SourceTree.from_texts(texts, package="pkg", store=store)
            files = Program(tree, tuple(tree.files)).files
            assert files.get("pkg/a.py") is None
            reasons.append(files.unreadable)
    assert reasons[0] == reasons[1]
    assert counts.parsed == ["pkg/a.py"]


@pytest.mark.parametrize("kind", ["outline", "lowered"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00",
        msgspec.msgpack.encode([[[], [], []], 5]),
        msgspec.msgpack.encode([{"x": 1}]),
        msgspec.msgpack.encode([{2: [[1]], 3: 7}, {"1,1,1,2": "?"}]),
        msgspec.msgpack.encode([{0: [[1, [9, 9, 9, 9], "a"]]}, {}]),
    ],
)
def test_a_damaged_row_is_a_miss(tmp_path: Path, kind: str, data: bytes) -> None:
    good = read(tmp_path / "good", {"pkg/a.py": TEXT})
    read(tmp_path / "bad", {"pkg/a.py": TEXT})
    with Store.open(tmp_path / "bad") as store:
        store.put_many(kind, [(content_digest(TEXT.encode()), data)])
    assert read(tmp_path / "bad", {"pkg/a.py": TEXT}) == good


def test_what_different_runs_lowered_is_kept_together(tmp_path: Path, counts: Counts) -> None:
    for index in (1, 2, 4, 1, 2, 4):
        with Store.open(tmp_path) as store:
            tree = SourceTree.from_texts({"pkg/a.py": TEXT}, package="pkg", store=store)
            file = Program(tree, tuple(tree.files)).files.get("pkg/a.py")
            assert file is not None
            file.statement(index)
    assert counts.lowered == [1, 2, 4, 4]  # the other has a number that cannot be kept


def test_without_a_store_nothing_is_asked_for(counts: Counts) -> None:
    for _ in range(2):
        tree = SourceTree.from_texts({"pkg/a.py": TEXT}, package="pkg")
        file = Program(tree, tuple(tree.files)).files.get("pkg/a.py")
        assert file is not None
        file.statement(1)
    assert counts.lowered == [1, 1]
