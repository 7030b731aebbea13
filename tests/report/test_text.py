from __future__ import annotations

import pytest

from sgmem.report.text import escape, escape_surrogates, last_name, plural, short_slot, slot_module, tidy


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain [red]code[/red]", "plain [red]code[/red]"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202eevil\u200b", "\\u202eevil\\u200b"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\udc80", "\\udc80"),
        ("\U000e0001", "\\U000e0001"),
        ("größe 日本 é…", "größe 日本 é…"),
    ],
)
def test_escape_shows_what_would_move_the_cursor_or_hide_text(raw: str, shown: str) -> None:
    assert escape(raw) == shown
    assert escape(shown) == shown


def test_escape_surrogates_leaves_everything_else() -> None:
    assert escape_surrogates("a\x1bé\udcffz\ud800") == "a\x1bé\\udcffz\\ud800"


@pytest.mark.parametrize(
    ("slot", "module", "name", "last"),
    [
        ("pkg.mod:Class.attr", "pkg.mod", "Class.attr", "attr"),
        ("pkg.mod:name", "pkg.mod", "name", "name"),
        ("name", "", "name", "name"),
        ("", "", "", ""),
    ],
)
def test_parts_of_a_slot(slot: str, module: str, name: str, last: str) -> None:
    assert (slot_module(slot), short_slot(slot), last_name(slot)) == (module, name, last)


def test_plural() -> None:
    assert [plural(n, "site") for n in (0, 1, 2)] == ["0 sites", "1 site", "2 sites"]
    assert plural(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("f( x, [ 1 ] )", "f(x, [1])"),
        ("d = { 'a': ( 1 ) }", "d = {'a': (1)}"),
        ('print( \'( x )\', "[ \\" ]" )', 'print(\'( x )\', "[ \\" ]")'),
        ("x = 'open ( ", "x = 'open ("),
        ("a  +  b", "a  +  b"),
    ],
)
def test_tidy_closes_up_brackets_outside_strings(code: str, shown: str) -> None:
    assert tidy(code) == shown
