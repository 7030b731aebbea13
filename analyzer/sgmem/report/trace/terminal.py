"""`sgmem trace` for people: what sets the parameter, where it goes, which formulas use it, what it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.cells import cell_len
from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.layout import Indent, Page
from sgmem.report.text import escape, last_name, plural
from sgmem.report.trace.formulas import draw_formulas
from sgmem.report.trace.merging import WRITING
from sgmem.report.trace.overview import draw_overview
from sgmem.report.trace.provenance import ALL, Limits, Node, holds
from sgmem.report.trace.relevance import Relevance
from sgmem.report.trace.sections import (
    draw_after_construction,
    draw_reaches,
    draw_reads,
    draw_unread,
    draw_unresolved,
    draw_writes,
    own_writes,
)
from sgmem.report.trace.tree import TreeDrawer, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.results.trace import Site, Trace
    from sgmem.report.view import View

FORWARD = Limits(fan_out=10, own=20, derived=12)
BACKWARD = Limits(fan_out=6, own=12, derived=6)
ROOTS_SHOWN = 2
LONG_PLACE = 72
"""Places wider than this go below their code rather than widen the column for all."""


def render_trace_text(trace: Trace, view: View) -> str:
    """Return the trace as text for `view`, with a newline at the end."""
    page = new_page(trace, view)
    relevance = Relevance(trace, brief=not view.all_hops)
    draw_header(page, trace)
    if relevance.large and not view.all_hops and not view.writes:
        draw_overview(page, relevance)
    writes = own_writes(trace, relevance.home_slot)
    draw_writes(page, writes, relevance)
    if not view.writes:
        drawn = draw_trees(page, relevance, {site.slot for site in writes})
        draw_formulas(page, relevance)
        draw_after_construction(page, trace, relevance.home_slot)
        draw_reads(page, trace, drawn)
        draw_reaches(page, trace)
    draw_unresolved(page, trace)
    draw_unread(page, trace)
    draw_summary(page, trace)
    return print_lines(page.lines, view)


def new_page(trace: Trace, view: View) -> Page:
    places = [str(place_of(site)) for site in trace.sites]
    widest = max((size for size in map(cell_len, places) if size <= LONG_PLACE), default=0)
    return Page(view, trace.source.root, widest)


def draw_header(page: Page, trace: Trace) -> None:
    """What was traced, and in which source."""
    source = trace.source
    line = Text(escape(trace.parameter), style=style.TITLE)
    version = f"version {escape(source.version)}" if source.version else "version unknown"
    line.append(f"  {version}, {plural(source.files, 'file')}", style=f"not bold {style.FAINT}")
    page.lines.append(line)
    page.lines.append(Text(f"in {escape(source.root)}", style=style.FAINT))


def draw_trees(page: Page, relevance: Relevance, listed: set[str | None]) -> set[str]:
    """Draw where the value comes from and goes to, of a large trace the ways to memory; return the ids of the sites drawn."""
    view, provenance, roots = page.view, relevance.provenance, relevance.roots
    limits, upstream_limits = (ALL, ALL) if view.all_hops else (FORWARD, BACKWARD)
    ways = relevance.ways if relevance.large and not view.all_hops and relevance.home in relevance.ways else None
    forward = provenance.tree(roots, msgspec.structs.replace(limits, depth=view.depth), ways=ways)
    given = [key for key in roots if provenance.is_home(key) and provenance.declares(key)]
    starts = roots if view.all_hops else [key for key in roots[:1] if key not in given]
    upstream = provenance.tree(starts, msgspec.structs.replace(upstream_limits, depth=view.depth), backward=True)
    drawer = TreeDrawer(page, lambda node: node.slot in listed)
    upstream = [node for node in upstream if node.children]
    forward = [node for node in forward if node.children or node.leaves or node.hidden]
    if upstream:
        page.heading("Comes from", "read downwards: each line receives the value from the line below it")
        drawer.draw(upstream, backward=True)
    shown = forward if view.all_hops else forward[:ROOTS_SHOWN]
    if shown:
        which = "the ways to what it sizes; " if ways is not None else ""
        page.heading("Handed on", f"{which}read downwards: each line receives the value from the line above it")
        drawer.draw(shown)
    if len(shown) < len(forward):
        more = plural(len(forward) - len(shown), "variable")
        page.note(Indent(), "", f"{page.glyphs.more} and from {more} of this name elsewhere, --hops all", style.FAINT)
    return ids(shown) | ids(upstream)


def ids(forest: list[Node]) -> set[str]:
    """The ids of every site that a forest draws."""
    found: set[str] = set()
    pending = list(forest)
    while pending:
        node = pending.pop()
        found |= {site.id for site in node.merged}
        pending += node.children
    return found


def draw_summary(page: Page, trace: Trace) -> None:
    """One line that counts what was found; the last thing on the screen."""
    name = last_name(trace.parameter)
    own = [site for site in trace.sites if holds(site, name)]
    derived = sum(site.derived for site in trace.sites)
    others = len(trace.sites) - len(own) - derived
    reached = count(trace.sites, "sink", "event")
    negative = sum(formula.negative.verdict == "yes" for formula in trace.formulas)
    files = len({site.path for site in trace.sites})
    where = f"{plural(len(trace.sites), 'site')} in {plural(files, 'file')}"
    kinds = [
        plural(count(own, *WRITING), "write"),
        plural(count(own, "read", "pass", "guard"), "read"),
        f"{derived} on values computed from it" if derived else "",
        f"{others} on what meets it" if others else "",
    ]
    counts = [
        f"{where}: {', '.join(filter(None, kinds))}",
        plural(len(trace.formulas), "formula") + (f", {negative} can be negative" if negative else ""),
        f"{plural(reached, 'allocation or event', 'allocations and events')} reached" if reached else "",
        f"{len(trace.unresolved)} not followed",
        f"{trace.source.analysed} of {plural(trace.source.files, 'file')} parsed",
    ]
    page.blank()
    page.note(Indent("", "  "), "", ". ".join(filter(None, counts)) + ".", style.TITLE)


def count(sites: Iterable[Site], *roles: str) -> int:
    return sum(site.role in roles for site in sites)
