"""What needs no parser is what the parser would make of it."""

from __future__ import annotations

import pytest
from syntax.samples import Sample, expression

from sgmem.syntax import lower, statements
from sgmem.syntax.packed import packed
from sgmem.syntax.plain import plain_assignment, plain_expression

PLAIN = ["a", "a.b.c", "_x1.Y", "None", "True", "False", "0", "12", "match.type"]
OTHER = [
    "a .b",
    "a.b()",
    "é",
    "é.a",
    "00",
    "1.5",
    "0x1",
    "1_000",
    "'a'",
    "a,",
    "(a)",
    "yield",
    "await",
    "not",
    "lambda",
    "a.None",
    "...",
    "",
]


@pytest.mark.parametrize("text", PLAIN)
def test_names_and_constants_are_what_the_parser_makes_of_them(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    found = expression(text)
    monkeypatch.setattr(lower, "plain_expression", lambda *_: None)
    assert packed(found) == packed(expression(text))
    assert plain_expression(text, found.span) is not None


@pytest.mark.parametrize("text", OTHER)
def test_all_else_is_left_to_the_parser(text: str) -> None:
    assert plain_expression(text, expression("a").span) is None


@pytest.mark.parametrize("text", ["a = b", "self.a.b = c.d", "a  =  None", "a=1", "x.y = 0"])
def test_plain_assignments_are_what_the_parser_makes_of_them(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    sample = Sample(f"if x:\n    {text}\n")
    found = sample.lowered(text)
    assert plain_assignment(text, found.span) is not None
    monkeypatch.setattr(statements, "plain_assignment", lambda *_: None)
    assert packed(found) == packed(sample.lowered(text))


@pytest.mark.parametrize(
    "text", ["a = b = c", "a = b()", "a == b", "a, b = c", "a = (b)", "1 = a", "None = a", "a += b", "a = yield", "a = -1"]
)
def test_other_assignments_are_left_to_the_parser(text: str) -> None:
    assert plain_assignment(text, expression("a").span) is None
