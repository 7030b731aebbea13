"""The lists of a trace: writes by slot, plain reads, writes after construction, what is reached or was not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.provenance import WRITING, Provenance, holds
from sgmem.report.text import escape, last_name, plural, short_slot, slot_module
from sgmem.report.trace_tree import place_of, places, word_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgmem.queries.results import Site, Trace

READS_SHOWN = 12
REACHED_SHOWN = 12
UNRESOLVED_SHOWN = 8
ITEM = Indent("  ", "  ")
BELOW = Indent("    ", "    ")


def own_writes(trace: Trace, provenance: Provenance) -> list[Site]:
    """The sites that write the parameter itself, its declared slot first, in source order within a slot."""
    name = last_name(trace.parameter)
    writes = [site for site in trace.sites if site.role in WRITING and holds(site, name)]
    declared = {site.slot for site in writes if site.role == "declaration"}
    sizes: dict[str | None, int] = {}
    for site in writes:
        sizes[site.slot] = sizes.get(site.slot, 0) + 1
    return sorted(
        writes, key=lambda s: (s.slot not in declared, -sizes[s.slot], s.slot or "", s.path, s.line, s.column)
    )


def draw_writes(page: Page, writes: list[Site]) -> None:
    """Every write, grouped by the slot it concerns."""
    if not writes:
        return
    page.heading(
        f"Set at {plural(len(writes), 'place')}", "everything that gives it a value, by the variable that is set"
    )
    width = max(cell_len(word_of(site)) for site in writes)
    slot: str | None = ""
    for site in writes:
        if site.slot != slot:
            slot = site.slot
            draw_slot_name(page, slot or "", sum(other.slot == slot for other in writes))
        draw_site(page, site, width)


def draw_slot_name(page: Page, slot: str, count: int) -> None:
    line = Text("  ").append(escape(short_slot(slot)), style=style.TITLE)
    module = slot_module(slot)
    if module and line.cell_len + cell_len(module) + 5 <= page.view.width:
        line.append(f"  in {escape(module)}", style=style.FAINT)
    page.lines.append(line)


def draw_site(page: Page, site: Site, width: int) -> None:
    """One site with its conditions, its note and its confidence."""
    label = Text(word_of(site), style=style.LABEL_STYLE[site.role])
    page.entry(BELOW, label, site.code, place_of(site), label_width=width, limit=3, hang=width + 2)
    inner = Indent(" " * (width + 6), " " * (width + 6))
    page.conditions(inner, site.when)
    if site.note:
        page.note(inner, "note:", site.note)
    if site.confidence != "high":
        page.note(inner, "", f"{site.confidence} confidence", style.WARNING)


def draw_reads(page: Page, trace: Trace, drawn: set[str]) -> None:
    """Reads of the parameter that hand it nowhere, so that no tree shows them; those of computed values are counted."""
    rest = [site for site in trace.sites if site.role == "read" and site.id not in drawn]
    own = sorted((site for site in rest if not site.derived), key=lambda site: (site.path, site.line, site.column))
    derived = [site for site in rest if site.derived]
    if not rest:
        return
    page.heading("Reads", "places that only look at the value")
    shown = own if page.view.all_hops else own[:READS_SHOWN]
    draw_plain(page, shown)
    if len(shown) < len(own):
        left = own[len(shown) :]
        page.note(ITEM, "", f"{page.glyphs.more} and {places(left)} more, --hops all", style.FAINT)
    if derived and page.view.all_hops:
        page.note(ITEM, "", "of values computed from it:", style.FAINT)
        draw_plain(page, derived)
    elif derived:
        page.note(ITEM, "", f"values computed from it are read at {places(derived)} more, --hops all", style.FAINT)


def draw_plain(page: Page, sites: Iterable[Site]) -> None:
    for site in sites:
        page.entry(ITEM, Text(page.glyphs.dot, style=style.FAINT), site.code, place_of(site), limit=1, hang=3)
        if site.confidence != "high":
            page.note(Indent("     ", "     "), "", f"{site.confidence} confidence", style.WARNING)


def draw_reaches(page: Page, trace: Trace) -> None:
    """The allocations and events at the end of the way."""
    reached = [site for site in trace.sites if site.role in ("sink", "event")]
    if not reached:
        return
    page.heading("Reaches", "memory that the value sizes, and events that depend on it")
    shown = reached if page.view.all_hops else reached[:REACHED_SHOWN]
    width = max(cell_len(word_of(site)) for site in shown)
    for site in shown:
        label = Text(word_of(site), style=style.LABEL_STYLE[site.role])
        page.entry(ITEM, label, site.code, place_of(site), label_width=width, limit=2, hang=4)
        page.conditions(Indent("      ", "      "), site.when)
    if len(shown) < len(reached):
        page.note(ITEM, "", f"{page.glyphs.more} and {places(reached[len(shown) :])} more, --hops all", style.FAINT)


def draw_after_construction(page: Page, trace: Trace) -> None:
    """Per slot, whether its value changes once the object that holds it is built."""
    if not trace.after_construction:
        return
    sites = {site.id: site for site in trace.sites}
    page.heading("Written after construction?", "whether the value can change once its object is built")
    for item in trace.after_construction:
        name = Text("  ").append(escape(short_slot(item.slot)), style=style.TITLE).append("  ")
        writes = [sites[key] for key in item.sites if key in sites]
        if item.verdict == "none":
            name.append("no: nothing writes it once its owner is built", style=style.GOOD)
        elif item.verdict == "some":
            name.append(f"yes, at {plural(max(len(writes), len(item.sites)), 'place')}", style=style.WARNING)
        else:
            name.append("unknown", style=style.WARNING)
        page.lines.append(name)
        for site in writes:
            draw_site(page, site, cell_len(word_of(site)))


def draw_unresolved(page: Page, trace: Trace) -> None:
    """What the analysis could not follow, by reason."""
    if not trace.unresolved:
        return
    page.heading(f"Not followed: {len(trace.unresolved)}", "the value may go on, or come from, here as well")
    by_reason: dict[str, list[Place]] = {}
    for item in trace.unresolved:
        by_reason.setdefault(item.why, []).append(Place(item.path, item.line))
    limit = None if page.view.all_hops else UNRESOLVED_SHOWN
    for reason in list(by_reason)[:limit]:
        page.note(ITEM, page.glyphs.dot, reason)
        shown = by_reason[reason][:limit]
        for where in shown:
            page.place_line(Text(BELOW.first), where)
        if len(shown) < len(by_reason[reason]):
            page.note(
                BELOW, "", f"{page.glyphs.more} and {len(by_reason[reason]) - len(shown)} more, --hops all", style.FAINT
            )
    if limit is not None and len(by_reason) > limit:
        page.note(ITEM, "", f"{page.glyphs.more} and {len(by_reason) - limit} other reasons, --hops all", style.FAINT)


def draw_unread(page: Page, trace: Trace) -> None:
    """Files that could not be analysed: what they do with the value is not known."""
    unread: Sequence[object] = trace.source.unreadable
    if not unread:
        return
    page.heading(f"Not read: {plural(len(unread), 'file')}", "what they do with the value is not known")
    for item in trace.source.unreadable:
        page.note(ITEM, page.glyphs.dot, item.path)
        page.note(BELOW, "", item.why, style.FAINT)
