"""What was observed against the formula: do the numbers agree, and which one of them would explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.explain.words import amount, number, share
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import short_slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.queries.results.explain import ExplainInput, Explanation, Observed

INNER = Indent("    ", "    ")


def draw_observed(page: Page, target: str, observed: Observed, inputs: Sequence[ExplainInput]) -> None:
    """The verdict, then the explanations, the likeliest first."""
    page.heading("Observed")
    seen = f"{target} = {amount(observed.value, observed.unit)}"
    if observed.consistent:
        page.note(Indent(), "", f"{seen}: agrees with the inputs, as far as they are rounded", style.GOOD)
        return
    if observed.consistent is None:
        page.note(Indent(), "", f"{seen}; the formula gives nothing to compare it with")
    else:
        page.note(Indent(), "", f"{seen}: these numbers cannot all be true", style.BAD)
    if observed.explanations:
        page.heading("It would be true with", "one input changed, the others as given")
    given = {row.name: row for row in inputs}
    for one in observed.explanations:
        draw_explanation(page, one, given.get(one.input))
    for reason in observed.without_solution:
        page.note(Indent(), "not by", reason, style.FAINT)
    if not observed.explanations:
        page.note(Indent(), "", "no single input explains it", style.WARNING)
    for note in observed.notes:
        page.note(Indent(), "note", note)


def draw_explanation(page: Page, one: Explanation, row: ExplainInput | None) -> None:
    line = Text("  ").append(f"{one.input} = {number(one.value)}", style=style.TITLE)
    if one.low != one.high:
        line.append(f" [{share(one.low)}, {share(one.high)}]")
    if row is not None and row.given:
        line.append(f"  instead of {number(row.value) if isinstance(row.value, int | float) else row.value}", style=style.FAINT)
    page.lines.append(line)
    if one.note:
        page.note(INNER, "but", one.note, style.WARNING)
    for site in one.written_at:
        page.entry(INNER, Text("written as", style=style.GOOD), site.code, Place(site.path, site.line, short_slot(site.symbol)), hang=2)
        page.conditions(Indent("      ", "      "), site.when)
