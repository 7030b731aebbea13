from __future__ import annotations

import pytest

from sgmem.findings.suppressions import suppressions_in


def only(text: str):
    found = suppressions_in(text)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("x = 1  # sgmem: ignore[unit-mismatch] why\n", 1),
        ("# sgmem: ignore[unit-mismatch] why\nx = 1\n", 2),
        ("# sgmem: ignore[unit-mismatch] why\n# more about it\n\nx = 1\ny = 2\n", 4),
        ("def f():\n    # sgmem: ignore[unit-mismatch] why\n    return 1\n", 3),
        ("x = (\n    1  # sgmem: ignore[unit-mismatch] why\n)\n", 2),
    ],
)
def test_a_comment_speaks_for_its_own_line_or_the_next_line_of_code(text: str, target: int) -> None:
    assert only(text).target == target


@pytest.mark.parametrize(
    ("comment", "rules", "reason"),
    [
        ("# sgmem: ignore[unit-mismatch] it is fine", ("unit-mismatch",), "it is fine"),
        ("#sgmem:ignore[SGM101,negative-budget] both", ("sgm101", "negative-budget"), "both"),
        ("# sgmem: ignore[ SGM101 ] - because", ("sgm101",), "because"),
        ("# SGMEM: Ignore[SGM101]: because", ("sgm101",), "because"),
        ("# sgmem: ignore[SGM101] see [issue 7]", ("sgm101",), "see [issue 7]"),
    ],
)
def test_rules_and_reason_are_read(comment: str, rules: tuple[str, ...], reason: str) -> None:
    found = only(f"x = 1  {comment}\n")
    assert (found.rules, found.reason, found.problem) == (rules, reason, None)


@pytest.mark.parametrize(
    ("comment", "about"),
    [
        ("# sgmem: ignore[SGM101]", "no reason"),
        ("# sgmem: ignore[SGM101]   ", "no reason"),
        ("# sgmem: ignore", "no rule"),
        ("# sgmem: ignore everything here", "no rule"),
        ("# sgmem: ignore[] because", "no rule"),
    ],
)
def test_without_a_rule_or_a_reason_it_suppresses_nothing(comment: str, about: str) -> None:
    found = only(f"x = 1  {comment}\n")
    assert found.problem is not None
    assert about in found.problem
    assert not found.covers(1, 1, ("unit-mismatch", "SGM101"))


@pytest.mark.parametrize(
    "text",
    [
        'x = "# sgmem: ignore[SGM101] in a string"\n',
        '"""\n# sgmem: ignore[SGM101] in a docstring\n"""\n',
        "x = 1  # sgmem ignore[SGM101] no colon\n",
        "x = 1  # about sgmem: ignore is a word\n",
        "x = 1  # sgmem: ignored[SGM101] another word\n",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert suppressions_in(text) == []


def test_covering_needs_the_line_and_one_of_the_names_and_notes_what_matched() -> None:
    found = only("# sgmem: ignore[SGM101, negative-budget] why\nx = 1\n")
    assert not found.covers(1, 1, ("unit-mismatch", "SGM101"))
    assert not found.covers(2, 2, ("mixed-measurement-times", "SGM301"))
    assert found.used == set()
    assert found.covers(1, 4, ("unit-mismatch", "SGM101"))
    assert found.used == {"sgm101"}


def test_positions_count_characters_from_one() -> None:
    found = only("größe = 1  # sgmem: ignore[SGM101] why\n")
    assert (found.line, found.column, found.end_column) == (1, 12, 39)


@pytest.mark.parametrize(
    "text",
    [
        "x = (\n# sgmem: ignore[SGM101] why\n",
        "  x = 1\n y = 2  # sgmem: ignore[SGM101] why\n",
        "x = 'a\n# sgmem: ignore[a] b\n",
    ],
)
def test_broken_source_is_read_as_far_as_it_goes(text: str) -> None:
    assert len(suppressions_in(text)) <= 1
