from __future__ import annotations

import io

import pytest
from rich.style import Style
from rich.text import Text

from sgmem.report.console import print_lines, view_of
from sgmem.report.view import View


class Stream(io.StringIO):
    """A stream that claims to be a terminal, or not, in some encoding."""

    def __init__(self, *, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self.terminal = terminal
        self.claimed = encoding

    def isatty(self) -> bool:
        return self.terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.claimed


@pytest.mark.parametrize(
    ("option", "terminal", "environ", "color", "links"),
    [
        ("auto", True, {}, True, True),
        ("auto", False, {}, False, False),
        ("auto", True, {"NO_COLOR": "1"}, False, False),
        ("auto", True, {"NO_COLOR": ""}, True, True),
        ("auto", True, {"TERM": "dumb"}, False, False),
        ("auto", False, {"FORCE_COLOR": "1"}, True, False),
        ("auto", False, {"FORCE_COLOR": "0"}, False, False),
        ("auto", False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ("always", False, {"NO_COLOR": "1"}, True, False),
        ("never", True, {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_color_and_links(option: str, terminal: bool, environ: dict[str, str], color: bool, links: bool) -> None:
    view = view_of(Stream(terminal=terminal), option, environ)  # type: ignore[arg-type]
    assert (view.color, view.links) == (color, links)


@pytest.mark.parametrize(
    ("encoding", "unicode"),
    [("utf-8", True), ("UTF-8", True), ("ascii", False), ("latin-1", False), ("nonsense", False)],
)
def test_box_characters_only_where_they_can_be_encoded(encoding: str, unicode: bool) -> None:
    assert view_of(Stream(encoding=encoding), environ={}).unicode is unicode


@pytest.mark.parametrize(("columns", "width"), [("132", 132), ("5", 40), ("100000", 240)])
def test_columns_sets_the_width_within_reason(columns: str, width: int) -> None:
    assert view_of(Stream(), environ={"COLUMNS": columns}).width == width


@pytest.mark.parametrize("columns", ["", "wide", "-3", "²"])
def test_a_bad_width_is_ignored(columns: str) -> None:
    assert 40 <= view_of(Stream(), environ={"COLUMNS": columns}).width <= 240


@pytest.mark.parametrize("color", [True, False])
def test_text_is_printed_as_it_is(color: bool) -> None:
    code = "x[bold] = [/]y :smile: 'str' 123 " + "path/" * 60
    assert print_lines([Text(code)], View(width=40, color=color)).rstrip("\n") == code.rstrip()


def test_style_only_where_the_view_has_color() -> None:
    line = Text("word", style=Style(color="red", bold=True, link="file:///x.py"))
    assert print_lines([line], View(color=False)) == "word\n"
    styled = print_lines([line], View(color=True))
    assert "\x1b[1;31m" in styled
    assert "\x1b]8;" in styled


def test_the_environment_of_the_process_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Text("word", style="red")
    for name, value in (("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("COLUMNS", "3"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    assert print_lines([line], View(color=True)) == "\x1b[31mword\x1b[0m\n"
    assert print_lines([line], View(color=False)) == "word\n"
