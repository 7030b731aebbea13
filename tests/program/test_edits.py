from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgmem.cache.store import Store
from sgmem.program.contexts import called, stored
from sgmem.program.earlier import keep_bytes
from sgmem.program.edits import Edits, contents
from sgmem.program.files import Files
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = {
    "pkg/__init__.py": "",
    "pkg/a.py": "class Pool:\n    size = 1\n",
    "pkg/b.py": "from pkg.a import Pool\nprint(Pool().size)\n",
    "pkg/u.py": "größe = breite_ä\nbreite = 1\n",
    "pkg/z.py": "# nothing\n",
}


def touches(folder: Path, ask: Callable[[Files], object], edited: dict[str, str | None], *, kept: bool = False) -> bool:
    """Whether the edits touch what was asked of the files before, whose bytes may have been kept."""
    with Store.open(folder) as store:
        tree = SourceTree.from_texts(TEXTS, package="pkg", store=store)
        files = Files(tree, tuple(tree.files))
        before = contents(tree, {})
        ask(files)
        tree.mentioning("whatever1"), tree.mentioning("whatever2"), tree.mentioning("whatever3")
        list(files.unread().deriving("whatever"))
        if kept:
            keep_bytes(tree, {path: content.digest for path, content in before.items()})
    texts = {path: text for path, text in (TEXTS | edited).items() if text is not None}
    with Store.open(folder) as store:
        tree = SourceTree.from_texts(texts, package="pkg", store=store)
        now = Files(tree, tuple(tree.files))
        return Edits(tree, now, before, contents(tree, before)).touch(files.reads)


ASKS: dict[str, Callable[[Files], object]] = {
    "parsed": lambda files: files.get("pkg/a.py"),
    "text": lambda files: files.source("pkg/a.py"),
    "bytes": lambda files: files.tree.read("pkg/a.py"),
    "name": lambda files: files.tree.mentioning("Pool"),
    "absent": lambda files: files.tree.mentioning("limit"),
    "umlaut": lambda files: files.tree.mentioning("größe"),
    "beside": lambda files: files.tree.mentioning("breite_"),
    "called": lambda files: list(files.mentioning("Pool", called)),
    "stored": lambda files: list(files.mentioning("limit", stored)),
    "first": lambda files: next(files.mentioning("Pool", called)),
    "module": lambda files: files.has_module("pkg.later"),
    "class": lambda files: files.defining("Limit"),
    "classes": lambda files: files.class_names,
    "derived": lambda files: list(files.deriving("Pool")),
    "spelled": lambda files: files.spelled("limit"),
    "paths": lambda files: files.paths,
    "pattern": lambda files: list(files.with_text(r"limit\s*=")),
    "contained": lambda files: list(files.containing("limit", "limit = 1")),
}


@pytest.mark.parametrize(
    ("edited", "touched"),
    [
        ({}, ""),
        ({"pkg/z.py": "# nothing else\n"}, ""),
        ({"pkg/a.py": "class Pool:\n    size = 2\n"}, "parsed text bytes"),
        ({"pkg/b.py": "from pkg.a import Pool\nprint(Pool)\n"}, "called first"),
        ({"pkg/z.py": "print(Pool())\n"}, "name called"),
        ({"pkg/z.py": "limit = 1\n"}, "absent stored pattern contained"),
        ({"pkg/z.py": "print(limit + 1)\n"}, "absent"),
        ({"pkg/z.py": "größe\n"}, "umlaut"),
        ({"pkg/u.py": "größe = breite_\nbreite = 1\n"}, "umlaut beside"),
        ({"pkg/z.py": "class Limit:\n    pass\n"}, "class classes spelled"),
        ({"pkg/z.py": "class Other(Pool):\n    pass\n"}, "name classes derived"),
        ({"pkg/z.py": "from pkg.a import Pool as Other\n"}, "name derived"),
        ({"pkg/later.py": ""}, "module paths"),
        ({"pkg/later/__init__.py": ""}, "module paths"),
        ({"pkg/z.py": None}, "paths"),
        ({"pkg/a.py": None}, "parsed text bytes name classes paths"),
        ({"pkg/z.py": "class Pool:\n    pass\n"}, "name classes"),
    ],
)
def test_what_an_edit_touches(tmp_path: Path, edited: dict[str, str | None], touched: str) -> None:
    found = [name for name, ask in ASKS.items() if touches(tmp_path / name, ask, edited)]
    assert found == [name for name in ASKS if name in touched.split()]


def any_mentioned(files: Files) -> object:
    return list(files.mentioning_any(["pkg/b.py", "pkg/z.py"], frozenset(["Pool", "limit"])))


def storing(files: Files) -> object:
    return files.classes_storing("size")


@pytest.mark.parametrize(
    ("ask", "edited", "touched"),
    [
        (any_mentioned, {"pkg/z.py": "Pool\n"}, True),
        (any_mentioned, {"pkg/z.py": "other = 1\n\n# Pool\n"}, False),
        (any_mentioned, {"pkg/b.py": "from pkg.a import Pool\nprint(Pool().count)\n"}, False),
        (any_mentioned, {"pkg/b.py": "print(1)\n"}, True),
        (storing, {"pkg/a.py": "class Pool:\n    size = 2\n"}, False),
        (storing, {"pkg/a.py": "class Pond:\n    size = 1\n"}, True),
        (storing, {"pkg/z.py": "class Other:\n    size = 1\n"}, True),
    ],
)
def test_what_an_edit_of_a_known_text_touches(
    tmp_path: Path, ask: Callable[[Files], object], edited: dict[str, str | None], touched: bool
) -> None:
    assert touches(tmp_path, ask, edited, kept=True) is touched
