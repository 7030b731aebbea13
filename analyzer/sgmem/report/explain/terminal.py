"""`sgmem explain` for people: the value step by step, the inputs, thresholds, what stops it, and which number is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.explain.observed import draw_observed
from sgmem.report.explain.words import amount, number
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, plural, short_slot

if TYPE_CHECKING:
    from sgmem.queries.results.explain import CodePlace, Explain, ExplainInput, ExplainStep
    from sgmem.report.view import View

INNER = Indent("    ", "    ")
STEPS_SHOWN = 14
ASSUMPTIONS_SHOWN = 5
DEFAULTS_SHOWN = 8
LONG_PLACE = 72


def render_explain_text(result: Explain, view: View) -> str:
    """Return the explanation as text for `view`, with a newline at the end."""
    places = [f"{step.path}:{step.line}" for step in result.steps]
    page = Page(view, result.source.root, max((n for n in map(cell_len, places) if n <= LONG_PLACE), default=0))
    draw_header(page, result)
    draw_steps(page, result)
    draw_inputs(page, result)
    draw_assumptions(page, result)
    draw_thresholds(page, result)
    draw_guards(page, result)
    draw_adjustments(page, result)
    if result.observed is not None:
        draw_observed(page, result.target, result.observed, result.inputs)
    for note in result.notes:
        page.blank()
        page.note(Indent(), "note", note)
    return print_lines(page.lines, view)


def draw_header(page: Page, result: Explain) -> None:
    """The target with its value, and where it is computed."""
    line = Text(escape(result.target), style=style.TITLE)
    value = result.result.value
    if value is not None:
        line.append(f" = {amount(value, result.result.unit)}")
        if result.result.low != result.result.high:
            line.append(f"  between {number(result.result.low)} and {number(result.result.high)}", style=f"not bold {style.FAINT}")
    else:
        line.append("  not known", style=style.WARNING)
    page.lines.append(line)
    version = f"version {escape(result.source.version)}, " if result.source.version else ""
    by, place = f"{version}computed in {short_slot(result.function.symbol)}", f"{result.function.path}:{result.function.line}"
    fits = cell_len(by) + cell_len(place) + 2 <= page.view.width
    page.lines += [Text(escape(line), style=style.FAINT) for line in ([f"{by}, {place}"] if fits else [by, f"  {place}"])]
    if value is None and result.result.why:
        page.note(Indent("", "  "), "", result.result.why, style.WARNING)
    if result.formula:
        page.note(Indent("", "  "), "=", result.formula, limit=4)


def draw_steps(page: Page, result: Explain) -> None:
    """The assignments on the way, the last ones where there are many."""
    if not result.steps:
        return
    page.heading("Step by step", "as the source computes it for these inputs")
    shown = result.steps if page.view.verbose else result.steps[-STEPS_SHOWN:]
    if len(shown) < len(result.steps):
        page.note(INNER, "", f"{page.glyphs.more} {plural(len(result.steps) - len(shown), 'earlier step')}, -v", style.FAINT)
    for step in shown:
        draw_step(page, step)


def draw_step(page: Page, step: ExplainStep) -> None:
    margin = "  " + "  " * min(step.level, 4)
    place = Place(step.path, step.line, short_slot(step.symbol))
    page.entry(Indent(margin, margin), Text(page.glyphs.dot), step.text, place, limit=2, hang=4)
    if step.value is not None:
        shown = f"{step.arithmetic} = {amount(step.value, step.unit)}"
        page.note(Indent(margin + "    ", margin + "    "), "=" if not step.arithmetic else "", shown, limit=2)


def draw_inputs(page: Page, result: Explain) -> None:
    """The operands; what only decides branches is listed in full with -v."""
    operands = [row for row in result.inputs if row.role == "operand"]
    others = [row for row in result.inputs if row.role != "operand" and (row.given or page.view.verbose)]
    if operands:
        page.heading("Inputs", "of the formula on this branch")
    for row in operands:
        draw_input(page, row)
    if others:
        page.heading("Other inputs", "they decide branches, or have no effect")
    draw_defaults(page, [row for row in result.inputs if row.role == "branch" and row not in others])
    for row in others:
        word = "no effect" if row.role == "none" else "decides a branch"
        page.note(Indent(), row.name, f"= {amount(row.value, row.unit)}, {row.origin}, {word}", style.FAINT, "")


def draw_defaults(page: Page, rows: list[ExplainInput]) -> None:
    """Options that nobody gave and that decide branches, on a line or two."""
    known = [row for row in rows if row.origin == "default"]
    if known:
        shown = [f"{row.name}={amount(row.value, None)}" for row in known[:DEFAULTS_SHOWN]]
        more = f", {page.glyphs.more} and {len(known) - len(shown)} more, -v" if len(known) > len(shown) else ""
        page.note(Indent(), "by default", f"{', '.join(shown)}{more}: they decide branches", style.FAINT, limit=3)


def draw_input(page: Page, row: ExplainInput) -> None:
    if row.origin == "missing":
        page.note(Indent(), row.name, "is missing" + (f", in {row.unit}" if row.unit else ""), style.WARNING, style.TITLE)
    else:
        bounds = f", {number(row.low)} to {number(row.high)} as rounded" if row.low != row.high else ""
        page.note(Indent(), row.name, f"= {amount(row.value, row.unit)}  {row.origin}{bounds}", "", style.TITLE)
    if row.meaning:
        page.note(INNER, "is", row.meaning, limit=3)
    if row.flag:
        page.note(INNER, "set by", row.flag)
    if row.log is not None:
        page.note(INNER, "printed as", f"{row.log_text or row.log.code}  {row.log.path}:{row.log.line}", limit=3)
        if row.log_note:
            page.note(Indent("      ", "      "), "", row.log_note, style.FAINT)
    if row.origin == "missing" and row.place is not None and not row.meaning:
        page.note(INNER, "read at", f"{row.place.code}  {row.place.path}:{row.place.line}", limit=2)


def draw_assumptions(page: Page, result: Explain) -> None:
    if not result.assumptions:
        return
    page.heading("Assumed", "tests that the inputs do not decide, and what it would be otherwise")
    shown = result.assumptions if page.view.verbose else result.assumptions[:ASSUMPTIONS_SHOWN]
    for row in shown:
        otherwise = f"else {number(row.otherwise)}" if row.otherwise is not None else "else it cannot be told"
        if row.otherwise is None and row.needs:
            otherwise = f"else it needs {', '.join(row.needs[:4])}"
        page.note(Indent(), "holds" if row.holds else "does not hold", f"{row.text};  {otherwise}", limit=3)
        page.place(INNER, Place(row.path, row.line))
    if len(shown) < len(result.assumptions):
        page.note(INNER, "", f"{page.glyphs.more} and {len(result.assumptions) - len(shown)} more, -v", style.FAINT)


def draw_thresholds(page: Page, result: Explain) -> None:
    if not result.thresholds:
        return
    page.heading("Positive when", "all else as given")
    for row in result.thresholds:
        met = "" if row.holds is None else "  (it is)" if row.holds else "  (it is not)"
        page.note(Indent(), "", f"{row.text}{met}", "" if row.controlled else style.FAINT)


def draw_guards(page: Page, result: Explain) -> None:
    """Which checks the value meets, and what they say."""
    value = result.result.value
    if not result.guards:
        if isinstance(value, int | float) and value < 0:
            page.heading("What stops it")
            page.note(Indent(), "", "no check of the value was found behind the formula", style.WARNING)
        return
    page.heading("What stops it", "the checks behind the formula")
    for row in result.guards:
        word = "stops it" if row.fires else "lets it pass" if row.fires is False else "may stop it"
        page.entry(Indent(), Text(word, style=style.WARNING if row.fires else style.FAINT), row.text, Place(row.path, row.line))
        if row.message:
            page.note(INNER, "says", f"“{row.message}”" if page.view.unicode else f'"{row.message}"', limit=4)


def draw_adjustments(page: Page, result: Explain) -> None:
    if not result.adjustments:
        return
    page.heading("Changed afterwards", "by other functions, from what it is by then")
    for row in result.adjustments:
        draw_place(page, row)


def draw_place(page: Page, row: CodePlace) -> None:
    page.entry(Indent(), Text(page.glyphs.dot), row.code, Place(row.path, row.line, short_slot(row.symbol)), limit=2)
    page.conditions(INNER, row.when)
