"""What each reading of a timeline includes: for every formula, what is taken before, between and after its readings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import short_slot
from sgmem.report.timeline.steps import NAMES_SHOWN, UNWEIGHTY, Steps, label, listed, name, unlike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.queries.results.timeline import Timeline, TimelineFormula, TimelineSpan, TimelineStep

EVENTS_SHOWN = 12
FEW = 3
"""More steps of one kind that follow each other are one line of what a reading includes."""
_EVENT = Indent("      ", "        ")
_TITLE = Indent("    ", "      ")


def draw_budgets(page: Page, steps: Steps, timeline: Timeline) -> None:
    budgets = [formula for formula in timeline.formulas if formula.spans]
    if budgets:
        page.heading("What each reading includes", "what is taken before a reading is already gone from it")
    for formula in budgets:
        page.blank()
        page.entry(
            Indent(), Text("="), f"{formula.target} = {formula.text}", Place(formula.path, formula.line, short_slot(formula.symbol))
        )
        for one in formula.inputs:
            page.note(_TITLE, one.name, f"measured at #{one.step[1:]}: {one.frame}")
        for span in formula.spans:
            _draw_span(page, steps, formula, span)


def span_title(formula: TimelineFormula, span: TimelineSpan) -> str:
    """Between which readings."""
    names = {one.step: one.name for one in formula.inputs}
    if span.after is None:
        return f"before {names.get(span.before or '', '')}"
    if span.before is None:
        return f"after {names[span.after]}"
    return f"between {names[span.after]} and {names[span.before]}"


def effect_text(formula: TimelineFormula, span: TimelineSpan, one: str) -> str:
    """What one unit of memory taken in a span does to the formula."""
    unit = (formula.unit or "").rstrip("?")
    read = formula.inputs[0].frame.partition(",")[0]
    return f"{one} {read} taken here changes {formula.target} by {span.effect}{f' {unit}' if unit else ''}"


def _draw_span(page: Page, steps: Steps, formula: TimelineFormula, span: TimelineSpan) -> None:
    title = span_title(formula, span)
    if span.effect is not None:
        title += f": {effect_text(formula, span, 'each')}"
    elif span.before is None:
        title += f": seen by no reading; {formula.target} pays for it, or what it leaves does"
    page.note(_TITLE, "", title, style.HEADING)
    verbose = page.view.verbose
    groups = [[steps.by_id[key]] for key in span.steps] if verbose else grouped([steps.by_id[key] for key in span.steps])
    shown = groups if verbose else groups[:EVENTS_SHOWN]
    for group in shown:
        page.note(_EVENT, "", _several(group) if len(group) > 1 else _one(steps, group[0]))
    if len(shown) < len(groups):
        page.note(_EVENT, "", f"and {sum(map(len, groups[len(shown) :]))} more, -v", style.FAINT)
    if not span.steps:
        page.note(_EVENT, "", "nothing that the models know", style.FAINT)
    elif not span.certain:
        page.note(_EVENT, "", "in this order as far as it can be told", style.FAINT)


def _one(steps: Steps, step: TimelineStep) -> str:
    inner = steps.parts(step) if step.kind not in UNWEIGHTY else []
    through = f" ({', '.join(inner[:NAMES_SHOWN])})" if inner else ""
    role = f"{step.role} " if step.role else ""
    said = f"{label(step)} " if step.kind not in UNWEIGHTY else role
    again = f", the same steps as at #{step.same_as[1:]}" if step.same_as is not None and step.kind in UNWEIGHTY else ""
    return f"#{step.id[1:]} {said}{name(step)}{through}{again}"


def _several(steps: list[TimelineStep]) -> str:
    names = listed(unlike(map(name, steps)), NAMES_SHOWN)
    return f"#{steps[0].id[1:]} to #{steps[-1].id[1:]} {label(steps[0])} {names}"


def grouped(steps: Sequence[TimelineStep]) -> list[list[TimelineStep]]:
    """Steps of one kind and worker that follow each other, together where there are many of them."""
    found: list[list[TimelineStep]] = []
    for step in steps:
        last = found[-1][-1] if found else None
        if last is not None and (last.kind, last.role) == (step.kind, step.role) and step.kind not in UNWEIGHTY:
            found[-1].append(step)
        else:
            found.append([step])
    return [part for group in found for part in ([group] if len(group) > FEW else [[step] for step in group])]
