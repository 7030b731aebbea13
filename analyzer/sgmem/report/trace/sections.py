"""The lists of a trace: writes by slot, plain reads, writes after construction, what is reached or was not followed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from sgmem.queries.results.trace import MADE
from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, last_name, plural, short_slot, slot_module
from sgmem.report.trace.merging import WRITING
from sgmem.report.trace.overview import draw_variables
from sgmem.report.trace.provenance import holds
from sgmem.report.trace.relevance import is_aside
from sgmem.report.trace.tree import callee_of, place_of, places, word_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgmem.queries.results.trace import AfterConstruction, Site, Trace
    from sgmem.report.trace.relevance import Relevance

WRITES_SHOWN = 30
HOME_SHOWN = 24
READS_SHOWN = 12
MANY_READS = 60
REACHED_SHOWN = 10
UNRESOLVED_SHOWN = 8
STEADY_SHOWN = 8
STEADY_LINES = 4
INNERMOST = 2
STAGES = {"declared": 0, "default": 0, "flag": 1, "constructor": 2, "dynamic": 2}
"""Kinds of writes by when they happen; all others change what is there."""
UNRESOLVED_CALL = re.compile(r"call of (?:.*\.(?P<method>\w+)|.*) could not be resolved")
CERTAINTY = ("high", "medium", "low")
ITEM = Indent("  ", "  ")
BELOW = Indent("    ", "    ")


def own_writes(trace: Trace, home: str | None) -> list[Site]:
    """The sites that write the parameter itself: those of the slot `home` first, then in the order of a life."""
    name = last_name(trace.parameter)
    writes = [site for site in trace.sites if site.role in WRITING and holds(site, name)]
    sizes = Counter(site.slot for site in writes)
    changed = {site.slot for site in writes if site.role != "declaration"}

    def order(site: Site) -> tuple[bool, bool, int, str, int, str, int, int]:
        away = site.slot != home
        stage = STAGES.get(site.kind or "", len(STAGES))
        remote = away and site.slot not in changed
        return (away, remote, -sizes[site.slot], site.slot or "", stage, site.path, site.line, site.column)

    return sorted(writes, key=order)


def draw_writes(page: Page, writes: list[Site], relevance: Relevance) -> None:
    """Every write of the home of the parameter, and of others of its name, grouped by variable; where these are many, one line for
    each of the variables."""
    if not writes:
        return
    page.heading(f"Declared and set, {plural(len(writes), 'place')}", "by the variable that holds it")
    home = [site for site in writes if site.slot == writes[0].slot]
    everything = page.view.all_hops or page.view.writes
    as_variables = not everything and len(writes) - len(home) > WRITES_SHOWN
    shown = home if as_variables else writes
    if as_variables and len(home) > HOME_SHOWN:
        shown = home[:HOME_SHOWN]
    width = max(cell_len(word_of(site)) for site in shown)
    slot: str | None = ""
    for site in shown:
        if site.slot != slot:
            slot = site.slot
            draw_slot_name(page, slot or "")
        draw_site(page, site, width)
    if as_variables and len(shown) < len(home):
        page.note(BELOW, "", f"{page.glyphs.more} and {places(home[len(shown) :])} more, --writes", style.FAINT)
    if as_variables:
        draw_variables(page, relevance)


def draw_slot_name(page: Page, slot: str) -> None:
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
    """Where the parameter is read, or what holds it handed on, and no tree shows it; other reads are counted."""
    name = last_name(trace.parameter)
    rest = [site for site in trace.sites if site.role in ("read", "pass") and site.id not in drawn]
    own = [site for site in rest if holds(site, name)]
    others = [site for site in rest if site.derived and site.role == "read"]
    if not own and not others:
        return
    own.sort(key=lambda site: (CERTAINTY.index(site.confidence), is_aside(site.path), site.path, site.line, site.column))
    page.heading("Reads", "places that look at the value, or hand on an object that holds it")
    if len(own) > MANY_READS and not page.view.all_hops:
        draw_files(page, own)
    else:
        shown = own if page.view.all_hops else own[:READS_SHOWN]
        draw_plain(page, shown)
        if len(shown) < len(own):
            page.note(ITEM, "", f"{page.glyphs.more} and {places(own[len(shown) :])} more, --hops all", style.FAINT)
    if others and page.view.all_hops:
        page.note(ITEM, "", "of values computed from it:", style.FAINT)
        draw_plain(page, others)
    elif others:
        page.note(ITEM, "", f"values computed from it are read at {places(others)} more, --hops all", style.FAINT)


def draw_files(page: Page, sites: list[Site]) -> None:
    """Many reads: how many in each file, tests and benchmarks last."""
    counts = Counter(site.path for site in sites)
    ordered = sorted(counts, key=lambda path: (is_aside(path), -counts[path], path))
    for path in ordered[:READS_SHOWN]:
        page.lines.append(Text(f"  {counts[path]:>4}  ", style=style.FAINT).append(escape(path), style="not dim"))
    left = ordered[READS_SHOWN:]
    if left:
        more = f"{plural(sum(counts[path] for path in left), 'place')} in {plural(len(left), 'file')}"
        page.note(ITEM, "", f"{page.glyphs.more} and {more} more, --hops all lists them all", style.FAINT)


def draw_plain(page: Page, sites: Iterable[Site]) -> None:
    for site in sites:
        page.entry(ITEM, Text(page.glyphs.dot, style=style.FAINT), site.code, place_of(site), limit=1, hang=3)
        if site.confidence != "high":
            page.note(Indent("     ", "     "), "", f"{site.confidence} confidence", style.WARNING)


def draw_reaches(page: Page, trace: Trace) -> None:
    """The allocations and events at the end of the way; the arguments of one callee together."""
    followed = {site.slot for site in trace.sites if site.role == "declaration"}
    reached = [site for site in trace.sites if site.role in ("sink", "event") and site.slot not in followed]
    groups: dict[tuple[str, ...], list[Site]] = {}
    for site in reached:
        key = (callee_of(site), site.symbol, *site.when) if site.role == "sink" else (site.id,)
        groups.setdefault(key, []).append(site)
    if not groups:
        return
    page.heading("Reaches", "what the value sizes: pools, buffers and the objects that make them")
    ordered = list(groups.values()) if page.view.all_hops else sorted(groups.values(), key=lambda sites: reach_order(sites[0]))
    shown = ordered if page.view.all_hops else ordered[:REACHED_SHOWN]
    for sites in shown:
        draw_reached(page, sites)
    left = [site for sites in ordered[len(shown) :] for site in sites]
    if left:
        page.note(ITEM, "", f"{page.glyphs.more} and {places(left)} more, --hops all", style.FAINT)


def reach_order(site: Site) -> tuple[bool, int]:
    """What comes first where not all is shown: pools, then other allocations, then objects; tests last."""
    return is_aside(site.path), 0 if site.kind == "pool" else 1 if site.kind in MADE else 2


def draw_reached(page: Page, sites: list[Site]) -> None:
    """One callee with the arguments that the value flows into, or one event."""
    first = sites[0]
    label = Text(escape(callee_of(first)) if first.role == "sink" else word_of(first), style=style.LABEL_STYLE[first.role])
    code = ", ".join(argument_of(site) for site in sites) if first.role == "sink" else first.code
    page.entry(ITEM, label, code, place_of(first), limit=2, hang=2)
    if first.when:
        page.note(BELOW, "when", conjunction(first.when[-INNERMOST:]), style.CONDITION)


def conjunction(conditions: Sequence[str]) -> str:
    """The conditions on one line."""
    if len(conditions) == 1:
        return conditions[0]
    return " and ".join(f"({one})" if " or " in one or " if " in one else one for one in conditions)


def argument_of(site: Site) -> str:
    """The code of an argument, with the name of the parameter where the call gives it by position."""
    parameter = last_name(site.slot or "")
    return site.code if not parameter or site.code.startswith(f"{parameter}=") else f"{parameter}={site.code}"


def draw_after_construction(page: Page, trace: Trace, home: str | None) -> None:
    """Per slot, whether its value changes once the object that holds it is built; many that do not are named in one entry."""
    if not trace.after_construction:
        return
    sites = {site.id: site for site in trace.sites}
    page.heading("Written after construction?", "whether the value can change once its object is built")
    steady = [item for item in trace.after_construction if item.verdict == "none"]
    folded = [] if page.view.all_hops or len(steady) <= STEADY_SHOWN else [item for item in steady if item.slot != home]
    for item in (item for item in trace.after_construction if item not in folded):
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
    if folded:
        draw_steady(page, folded)


def draw_steady(page: Page, items: list[AfterConstruction]) -> None:
    """The variables that nothing writes once their owner is built, their owners by name."""
    owners = dict.fromkeys(short_slot(item.slot).rpartition(".")[0] for item in items)
    page.note(ITEM, "", f"no for {plural(len(items), 'other variable')}, those of:", style.GOOD)
    page.note(BELOW, "", ", ".join(owners), limit=STEADY_LINES)


def draw_unresolved(page: Page, trace: Trace) -> None:
    """What the analysis could not follow, by reason."""
    if not trace.unresolved:
        return
    page.heading(f"Not followed: {len(trace.unresolved)}", "the value may go on, or come from, here as well")
    by_reason: dict[str, list[Place]] = {}
    everything = page.view.all_hops
    ordered = (
        trace.unresolved if everything else sorted(trace.unresolved, key=lambda one: UNRESOLVED_CALL.fullmatch(one.why) is not None)
    )
    for item in ordered:
        by_reason.setdefault(item.why if everything else summed(item.why), []).append(Place(item.path, item.line))
    limit = None if page.view.all_hops else UNRESOLVED_SHOWN
    for reason in list(by_reason)[:limit]:
        page.note(ITEM, page.glyphs.dot, reason)
        shown = by_reason[reason][:limit]
        for where in shown:
            page.place(BELOW, where)
        if len(shown) < len(by_reason[reason]):
            page.note(BELOW, "", f"{page.glyphs.more} and {len(by_reason[reason]) - len(shown)} more, --hops all", style.FAINT)
    if limit is not None and len(by_reason) > limit:
        page.note(ITEM, "", f"{page.glyphs.more} and {len(by_reason) - limit} other reasons, --hops all", style.FAINT)


def summed(why: str) -> str:
    """The reason, the same for every object whose method of one name could not be told."""
    found = UNRESOLVED_CALL.fullmatch(why)
    name = found["method"] if found is not None else None
    return why if name is None else f"call of a method {name} could not be resolved"


def draw_unread(page: Page, trace: Trace) -> None:
    """Files that could not be analysed: what they do with the value is not known."""
    unread: Sequence[object] = trace.source.unreadable
    if not unread:
        return
    page.heading(f"Not read: {plural(len(unread), 'file')}", "what they do with the value is not known")
    for item in trace.source.unreadable:
        page.note(ITEM, page.glyphs.dot, item.path)
        page.note(BELOW, "", item.why, style.FAINT)
