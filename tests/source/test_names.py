from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgmem.source.names import printable, uri_reference


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("pkg/mod.py", "pkg/mod.py"),
        ("größe 1.py", "größe 1.py"),
        ("a\nb.py", "a\\u000ab.py"),
        ("a\x1b[31m.py", "a\\u001b[31m.py"),
        ("a\udcff.py", "a\\xff.py"),
        ("a\\xff.py", "a\\\\xff.py"),
        ("a\u202eyp.b", "a\\u202eyp.b"),
    ],
)
def test_what_cannot_be_shown_is_escaped(name: str, shown: str) -> None:
    assert printable(name) == shown


@given(st.lists(st.text(alphabet=st.sampled_from("a\\xu0\n\udcff\x01f"), max_size=8), min_size=2, max_size=2, unique=True))
def test_different_names_stay_different_and_can_be_encoded(names: list[str]) -> None:
    first, second = map(printable, names)
    assert first != second
    assert (first + second).encode("utf-8")


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("pkg/mod.py", "pkg/mod.py"),
        ("a b#c?.py", "a%20b%23c%3F.py"),
        ("ö.py", "%C3%B6.py"),
        ("a\udcff.py", "a%FF.py"),
        ("100%.py", "100%25.py"),
    ],
)
def test_uris_are_percent_encoded(path: str, uri: str) -> None:
    assert uri_reference(path) == uri
