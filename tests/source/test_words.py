from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.store import NullStore, Store
from sgmem.source.words import WordIndex, matching, words_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def index() -> WordIndex:
    made = WordIndex(NullStore())
    made.add([("a.py", "1", b"tp_size = tp_size + 1"), ("b.py", "2", "tp_sizeé = 0".encode()), ("c.py", "3", "tp → é".encode())])
    return made


def test_finds_whole_words_and_says_where_a_second_look_is_needed(index: WordIndex) -> None:
    assert index.search(b"tp_size") == {"a.py": True, "b.py": False}
    assert index.search(b"tp") == {"c.py": False}
    assert index.search(b"size") == {}


@pytest.mark.parametrize("mark", [b"a", b"u"])
def test_the_marks_are_no_words(index: WordIndex, mark: bytes) -> None:
    assert index.search(mark) == {}


def test_each_word_is_kept_once() -> None:
    assert words_of(b"x x x") == {b"x"}
    assert words_of(b"") == frozenset()


def test_the_first_and_the_last_word_are_found() -> None:
    index = WordIndex(NullStore())
    index.add([("x.py", "1", b"one two")])
    assert index.search(b"one") and index.search(b"two")


def test_files_come_in_order_however_many_and_whenever_they_were_added() -> None:
    index = WordIndex(NullStore())
    index.add([(f"{number:03}.py", "", b"even" if number % 2 == 0 else b"odd") for number in reversed(range(200))])
    assert list(index.search(b"even")) == [f"{number:03}.py" for number in range(0, 200, 2)]
    index.add([("001.py", "", b"even"), ("late.py", "", b"even")])
    assert list(index.search(b"even"))[:2] == ["000.py", "001.py"]
    assert list(index.search(b"even"))[-1] == "late.py"


def test_a_kept_table_says_what_one_that_is_made_anew_says(tmp_path: Path) -> None:
    texts = {f"{number}.py": b" ".join(b"w%d" % (number % part) for part in range(1, 9)) for number in range(400)}
    texts |= {"empty.py": b"", "mixed.py": "w1é w2".encode()}
    digests = {path: path for path in texts}
    with Store.open(tmp_path) as store:
        WordIndex(store).add([(path, path, data) for path, data in texts.items()])
    for edited in ({}, {}, {"7.py": b"w1 other"}, {}):
        texts |= edited
        digests |= {path: f"{path} edited" for path in edited}
        made = WordIndex(NullStore())
        made.add([(path, "", data) for path, data in texts.items()])
        with Store.open(tmp_path) as store:
            WordIndex(store).add([(path, digests[path], data) for path, data in edited.items()])
            kept = WordIndex(store)
            assert kept.load(digests) == set(texts)
        for word in (b"w0", b"w1", b"w2", b"w7", b"other", b""):
            assert kept.search(word) == made.search(word)


def test_words_are_kept_by_content(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        WordIndex(store).add([("a.py", "digest", b"one")])
    with Store.open(tmp_path) as store:
        index = WordIndex(store)
        assert index.load({"moved.py": "digest", "copy.py": "digest", "new.py": "other"}) == {"moved.py", "copy.py"}
        assert index.search(b"one") == {"moved.py": True, "copy.py": True}


def test_the_words_that_a_pattern_matches_in() -> None:
    ends = re.compile(rb"_gb\b|\bfree\b")
    assert matching(ends, b"slack_gb\nslack_gbs\nfree\nfreed\nx_gb") == {b"slack_gb", b"free", b"x_gb"}
    assert matching(ends, b"x") == matching(ends, b"") == frozenset()


def test_the_words_of_a_file_that_a_filter_lets_through(index: WordIndex) -> None:
    passing = re.compile(rb"(?m)^n|e$")
    assert index.like("missing.py", passing) is None
    index.add([(f"more{number}.py", "", b"none of nine ones" if number % 2 else b"one") for number in range(100)])
    assert index.like("more1.py", passing) == {b"none", b"nine"}
    assert all(index.like(f"more{number}.py", passing) == {b"one"} for number in range(2, 100, 2))
    index.add([("last.py", "", b"never late")])
    assert index.like("last.py", passing) == {b"never", b"late"}
