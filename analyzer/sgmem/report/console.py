"""The one rich console, and what a destination can show: width, colour, links, character set.

Only `rich.text.Text` is ever printed: rich's markup would delete `[x]` from code and its highlighting recolour numbers.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Literal, TextIO

from sgmem.report.view import NARROWEST, UNICODE, WIDEST, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.console import Console
    from rich.text import Text

ColorMode = Literal["auto", "always", "never"]
DEFAULT_WIDTH = 80
NEEDED = "".join(str(getattr(UNICODE, name)) for name in UNICODE.__struct_fields__)


def view_of(stream: TextIO, color: ColorMode = "auto", environ: Mapping[str, str] | None = None) -> View:
    """Return how results are shown on `stream`."""
    environ = os.environ if environ is None else environ
    colored = wants_color(stream, color, environ)
    return View(
        width=width_of(stream, environ),
        color=colored,
        links=colored and is_terminal(stream),
        unicode=can_encode(getattr(stream, "encoding", None)),
    )


def wants_color(stream: TextIO, color: ColorMode, environ: Mapping[str, str]) -> bool:
    """Decide on colour: the option, then NO_COLOR, then FORCE_COLOR, then whether `stream` is a capable terminal."""
    if color != "auto":
        return color == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return is_terminal(stream) and environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def can_encode(encoding: str | None) -> bool:
    """Whether the box-drawing characters exist in `encoding`."""
    try:
        NEEDED.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def width_of(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Return the width to lay out for: COLUMNS, else the terminal's, else 80.

    Piped into a pager the output has no width of its own; then the terminal behind stderr is the reader's.
    """
    given = environ.get("COLUMNS", "")
    width = int(given) if given.isascii() and given.isdigit() else 0
    return min(max(width or terminal_width(stream) or DEFAULT_WIDTH, NARROWEST), WIDEST)


def terminal_width(stream: TextIO) -> int:
    for number in (descriptor(stream), 2):
        if number is None:
            continue
        try:
            return os.get_terminal_size(number).columns
        except (OSError, ValueError):
            continue
    return 0


def descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None


def make_console(view: View, file: TextIO) -> Console:
    """Return the console that prints on `file` as `view` says, deaf to the environment."""
    from rich.console import Console

    return Console(
        file=file,
        width=view.width,
        color_system="standard" if view.color else None,
        force_terminal=view.color,
        no_color=False,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=True,
        legacy_windows=False,
    )


def print_lines(lines: Iterable[Text], view: View) -> str:
    """Render `lines` and return them as one string, escape sequences included.

    Without colour the console would add nothing, at half a millisecond per line.
    """
    if not view.color:
        return "".join(line.plain.rstrip() + "\n" for line in lines)
    out = io.StringIO()
    console = make_console(view, out)
    for line in lines:
        line.rstrip()
        console.print(line)
    return out.getvalue()
