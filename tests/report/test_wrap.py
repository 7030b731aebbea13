from __future__ import annotations

import pytest
from rich.cells import cell_len

from sgmem.report.wrap import wrap


@pytest.mark.parametrize(
    ("text", "first", "rest", "lines"),
    [
        ("", 10, 10, [""]),
        ("one two three", 20, 20, ["one two three"]),
        ("one two three", 7, 7, ["one two", "three"]),
        ("one two three", 3, 9, ["one", "two three"]),
        ("a very/long/path/that/is/whole.py:12 b", 8, 8, ["a", "very/long/path/that/is/whole.py:12", "b"]),
        ("日本 文字 ab", 5, 5, ["日本", "文字", "ab"]),
    ],
)
def test_lines_break_at_spaces_only(text: str, first: int, rest: int, lines: list[str]) -> None:
    assert wrap(text, first, rest) == lines


def test_the_words_stay_the_same() -> None:
    text = "x = f(a,  b)  +  'two  spaces'"
    assert " ".join(wrap(text, 6, 6)) == text


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_cut_is_marked_and_fits(limit: int) -> None:
    lines = wrap("alpha beta gamma delta epsilon zeta eta theta", 12, 14, limit)
    assert len(lines) == limit
    assert lines[-1].endswith(" …")
    assert all(cell_len(line) <= (14 if number else 12) for number, line in enumerate(lines))


def test_nothing_is_cut_that_fits() -> None:
    assert wrap("alpha beta", 5, 5, 2) == ["alpha", "beta"]


def test_code_may_break_after_brackets_where_a_word_is_too_wide() -> None:
    assert wrap("f(g(alpha=1,beta=2))", 12, 12, code=True) == ["f(g(alpha=1,", "beta=2))"]
    assert wrap("f(g(alpha=1,beta=2))", 12, 12) == ["f(g(alpha=1,beta=2))"]
    assert wrap("f(a) g(b)", 5, 5, code=True) == ["f(a)", "g(b)"]
    assert wrap("a/very/long/path.py:1", 5, 5, code=True) == ["a/very/long/path.py:1"]
