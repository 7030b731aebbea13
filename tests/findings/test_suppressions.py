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
        ("#sgmem:ignore[SGM101,negative-budget] both", ("SGM101", "negative-budget"), "both"),
        ("# sgmem: ignore[ SGM101 ] - because", ("SGM101",), "because"),
        ("# SGMEM: Ignore[SGM101]: because", ("SGM101",), "because"),
        ("# sgmem: ignore[SGM101] see [issue 7]", ("SGM101",), "see [issue 7]"),
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


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        ("# noqa: E501  # sgmem: ignore[SGM101] why not", "why not"),
        ("# type: ignore[union-attr] # sgmem: ignore[SGM101] why not", "why not"),
        ("# sgmem: ignore[SGM101] why not  # noqa: E501", "why not"),
        ("# sgmem: ignore[SGM101] why not # pragma: no cover", "why not"),
        ("## sgmem: ignore[SGM101] see #123 for why", "see #123 for why"),
        ("# sgmem: ignore[SGM101]  # noqa", ""),
    ],
)
def test_other_tools_share_the_comment(comment: str, reason: str) -> None:
    found = only(f"x = 1  {comment}\n")
    assert (found.rules, found.reason) == (("SGM101",), reason)
    assert f"x = 1  {comment}"[found.column - 1 : found.end_column - 1].rstrip().endswith(reason or "]")


def test_two_suppressions_in_one_comment_are_two() -> None:
    first, second = suppressions_in("x = 1  # sgmem: ignore[SGM101] a  # sgmem: ignore[SGM201] b\n")
    assert (first.rules, first.reason, second.rules, second.reason) == (("SGM101",), "a", ("SGM201",), "b")


def test_names_are_taken_out_and_the_rest_stays() -> None:
    found = only("# sgmem: ignore[SGM101, negative-budget] why\nx = 1\n")
    assert found.alone
    assert found.without(["SGM101"]) == "# sgmem: ignore[negative-budget] why"
    assert found.without(["SGM101", "negative-budget"]) == ""


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
