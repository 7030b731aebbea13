"""How a long trace begins: in a few lines, where the value lives, what it reaches, and how to ask for less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from sgmem.queries.results.trace import MADE
from sgmem.report import style
from sgmem.report.layout import Indent, Page
from sgmem.report.text import escape, plural, short_slot, slot_module
from sgmem.report.trace.relevance import is_aside

if TYPE_CHECKING:
    from sgmem.report.trace.relevance import Relevance

ITEM = Indent("  ", "  ")
FOR_LESS = (
    "--to CALLEE: the ways into one function; --depth N: the nearest N hops; module:Class.name in place of the name: one variable"
)
RECORDS_SHOWN = 3
SHOWN = 16
"""Of other variables of the parameter's name so many are listed."""


def draw_overview(page: Page, relevance: Relevance) -> None:
    """The few lines; nothing for a trace without writes."""
    variables = relevance.variables()
    if not variables:
        return
    trace, home = relevance.trace, relevance.home_slot
    others = {slot: writes for slot, writes in variables.items() if slot != home}
    page.heading("In short", "the parts below show first what sizes memory; --hops all shows everything")
    if home is not None:
        module = f" ({slot_module(home)})" if slot_module(home) else ""
        page.note(ITEM, "lives in ", f"{short_slot(home)}{module}, set at {plural(len(variables.get(home, ())), 'place')}")
    if trace.records and home == trace.home:
        names = [f"{short_slot(slot)} ({slot_module(slot)})" for slot in trace.records[:RECORDS_SHOWN]]
        more = f" and {len(trace.records) - RECORDS_SHOWN} more" if len(trace.records) > RECORDS_SHOWN else ""
        page.note(ITEM, "also in  ", f"{', '.join(names)}{more}: records with a field of this name", style.FAINT)
    reached = {slot: writes for slot, writes in others.items() if relevance.is_reached(writes)}
    sizing = sum(map(relevance.sizes, trace.formulas))
    made = {(site.path, site.line) for site in trace.sites if site.role == "sink" and site.kind in MADE}
    parts = [
        f"{plural(len(reached), 'more variable')} of this name in {plural(len(set(map(slot_module, reached))), 'module')}",
        f"{plural(len(trace.formulas), 'formula')}, {sizing} of them for the size of memory",
        plural(len(made), "allocation") if made else "",
    ]
    page.note(ITEM, "reaches  ", "; ".join(filter(None, parts)))
    apart = [writes for slot, writes in others.items() if slot not in reached]
    if apart:
        tests = sum(all(is_aside(site.path) for site in writes) for writes in apart)
        where = f", {tests} of them in tests and benchmarks" if tests else ""
        page.note(ITEM, "apart    ", f"{plural(len(apart), 'variable')} of this name that it was not seen to reach{where}")
    page.note(ITEM, "for less ", FOR_LESS, style.FAINT)


def draw_variables(page: Page, relevance: Relevance) -> None:
    """The other variables of the parameter's name, one line each: those that the value reaches and most places use first."""
    others = [(slot, writes) for slot, writes in relevance.variables().items() if slot != relevance.home_slot]
    if not others:
        return
    uses = relevance.uses()
    shown = others[:SHOWN]
    widest = max(cell_len(escape(short_slot(slot))) for slot, _ in shown)
    width = min(widest, page.view.width // 2)
    title = f"and {plural(len(others), 'other variable')} of this name"
    page.lines.append(Text(f"  {title:{width + 2}}  {'set':>4} {'used':>5}  at so many places", style=style.FAINT))
    for slot, writes in shown:
        draw_variable(page, slot, len(writes), uses.get(slot, 0), width, apart=not relevance.is_reached(writes))
    left = others[len(shown) :]
    if left:
        count = sum(len(writes) for _, writes in left)
        more = f"{plural(len(left), 'variable')} more, set at {plural(count, 'place')}"
        page.note(ITEM, "", f"{page.glyphs.more} and {more}, --writes", style.FAINT)


def draw_variable(page: Page, slot: str, writes: int, uses: int, width: int, *, apart: bool) -> None:
    """One variable: its name, how often it is set and used, and its module where the line has room."""
    name = Text(f"    {escape(short_slot(slot))}", style=style.TITLE)
    name.pad_right(max(0, width + 4 - name.cell_len))
    line = name.append(f"  {writes:>4} {uses:>5}", style="not bold")
    module = escape(slot_module(slot))
    for part in (module, "apart" if apart else ""):
        if part and line.cell_len + 2 + cell_len(part) <= page.view.width:
            line.append(f"  {part}", style=f"not bold {style.FAINT}")
    page.lines.append(line)
