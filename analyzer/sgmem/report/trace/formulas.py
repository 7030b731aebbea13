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
    from collections.abc import Sequence

    from sgmem.queries.results.trace import Formula, FormulaInput, Site
    from sgmem.report.trace.relevance import Relevance

UNNAMED = ("", "expression")
FULL_SHOWN = 5
SHORT_SHOWN = 6
VIA_SHOWN = 3
LINES_SHOWN = 6
INNER = Indent("    ", "    ")
DEEPER = Indent("      ", "      ")


def draw_formulas(page: Page, relevance: Relevance) -> None:
    """Draw the telling formulas with their inputs, the others as one entry each."""
    trace = relevance.trace
    if not trace.formulas:
        return
    sites = {site.id: site for site in trace.sites}
    full, short = ranked(sites, relevance)
    again: dict[str, list[Site]] = {}
    if not page.view.all_hops:
        if relevance.large:
            full, short, again = once(full, short, sites)
        short = full[FULL_SHOWN:] + short
        full = full[:FULL_SHOWN]
    first = ", those that size memory first" if any(map(relevance.sizes, trace.formulas)) and relevance.large else ""
    page.heading("Formulas", f"arithmetic that the value enters{first}, and where each input was born")
    for formula in full:
        draw_formula(page, formula, sites, trace.parameter, again.get(formula.site, ()))
    shown = short if page.view.all_hops else short[:SHORT_SHOWN]
    if shown:
        page.blank()
        page.note(Indent(), "", "Other arithmetic on the way" if full else "", style.FAINT)
    for formula in shown:
        site = sites.get(formula.site)
        page.entry(INNER, Text(page.glyphs.dot), text_of(formula), place_of(site) if site else None, limit=2)
        draw_again(page, Indent("       ", "       "), again.get(formula.site, ()))
    left = short[len(shown) :]
    if left:
        sizing = sum(map(relevance.sizes, left)) if relevance.large else 0
        which = f", {sizing} of them for the size of memory" if sizing else ""
        page.note(INNER, "", f"{page.glyphs.more} and {len(left)} more{which}, --hops all", style.FAINT)


def once(
    full: list[Formula], short: list[Formula], sites: dict[str, Site]
) -> tuple[list[Formula], list[Formula], dict[str, list[Site]]]:
    """Each formula of a file once, however often it is spelled there, and by the site of the first of them the places of the others."""
    first: dict[tuple[str, str], Formula] = {}
    again: dict[str, list[Site]] = {}
    kept: list[list[Formula]] = [[], []]
    for number, formulas in enumerate((full, short)):
        for formula in formulas:
            site = sites.get(formula.site)
            known = first.setdefault((text_of(formula), site.path if site is not None else ""), formula)
            if known is formula:
                kept[number].append(formula)
            elif site is not None:
                again.setdefault(known.site, []).append(site)
    return kept[0], kept[1], again


def draw_again(page: Page, indent: Indent, again: Sequence[Site]) -> None:
    """Where else in its file a formula is spelled the same."""
    if again:
        lines = [str(site.line) for site in again]
        more = f" {page.glyphs.more}" if len(lines) > LINES_SHOWN else ""
        page.note(indent, "", f"the same at line{'s' * (len(lines) > 1)} {', '.join(lines[:LINES_SHOWN])}{more}", style.FAINT)


def ranked(sites: dict[str, Site], relevance: Relevance) -> tuple[list[Formula], list[Formula]]:
    """Split the formulas into telling ones (measured inputs, a sign at stake, in a large trace what sizes memory), most telling
    first, and the others."""
    formulas = relevance.trace.formulas

    def measured(formula: Formula) -> int:
        return sum(sites[item.origin].role == "measurement" for item in formula.inputs if item.origin in sites)

    def direct(formula: Formula) -> bool:
        return any(last_name(item.name) == relevance.name for item in formula.inputs)

    def sizing(formula: Formula) -> int:
        return relevance.weight(formula, sites.get(formula.site))

    def weight(formula: Formula) -> tuple[bool, int, bool, int]:
        telling = (formula.negative.verdict == "yes", measured(formula))
        return (direct(formula) and measured(formula) > 0, sizing(formula), *telling)

    is_telling = [formula.negative.verdict == "yes" or measured(formula) > 0 or sizing(formula) > 0 for formula in formulas]
    telling = [formula for formula, tells in zip(formulas, is_telling, strict=True) if tells]
    others = [formula for formula, tells in zip(formulas, is_telling, strict=True) if not tells]
    return sorted(telling, key=weight, reverse=True), sorted(others, key=lambda one: (sizing(one), direct(one)), reverse=True)


def text_of(formula: Formula) -> str:
    """`target = text`, the text alone where the value has no name or the text has it (`x *= 2`)."""
    augmented = re.match(rf"{re.escape(formula.target)} [^=<>!\s]+= ", formula.text)
    return formula.text if augmented or formula.target in UNNAMED else f"{formula.target} = {formula.text}"


def draw_formula(page: Page, formula: Formula, sites: dict[str, Site], parameter: str, again: Sequence[Site] = ()) -> None:
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
    draw_again(page, Indent("     ", "     "), again)
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
