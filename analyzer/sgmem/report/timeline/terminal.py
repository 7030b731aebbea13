"""`sgmem timeline` for people: in short who pays for what, then the start-up in order, its skeleton or every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, plural, short_slot
from sgmem.report.timeline.budgets import draw_budgets
from sgmem.report.timeline.overview import draw_overview
from sgmem.report.timeline.skeleton import draw_skeleton
from sgmem.report.timeline.steps import UNWEIGHTY, Steps
from sgmem.report.timeline.tree import draw_tree

if TYPE_CHECKING:
    from sgmem.queries.results.timeline import Timeline
    from sgmem.report.view import View


def render_timeline_text(timeline: Timeline, view: View) -> str:
    """Return the timeline as text for `view`, with a newline at the end."""
    page = Page(view, timeline.source.root)
    steps = Steps(timeline, everything=view.every and view.verbose)
    _draw_header(page, timeline)
    draw_overview(page, steps, timeline)
    if view.every:
        draw_tree(page, steps)
        draw_budgets(page, steps, timeline)
    else:
        draw_skeleton(page, steps, timeline)
    _draw_summary(page, timeline)
    return print_lines(page.lines, view)


def _draw_header(page: Page, timeline: Timeline) -> None:
    source = timeline.source
    line = Text(f"Start-up from {escape(short_slot(timeline.root))}", style=style.TITLE)
    version = f"version {escape(source.version)}" if source.version else "version unknown"
    line.append(f"  {version}, {plural(source.files, 'file')}", style=f"not bold {style.FAINT}")
    page.lines.append(line)
    page.place(Indent("", ""), Place(timeline.path, timeline.line))


def _draw_summary(page: Page, timeline: Timeline) -> None:
    readings = sum(step.kind == "measurement" for step in timeline.steps)
    events = sum(step.kind not in UNWEIGHTY for step in timeline.steps)
    source = timeline.source
    text = f"{plural(events, 'event')}, {plural(readings, 'measurement')}. {source.analysed} of {plural(source.files, 'file')} parsed."
    page.blank()
    page.note(Indent("", "  "), "", text, style.TITLE)
    if not timeline.complete:
        page.note(Indent("", "  "), "", "Not everything was followed: the call tree is deeper than the analysis goes.", style.FAINT)
