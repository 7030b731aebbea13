"""The formulas of a trace: the arithmetic, where each input was born, can the result be negative, what stops it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page
from sgmem.report.text import escape, last_name, plural
from sgmem.report.trace.merging import encloses
from sgmem.report.trace.provenance import holds
from sgmem.report.trace.tree import place_of, word_of

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Formula, FormulaInput, Site, Trace

UNNAMED = ("", "expression")
FULL_SHOWN = 5
SHORT_SHOWN = 6
VIA_SHOWN = 3
INNER = Indent("    ", "    ")
DEEPER = Indent("      ", "      ")


def draw_formulas(page: Page, trace: Trace) -> None:
    """Draw the telling formulas with their inputs, the others as one entry each."""
    if not trace.formulas:
        return
    sites = {site.id: site for site in trace.sites}
    full, short = ranked(trace, sites, last_name(trace.parameter))
    if not page.view.all_hops:
        short = full[FULL_SHOWN:] + short
        full = full[:FULL_SHOWN]
    page.heading("Formulas", "arithmetic that the value enters, and where each input was born")
    for formula in full:
        draw_formula(page, formula, sites, trace.parameter)
    shown = short if page.view.all_hops else short[:SHORT_SHOWN]
    if shown:
        page.blank()
        page.note(Indent(), "", "Other arithmetic on the way" if full else "", style.FAINT)
    for formula in shown:
        site = sites.get(formula.site)
        page.entry(INNER, Text(page.glyphs.dot), text_of(formula), place_of(site) if site else None, limit=2)
    if len(shown) < len(short):
        rest = plural(len(short) - len(shown), "formula", "formulas")
        page.note(INNER, "", f"{page.glyphs.more} and {rest} more, --hops all", style.FAINT)


def ranked(trace: Trace, sites: dict[str, Site], name: str) -> tuple[list[Formula], list[Formula]]:
    """Split the formulas into telling ones (measured inputs, a sign at stake), most telling first, and the others."""

    def measured(formula: Formula) -> int:
        return sum(sites[item.origin].role == "measurement" for item in formula.inputs if item.origin in sites)

    def direct(formula: Formula) -> bool:
        return any(last_name(item.name) == name for item in formula.inputs)

    def weight(formula: Formula) -> tuple[bool, bool, int]:
        return (direct(formula) and measured(formula) > 0, formula.negative.verdict == "yes", measured(formula))

    telling = [formula for formula in trace.formulas if formula.negative.verdict == "yes" or measured(formula)]
    others = [formula for formula in trace.formulas if formula not in telling]
    return sorted(telling, key=weight, reverse=True), sorted(others, key=direct, reverse=True)


def text_of(formula: Formula) -> str:
    """`target = text`, the text alone where the value has no name or the text has it (`x *= 2`)."""
    augmented = re.match(rf"{re.escape(formula.target)} [^=<>!\s]+= ", formula.text)
    return formula.text if augmented or formula.target in UNNAMED else f"{formula.target} = {formula.text}"


def draw_formula(page: Page, formula: Formula, sites: dict[str, Site], parameter: str) -> None:
    """One formula with its conditions, inputs, sign and guard."""
    site = sites.get(formula.site)
    page.blank()
    page.entry(
        Indent("  ", "  "),
        Text("=", style=style.LABEL_STYLE["formula"]),
        text_of(formula),
        place_of(site) if site else None,
        limit=5,
    )
    if formula.unit:
        page.note(INNER, "unit", formula.unit)
    page.conditions(INNER, site.when if site else (), limit=2, lines=2)
    for item in formula.inputs:
        draw_input(page, item, sites, last_name(parameter))
    draw_negative(page, formula)
    draw_guard(page, formula, sites)


def draw_input(page: Page, item: FormulaInput, sites: dict[str, Site], name: str) -> None:
    """The name of an input, what it measures, and the way back to its birth."""
    origin = sites.get(item.origin or "")
    itself = origin is not None and holds(origin, name)
    remark = "the parameter itself" if itself else "" if origin else "origin not found"
    facts = ", ".join(escape(fact) for fact in (item.unit, item.frame, remark) if fact)
    page.note(INNER, item.name, facts, style.FAINT, style.TITLE)
    if origin is None or (itself and not page.view.all_hops):
        return
    via = [sites[key] for key in item.via if key in sites and key != item.origin]
    draw_via(page, [site for site in via if not encloses(site, origin)])
    label = Text(page.glyphs.back).append(word_of(origin), style=style.LABEL_STYLE[origin.role])
    page.entry(DEEPER, label, origin.code, place_of(origin), limit=2, hang=4)


def draw_via(page: Page, via: list[Site]) -> None:
    """The hops between a formula and the birth of an input, nearest first; long ways lose their middle."""
    back = page.glyphs.back
    shown = via if page.view.all_hops or len(via) <= VIA_SHOWN else [*via[: VIA_SHOWN - 1], via[-1]]
    for position, site in enumerate(shown):
        if position == len(shown) - 1 and len(shown) < len(via):
            page.note(DEEPER, "", f"{back}{page.glyphs.more} {plural(len(via) - len(shown), 'more hop')}", style.FAINT)
        page.entry(DEEPER, Text(f"{back}via", style=style.FAINT), site.code, place_of(site), limit=1, hang=4)


def draw_negative(page: Page, formula: Formula) -> None:
    """Whether the result can be below zero, when, and with which numbers."""
    negative = formula.negative
    if negative.verdict == "unknown":
        return
    if negative.verdict == "no":
        page.note(INNER, "", "cannot be negative", style.GOOD)
        return
    page.note(INNER, "can be negative", f"when {negative.condition}" if negative.condition else "", word_style=style.BAD)
    if negative.witness:
        page.note(DEEPER, "for example", negative.witness)


def draw_guard(page: Page, formula: Formula, sites: dict[str, Site]) -> None:
    """The first check that stops a bad value, or that there is none."""
    guard = sites.get(formula.guard or "")
    if guard is not None:
        label = Text("first check", style=style.LABEL_STYLE["guard"])
        page.entry(INNER, label, guard.code, place_of(guard), limit=2, hang=2)
    elif formula.negative.verdict == "yes":
        page.note(INNER, "", "no check stops it", style.WARNING)
