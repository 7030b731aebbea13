"""`sgmem models` for people: the rows that match, those that should and do not, and rows that the source seems to need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.text import escape, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.results.models import ModelRow, ModelsResult
    from sgmem.report.view import View

DEFINITIONS_SHOWN = 3
HEADINGS = {
    "unfit": "Do not count: what they name looks otherwise",
    "missing": "Match nothing, though the modules that they name are here",
    "matched": "Match definitions of the source",
    "mentioned": "Name what the source mentions: functions of libraries, fields and variables",
    "absent": "Match nothing here",
}
"""The states of rows in the order in which they are shown."""


def render_models_text(result: ModelsResult, view: View) -> str:
    """Return the rows in force as text for `view`, with a newline at the end."""
    lines = [_header(result)]
    for state, heading in HEADINGS.items():
        rows = [row for row in result.rows if row.state == state]
        if rows:
            lines += [Text(), Text(f"{heading}  {plural(len(rows), 'row')}", style=style.TITLE)]
            lines += [line for row in rows for line in _row(row, view)]
    if result.suggestions:
        lines += [Text(), Text("Rows that the source may need  read each before you use it", style=style.TITLE)]
        for one in result.suggestions:
            place = f"{one.definition.path}:{one.definition.line}"
            lines += [Text(escape(f"  # {one.why}: {place}"), style=style.FAINT)]
            lines += [Text(escape(f"  {line}")) for line in one.toml.splitlines()] + [Text()]
    return print_lines(lines, view)


def _header(result: ModelsResult) -> Text:
    own = sum(row.own for row in result.rows)
    version = f", version {result.source.version}" if result.source.version else ""
    told = f"{plural(len(result.rows), 'row')} in force, {own} of them of your own, on {plural(result.source.files, 'file')}{version}"
    return Text(escape(told))


def _row(row: ModelRow, view: View) -> Iterable[Text]:
    own = "own " if row.own else ""
    kind = f" {row.kind}" if row.kind else ""
    yield Text(escape(f"  {own}{row.table}{kind}  {', '.join(row.names)}"))
    if row.note:
        yield Text(escape(f"    {row.note}"), style=style.WARNING)
    shown = row.definitions if view.verbose else row.definitions[:DEFINITIONS_SHOWN]
    for one in shown:
        yield Text(escape(f"    {one.name}  {one.path}:{one.line}"), style=style.FAINT)
    if len(shown) < len(row.definitions):
        yield Text(f"    and {len(row.definitions) - len(shown)} more", style=style.FAINT)
    if not row.definitions and row.mentions:
        yield Text(f"    mentioned in {plural(row.mentions, 'file')}", style=style.FAINT)
