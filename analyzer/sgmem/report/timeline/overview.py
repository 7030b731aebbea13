"""How a timeline begins: for each budget, in which order its readings and what they include come, and who pays for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import short_slot
from sgmem.report.timeline.budgets import effect_text, span_title
from sgmem.report.timeline.steps import UNWEIGHTY, Steps, is_difference, label, listed, name, unlike

if TYPE_CHECKING:
    from sgmem.queries.results.timeline import Timeline, TimelineFormula, TimelineSpan

_ITEM = Indent("  ", "    ")
_NOTE = Indent("    ", "    ")
OTHERS_SHOWN = 6
NAMES_SHOWN = 3
COMMUNICATOR = "communicator"


def draw_overview(page: Page, steps: Steps, timeline: Timeline) -> None:
    """The few lines; nothing where no budget is measured."""
    budgets = [formula for formula in timeline.formulas if not is_difference(formula)]
    if not budgets:
        return
    page.heading("In short", "who pays for what; --all shows every step and what every reading includes")
    # The formula with most readings puts amounts of different times together; the others lead to it or come after it.
    main = max(budgets, key=lambda one: len({taken.step for taken in one.inputs}))
    page.entry(_ITEM, Text("budget", style=style.FAINT), f"{main.target} = {main.text}", None, limit=3)
    page.place(_NOTE, Place(main.path, main.line, short_slot(main.symbol)))
    for part in (one for one in budgets if one is not main and (one.path, one.symbol) == (main.path, main.symbol)):
        if re.search(rf"(?<![\w.]){re.escape(part.target)}(?![\w.])", main.text):
            page.note(_NOTE, "where", f"{part.target} = {part.text}  :{part.line}", limit=2)
    for span in main.spans:
        _draw_span(page, steps, main, span)
    _draw_communicators(page, steps, main)
    others = [one for one in budgets if one is not main]
    if others:
        shown = [f"{one.target} ({_readings(one)})" for one in others[:OTHERS_SHOWN]]
        more = f" and {len(others) - OTHERS_SHOWN} more" if len(others) > OTHERS_SHOWN else ""
        page.note(_ITEM, "also entered by readings:", ", ".join(unlike(shown)) + more, style.FAINT)


def _readings(formula: TimelineFormula) -> str:
    return ", ".join(unlike(f"#{one.step[1:]}" for one in formula.inputs))


def _draw_span(page: Page, steps: Steps, formula: TimelineFormula, span: TimelineSpan) -> None:
    edges = [f"#{key[1:]}" for key in (span.after, span.before) if key is not None]
    held = contents(steps, span, NAMES_SHOWN if span.before is not None else 0)
    title = f"{span_title(formula, span)} ({' to '.join(edges)}): {held or 'nothing that the models know'}"
    page.note(_ITEM, "", title)
    if span.effect is not None:
        full = ": all of it is charged" if span.effect == "-1" and span.after is not None else ""
        page.note(_NOTE, "", effect_text(formula, span, "1") + full, style.REFERENCE)
    elif span.before is None:
        page.note(_NOTE, "", f"no reading sees it: {formula.target} pays for it, or what it leaves free does", style.REFERENCE)


def contents(steps: Steps, span: TimelineSpan, most: int) -> str:
    """What is taken or given back in a span, by kind and worker, with at most so many names of each."""
    found: dict[str, list[str]] = {}
    for step in (steps.by_id[key] for key in span.steps):
        if step.kind not in UNWEIGHTY:
            found.setdefault(label(step), []).append(name(step))
    parts = [f"{word} ({listed(unlike(names), most)})" if most else word for word, names in found.items()]
    again = [f"#{key[1:]} {name(steps.by_id[key])}" for key in span.steps if steps.by_id[key].kind in UNWEIGHTY]
    if again and most:
        parts.append(f"steps of another place again ({listed(again, most)})")
    return ("; " if most else ", ").join(parts)


def _draw_communicators(page: Page, steps: Steps, formula: TimelineFormula) -> None:
    """Whether the buffers of communicators are among what the budget is charged with."""
    where = [
        (span, [step for key in span.steps if (step := steps.by_id[key]).kind == COMMUNICATOR and not step.role])
        for span in formula.spans
        if span.before is not None
    ]
    held = [(span, events) for span, events in where if events]
    if not held or held[-1][0].after is not None:
        return
    parts = unlike(part.partition(".")[0] for _, events in held for step in events for part in (name(step), *steps.parts(step)))
    custom = [part for part in parts if "allreduce" in part.lower()]
    which = f", {' and '.join(custom)} included," if custom else ""
    text = (
        f"buffers of communicators{which} are allocated before the first reading and missing from every one. "
        f"They cannot explain a gap larger than they are: what lies between the readings can, or a number that was put in."
    )
    page.note(_ITEM, "so", text, style.TITLE)
