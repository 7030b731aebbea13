from __future__ import annotations

from typing import Any

import pytest

from sgmem.config.errors import UsageError
from sgmem.source.git_objects import Entry, Repository, _parse_batch


def test_the_answer_of_a_batch() -> None:
    answer = b"aa blob 3\na\nb\nbb missing\ncc tree 2\nxx\ndd blob 0\n\n"
    assert dict(_parse_batch(answer)) == {"aa": b"a\nb", "dd": b""}


@pytest.mark.parametrize("answer", [b"", b"aa blob", b"aa blob 3\nab", b"aa blob 99\nab\n", b"\n\n"])
def test_a_cut_off_answer_gives_what_is_whole(answer: bytes) -> None:
    assert dict(_parse_batch(answer)) == {}


@pytest.mark.parametrize(
    ("prefix", "path", "expected"),
    [
        ("", "", ""),
        ("sub/", "", ""),
        ("sub/", "a/b/", "a/b"),
        ("sub/", ".", "sub"),
        ("sub/", "./a", "sub/a"),
        ("sub/", "../a", "a"),
        ("sub/", "../", ""),
        ("", ".hidden", ".hidden"),
    ],
)
def test_paths_from_the_root(prefix: str, path: str, expected: str, tmp_path: Any) -> None:
    assert Repository(tmp_path, prefix).path_from_root(path) == expected


@pytest.mark.parametrize("path", ["..", "../../x", "/abs", "a/../../b"])
def test_paths_outside_are_refused(path: str, tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="outside"):
        Repository(tmp_path, "").path_from_root(path)


def test_entries_and_blobs(repository: Any, write: Any) -> None:
    write(repository.folder, {"a b.py": "x", "c.py": "x"})
    repository.commit()
    asked = Repository.around(repository.folder)
    entries = asked.entries(asked.tree_of("HEAD"))
    name = entries["c.py"].object
    assert entries == {"a b.py": Entry("100644", name), "c.py": Entry("100644", name)}
    assert asked.blobs([name, name, "0" * 40]) == {name: b"x"}
    asked.forget()
    assert asked.blobs([]) == {}
