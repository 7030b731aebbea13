"""A page of lines: headings, entries (label, code, place) and notes, laid out for the width of the view.

Where the width allows, the place stands in a column to the right of the code, else on a line of its own below it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from sgmem.report import style
from sgmem.report.text import escape, tidy
from sgmem.report.view import Glyphs, View, glyphs
from sgmem.report.wrap import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

CONDITIONS_SHOWN = 3
SHARE_OF_CODE = 0.48
ROOM_FOR_CODE = 66
"""The fewest cells that code needs beside a column of places."""


class Place(msgspec.Struct, frozen=True):
    """A `path:line` and the symbol around it."""

    path: str
    line: int
    symbol: str = ""

    def __str__(self) -> str:
        return f"{escape(self.path)}:{self.line}"


class Indent(msgspec.Struct, frozen=True):
    """What stands to the left of an entry: on its first line, and on those that continue it."""

    first: str = "  "
    rest: str = "  "


class Page:
    """Collects lines. `root` is the folder that paths are relative to, for links, `widest` the widest place to come."""

    def __init__(self, view: View, root: str = "", widest: int = 0) -> None:
        self.view = view
        self.glyphs: Glyphs = glyphs(view)
        self.root = Path(root) if root and view.links else None
        self.lines: list[Text] = []
        self.column = self.place_column(widest)

    def place_column(self, widest: int) -> int | None:
        """Return where the column of places begins, or None where it does not fit beside the code."""
        latest = self.view.width - widest
        if not widest or latest < ROOM_FOR_CODE:
            return None
        return min(latest, max(ROOM_FOR_CODE, int(self.view.width * SHARE_OF_CODE)))

    def blank(self) -> None:
        if self.lines and self.lines[-1].plain:
            self.lines.append(Text())

    def heading(self, title: str, gloss: str = "") -> None:
        """A section's title with a few faint words that say how to read it."""
        self.blank()
        line = Text(title, style=style.HEADING)
        if gloss and cell_len(title) + 2 + cell_len(gloss) <= self.view.width:
            self.lines.append(line.append("  ").append(gloss, style=f"not bold {style.FAINT}"))
            return
        self.lines.append(line)
        if gloss:
            self.lines += [Text(part, style=style.FAINT) for part in wrap(gloss, self.view.width, self.view.width)]

    def entry(
        self,
        indent: Indent,
        label: Text,
        code: str,
        place: Place | None,
        *,
        label_width: int = 0,
        limit: int | None = 3,
        hang: int | None = None,
    ) -> None:
        """A labelled piece of code and where it is. `hang` indents the lines below it, if not as far as the code."""
        label = label.copy()
        label.pad_right(max(0, label_width - label.cell_len))
        lead = cell_len(indent.first) + label.cell_len + 2
        below = lead - cell_len(indent.rest) if hang is None else hang
        most = None if self.view.verbose else limit
        code = tidy(escape(code))
        column = self.column if place is not None and self.fits(place) else None
        lines = self.code_lines(indent, label, lead, code, most, column)
        if column is not None and lines[0].cell_len >= column:
            column = None
            lines = self.code_lines(indent, label, lead, code, most, None)
        first = len(self.lines)
        self.lines += lines
        if place is not None and column is None:
            self.lines.append(self.placed(Text(indent.rest + " " * below), place))
        elif place is not None and column is not None:
            lines[0].pad_right(column - lines[0].cell_len)
            self.lines[first] = self.placed(lines[0], place)

    def code_lines(self, indent: Indent, label: Text, lead: int, code: str, limit: int | None, column: int | None) -> list[Text]:
        """The label and the code, wrapped before the column of places, or else at the edge."""
        edge = self.view.width if column is None else column - 2
        hanging = min(lead, self.view.width // 2) + 2
        lines = []
        for number, part in enumerate(wrap(code, edge - lead, edge - hanging, limit, self.glyphs.more, code=True)):
            line = Text(indent.rest if number else indent.first)
            if number:
                line.pad_right(max(0, hanging - line.cell_len))
            else:
                line.append_text(label).append("  ")
            lines.append(line.append(part, style=style.CODE))
        return lines

    def fits(self, place: Place) -> bool:
        """Whether the column of places has room for this one."""
        return self.column is not None and self.column + cell_len(str(place)) <= self.view.width

    def place(self, indent: Indent, place: Place) -> None:
        """A line that is only a place."""
        self.lines.append(self.placed(Text(indent.first), place))

    def placed(self, line: Text, place: Place) -> Text:
        """Return `line` with the place at its end, and with its symbol where that still fits."""
        line.append_text(self.link(place))
        symbol = escape(place.symbol)
        if symbol and line.cell_len + len(" in ") + cell_len(symbol) <= self.view.width:
            line.append(f" in {symbol}", style=style.FAINT)
        return line

    def note(
        self,
        indent: Indent,
        word: str,
        text: str,
        text_style: str = "",
        word_style: str = style.FAINT,
        *,
        limit: int | None = None,
    ) -> None:
        """`word text`, the text wrapped with a hanging indent below itself."""
        word = escape(word)
        lead = cell_len(indent.first) + (cell_len(word) + 1 if word else 0)
        rest = min(max(lead, cell_len(indent.rest)), max(cell_len(indent.rest) + 4, self.view.width // 2))
        most = None if self.view.verbose else limit
        parts = wrap(escape(text), self.view.width - lead, self.view.width - rest, most, self.glyphs.more)
        for number, part in enumerate(parts):
            line = Text(indent.first if number == 0 else indent.rest)
            if number == 0 and word:
                line.append(word, style=word_style).append(" ")
            if number:
                line.pad_right(rest - line.cell_len)
            self.lines.append(line.append(part, style=text_style))

    def conditions(self, indent: Indent, when: Sequence[str], limit: int = CONDITIONS_SHOWN, lines: int | None = None) -> None:
        """The conditions, outermost first, each on at most so many lines.

        The innermost tell the most: of many, only those are shown.
        """
        shown = when if self.view.verbose or len(when) <= limit + 1 else when[-limit:]
        for number, condition in enumerate(shown):
            self.note(indent, "and" if number else "when", condition, style.CONDITION, limit=lines)
        if len(shown) < len(when):
            self.note(indent, "and", f"{len(when) - len(shown)} outer conditions, -v", style.FAINT)

    def link(self, place: Place) -> Text:
        """`path:line`, a hyperlink where the file is really there."""
        text = Text(str(place), style=style.FAINT)
        if self.root is not None:
            file = self.root / place.path
            if file.is_file():
                text.stylize(Style(link=file.resolve().as_uri()))
        return text
