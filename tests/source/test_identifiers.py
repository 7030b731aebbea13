from __future__ import annotations

import pytest

from sgmem.source.identifiers import encoded_identifier, is_word, mentions, mentions_any


@pytest.mark.parametrize(
    "text",
    [
        "tp_size",
        "self.tp_size = 1",
        "x=tp_size",
        '"tp_size"',
        "# see tp_size.",
        "xtp_size tp_size",
        "tp_size_x, tp_size",
        "“tp_size”",
        "→tp_size",
        "a\x00tp_size\x00",
        "{tp_size}",
    ],
)
def test_a_whole_word_is_a_mention(text: str) -> None:
    assert mentions(text.encode(), b"tp_size")


@pytest.mark.parametrize("text", ["", "tp_siz", "xtp_size", "tp_size_", "tp_size2", "_tp_size", "étp_size", "tp_sizeé"])
def test_a_part_of_a_word_is_no_mention(text: str) -> None:
    assert not mentions(text.encode(), b"tp_size")


def test_overlapping_occurrences_are_all_looked_at() -> None:
    assert not mentions(b"aaa", b"aa")
    assert mentions(b"aaa aa", b"aa")


def test_bytes_that_are_no_utf8_separate_words() -> None:
    assert mentions(b"\xfftp_size\xff", b"tp_size")


@pytest.mark.parametrize("name", ["größe", "ﬁeld"])
def test_identifiers_beyond_ascii_are_compared_as_python_compares_them(name: str) -> None:
    assert mentions("größe = field".encode(), encoded_identifier(name))


def test_nothing_mentions_what_is_no_name() -> None:
    assert not mentions(b"x", encoded_identifier(""))
    assert not mentions(b"x", encoded_identifier("\ud800"))


def test_any_of_several_names() -> None:
    assert mentions_any(b"a b", ["c", "b"])
    assert not mentions_any(b"ab", ["a", "b"])
    assert not mentions_any(b"ab", [])


@pytest.mark.parametrize(("identifier", "expected"), [("a_1", True), ("", False), ("é", False), ("a.b", False)])
def test_words_are_ascii(identifier: str, expected: bool) -> None:
    assert is_word(identifier.encode()) is expected
