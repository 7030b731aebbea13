"""What is asked about the text of files: the plain texts that are looked for first change no answer."""

from __future__ import annotations

import pytest

from sgmem.program.files import Files
from sgmem.source.tree import SourceTree

TEXTS = {
    "p/a.py": "free_size = take( pool.size)\n",
    "p/b.py": "limit = sizes\nfree = x\n",
    "p/c.py": "take(pool)\nsize = pool.size\n",
    "p/d.py": "used = args.sizes\n",
    "p/e.py": "x = args.sizes[0] + taken(pool.size)\n",
    "p/f.py": "take(take(pool.size))",
}


@pytest.fixture(scope="module")
def files() -> Files:
    tree = SourceTree.from_texts(TEXTS)
    return Files(tree, tuple(tree.files))


def test_a_pattern_is_searched_for_in_all_files(files: Files) -> None:
    assert list(files.with_text(r"\btake\(\s*\w+\.size")) == ["p/a.py", "p/f.py"]


def test_texts_with_which_every_match_begins_save_the_search(files: Files) -> None:
    found = list(files.unread().with_text(r"\b(?:take|make)\(\s*\w+\.size\b", begins=("make(", "take(")))
    assert found == ["p/a.py", "p/f.py"]
    assert list(files.unread().with_text(r"\btaken?\(\w+\.siz", begins=("take(",))) == ["p/f.py"]


def test_texts_that_the_line_of_every_match_holds_save_the_search(files: Files) -> None:
    assert list(files.unread().with_text(r"args\.(?:\w*_)?sizes\n", holds=("sizes\n",))) == ["p/d.py"]
    assert list(files.unread().with_text(r"\w+\(pool\.size", holds=(".size",))) == ["p/e.py", "p/f.py"]


def test_words_alone_decide_where_they_are_the_pattern(files: Files) -> None:
    assert list(files.unread().with_text("free|used", words="free|used")) == ["p/a.py", "p/b.py", "p/d.py"]
    assert list(files.unread().with_text("free =", words="free")) == ["p/b.py"]
