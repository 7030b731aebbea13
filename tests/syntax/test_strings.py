"""The pieces of f-strings are found in the text, those of newer Python included."""

from __future__ import annotations

import pytest

from sgmem.syntax.strings import Unreadable, pieces


def cut(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, text[piece.start : piece.end]) for piece in pieces(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'a{b}c'", [("literal", "a"), ("expression", "b"), ("literal", "c")]),
        ("f'{{a}}'", [("literal", "{{a}}")]),
        ("f''", []),
        ("'a' f'{b}' rb'c'", [("string", "'a'"), ("expression", "b"), ("string", "rb'c'")]),
        ("f'{a!r:>{b}}'", [("expression", "a"), ("expression", "b")]),
        ("f'{ a = }'", [("label", " a = "), ("expression", " a ")]),
        ('f"{a["b"]}"', [("expression", 'a["b"]')]),
        ('f"{f"{a}"}"', [("expression", 'f"{a}"')]),
        ("f'{'}'}'", [("expression", "'}'")]),
        ("f'{\na # why }\n}'", [("expression", "\na # why }\n")]),
        ("'\\'' f'\\'{a}'", [("string", "'\\''"), ("literal", "\\'"), ("expression", "a")]),
    ],
)
def test_pieces(text: str, expected: list[tuple[str, str]]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize("text", ["f'", "f'{", "f'{a", "f'{a:", "f'{a!", "f'}'", "'a", "f'\\N{", "a", "f'{a!r", "f'{a}' +"])
def test_what_is_no_string_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        pieces(text)
