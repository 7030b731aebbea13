from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.store import Store
from sgmem.source.tree import SEARCHES_BEFORE_INDEX, SourceFile, SourceTree, Unreadable, content_digest

if TYPE_CHECKING:
    from pathlib import Path


class Contents:
    """Bytes by path; an exception in their place is raised. Counts what is read."""

    def __init__(self, files: dict[str, bytes | OSError], digests: dict[str, str] | None = None) -> None:
        self.files = files
        self.digests = digests or {}
        self.reads: list[str] = []
        self.learnt: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        found = self.files[path]
        if isinstance(found, OSError):
            raise found
        return found

    def known_digest(self, path: str) -> str | None:
        return self.digests.get(path)

    def learn_digest(self, path: str, digest: str) -> None:
        self.learnt[path] = digest

    def identity(self, path: str) -> str | None:
        return None

    def place(self, path: str) -> str | None:
        return None


def tree_of(contents: Contents, store: Store | None = None) -> SourceTree:
    files = [SourceFile(path, path) for path in contents.files]
    return SourceTree(root="r", package="p", version=None, files=files, contents=contents, store=store)


def test_a_tree_from_texts() -> None:
    tree = SourceTree.from_texts({"pkg/b.py": "x = 1", "pkg/a.py": b"\xff"}, package="pkg")
    assert list(tree.files) == ["pkg/a.py", "pkg/b.py"]
    assert tree.files["pkg/a.py"] == SourceFile("pkg/a.py", "pkg/a.py")
    assert (tree.package, tree.version, tree.unreadable) == ("pkg", None, ())
    assert tree.read("pkg/b.py") == b"x = 1"
    assert tree.read("pkg/a.py") == b"\xff"


@pytest.mark.parametrize(("texts", "package"), [({"pkg/a.py": "", "z.py": ""}, "pkg"), ({"a.py": ""}, ""), ({}, "")])
def test_the_package_of_texts_is_their_folder(texts: dict[str, str], package: str) -> None:
    assert SourceTree.from_texts(texts).package == package


def test_a_file_is_read_once() -> None:
    contents = Contents({"a.py": b"x"})
    tree = tree_of(contents)
    assert tree.read("a.py") == tree.read("a.py") == b"x"
    tree.digest("a.py")
    tree.mentioning("x")
    assert contents.reads == ["a.py"]


def test_an_unreadable_file_is_empty_and_reported() -> None:
    tree = tree_of(Contents({"b.py": b"x", "a.py": PermissionError(13, "Permission denied"), "c.py": OSError("too\nlong")}))
    assert tree.read("a.py") == b""
    assert tree.mentioning("x") == ("b.py",)
    assert tree.unreadable == (Unreadable("a.py", "Permission denied"), Unreadable("c.py", "too long"))


def test_the_digest_of_an_unreadable_file_is_not_remembered() -> None:
    contents = Contents({"a.py": OSError("no")})
    tree_of(contents).digest("a.py")
    assert contents.learnt == {}


def test_another_path_is_an_error() -> None:
    tree = SourceTree.from_texts({"a.py": ""})
    for ask in (tree.read, tree.digest):
        with pytest.raises(KeyError):
            ask("b.py")


def test_a_digest_is_of_the_content() -> None:
    tree = SourceTree.from_texts({"a.py": "x", "b.py": "x", "c.py": "y"})
    assert tree.digest("a.py") == tree.digest("b.py") == content_digest(b"x")
    assert tree.digest("a.py") != tree.digest("c.py")
    assert len(tree.digest("a.py")) == 32


def test_a_known_digest_spares_the_read_until_the_file_is_read() -> None:
    contents = Contents({"a.py": b"new"}, {"a.py": "old"})
    tree = tree_of(contents)
    assert tree.digest("a.py") == "old"
    assert contents.reads == []
    # The file was changed between the two; whoever read it stores under the digest of what was read.
    tree.read("a.py")
    assert tree.digest("a.py") == content_digest(b"new")
    assert contents.learnt == {"a.py": content_digest(b"new")}


@pytest.mark.parametrize(
    "changed",
    [
        {"p/a.py": "x", "p/b.py": "z"},
        {"p/a.py": "x"},
        {"p/a.py": "x", "p/b.py": "y", "p/c.py": ""},
        {"p/a.py": "y", "p/b.py": "x"},
        {"p/a.py": "x", "p/c.py": "y"},
    ],
)
def test_the_fingerprint_sees_every_change(changed: dict[str, str]) -> None:
    original = {"p/a.py": "x", "p/b.py": "y"}
    fingerprint = SourceTree.from_texts(original).fingerprint()
    assert SourceTree.from_texts(dict(reversed(original.items()))).fingerprint() == fingerprint
    assert SourceTree.from_texts(changed).fingerprint() != fingerprint


def test_the_fingerprint_sees_that_a_file_became_unreadable() -> None:
    assert tree_of(Contents({"a.py": b""})).fingerprint() != tree_of(Contents({"a.py": OSError("no")})).fingerprint()


def test_mentioning_finds_whole_identifiers_in_order_of_path() -> None:
    tree = SourceTree.from_texts({"b.py": "tp_size", "a.py": "x.tp_size", "c.py": "my_tp_size", "d.py": '"tp_size"'})
    assert tree.mentioning("tp_size") == ("a.py", "b.py", "d.py")
    assert tree.mentioning("absent") == ()
    assert tree.mentioning("") == ()


def random_tree(seed: int, store: Store | None = None) -> SourceTree:
    chance = random.Random(seed)
    pieces = ["tp_size", "tp", "_", "é", " ", "→", "\n", ".", "size", "1", "ñame"]
    files: dict[str, bytes | OSError] = {
        f"{number}.py": "".join(chance.choices(pieces, k=chance.randrange(12))).encode() for number in range(60)
    }
    digests = {path: content_digest(data) for path, data in files.items() if isinstance(data, bytes)}
    return tree_of(Contents(files, digests if store else None), store)


@pytest.mark.parametrize("seed", range(5))
def test_the_index_of_words_finds_what_the_search_finds(seed: int, tmp_path: Path) -> None:
    names = ["tp_size", "tp", "size", "1", "ñame", "_", "a", "u"]
    searched = {name: random_tree(seed).mentioning(name) for name in names}
    with Store.open(tmp_path) as store:
        indexed = random_tree(seed, store)
        for number in range(SEARCHES_BEFORE_INDEX):
            indexed.mentioning(f"absent{number}")
        assert {name: indexed.mentioning(name) for name in names} == searched
    with Store.open(tmp_path) as store:
        assert {name: random_tree(seed, store).mentioning(name) for name in names} == searched
    assert any(searched.values())


def test_a_second_run_searches_without_reading(tmp_path: Path) -> None:
    files: dict[str, bytes | OSError] = {f"{number}.py": b"x%d" % number for number in range(30)}
    digests = {path: content_digest(bytes(data)) for path, data in files.items() if isinstance(data, bytes)}
    with Store.open(tmp_path) as store:
        first = tree_of(Contents(files, digests), store)
        for number in range(SEARCHES_BEFORE_INDEX + 1):
            first.mentioning(f"x{number}")
    files["7.py"] = b"x3"
    del digests["7.py"]
    contents = Contents(files, digests)
    with Store.open(tmp_path) as store:
        assert tree_of(contents, store).mentioning("x3") == ("3.py", "7.py")
    assert contents.reads == ["7.py"]
