"""The skeleton of a start-up on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import plural, short_slot
from sgmem.report.timeline.outline import Entry, outline
from sgmem.report.timeline.steps import NAMES_SHOWN, Steps, label, listed, name, reading_text, unlike

if TYPE_CHECKING:
    from collections import Counter

    from sgmem.queries.results.timeline import Timeline, TimelineStep

_ENTRY = Indent("  ", "  ")
_NOTE = Indent("      ", "      ")
SUBJECTS_SHOWN = 3
PLACES_SHOWN = 3
TITLE = "In order"


def draw_skeleton(page: Page, steps: Steps, timeline: Timeline) -> None:
    found = outline(timeline, steps)
    page.heading(TITLE, "each step comes after those above it; #1 numbers a step, --all shows what is inside and left out")
    if not found.entries and not found.unused:
        page.note(_ENTRY, "", "nothing that the models know as an event or a reading happens here; sgmem models lists what they know")
    for entry in found.entries:
        _DRAWN[entry.how](page, steps, entry)
    if found.unused:
        page.note(_ENTRY, "", f"and {plural(found.unused, 'reading')} that {_enters(found.unused)} no formula", style.FAINT)


def _enters(count: int) -> str:
    return "enters" if count == 1 else "enter"


def _numbers(steps: list[TimelineStep]) -> str:
    return f"#{steps[0].id[1:]}" if len(steps) == 1 else f"#{steps[0].id[1:]} to #{steps[-1].id[1:]}"


def _most(page: Page, count: int) -> int:
    return 1000 if page.view.verbose else count


def _event(page: Page, steps: Steps, entry: Entry) -> None:
    names = unlike(one for step in entry.steps for one in _names(steps, step))
    title = Text(f"{_numbers(entry.steps)} {label(entry.first)}", style="bold")
    page.entry(_ENTRY, title, listed(names, _most(page, NAMES_SHOWN)), None, limit=3)
    _places(page, entry)
    parts = [part for part in entry.parts if part not in names]
    if parts:
        page.note(_NOTE, "of", listed(parts, _most(page, NAMES_SHOWN)), limit=2)
    _inner(page, entry.also)
    if entry.decided_by:
        page.note(_NOTE, "decided by", listed(entry.decided_by, _most(page, SUBJECTS_SHOWN)), style.CONDITION, limit=1)
    page.conditions(_NOTE, entry.when, 1, 1)


def _names(steps: Steps, step: TimelineStep) -> list[str]:
    """What an event is called: of a call that may enter several classes and has no name itself, those."""
    inside = [name(one) for one in steps.inside(step) if one.kind == "choice"]
    return inside if inside and not step.name else [name(step)]


def _places(page: Page, entry: Entry) -> None:
    """Where the steps stand: the first place in full, the lines of others in the same file."""
    first = entry.first
    lines = unlike(str(step.line) for step in entry.steps[1:] if step.path == first.path and step.line != first.line)
    page.place(_NOTE, Place(first.path, first.line, "" if lines else short_slot(first.symbol)))
    if lines:
        page.lines[-1].append(f", {listed(lines, _most(page, PLACES_SHOWN))}", style=style.FAINT)


def _inner(page: Page, also: Counter[str], said: str = "") -> None:
    """What else an event has inside."""
    measured = [kind for kind in also if kind.startswith("measured")]
    others = [f"{count} {kind}" for kind, count in also.items() if kind not in measured]
    if measured:
        targets = [kind.removeprefix("measured for ") for kind in measured]
        page.note(_NOTE, "measured", f"for {listed(targets, _most(page, 3))}", limit=1)
    if others:
        page.note(_NOTE, f"{said}with", ", ".join(others), style.FAINT, limit=2)


def _reading(page: Page, steps: Steps, entry: Entry) -> None:
    step = entry.first
    title = Text(f"#{step.id[1:]} {label(step)}", style=style.REFERENCE)
    page.entry(_ENTRY, title, f"{step.stored} = {step.code}" if step.stored else step.code, None, limit=2)
    page.place(_NOTE, Place(step.path, step.line, short_slot(step.symbol)))
    for reading in step.readings:
        page.note(_NOTE, "", reading_text(reading), style.FAINT)
    fed = [steps.formulas[key] for key in step.feeds]
    named = {one.name for formula in fed for one in formula.inputs if one.step == step.id}
    called = f", as {', '.join(sorted(named, key=len)[:1])}" if named else ""
    targets = unlike(formula.target for formula in fed)
    page.note(_NOTE, "feeds", f"{listed(targets, _most(page, 5))}{called}")
    page.conditions(_NOTE, entry.when, 1, 1)


def _pair(page: Page, steps: Steps, entry: Entry) -> None:
    """Readings around something, for what it took."""
    title = Text(f"{_numbers(entry.steps)} {label(entry.first)}", style=style.REFERENCE)
    targets = unlike(steps.formulas[key].target for step in entry.steps for key in steps.feeds(step))
    stored = unlike(part for step in entry.steps for part in (step.stored or name(step)).split(", ") if part != "_")
    page.entry(_ENTRY, title, f"{', '.join(stored)}, for {', '.join(targets)}", None, limit=2)
    page.place(_NOTE, Place(entry.first.path, entry.first.line, short_slot(entry.first.symbol)))


def _minor(page: Page, steps: Steps, entry: Entry) -> None:
    """What gives memory back, on one line."""
    del steps
    title = Text(f"{_numbers(entry.steps)} {_kinds(entry.steps)}", style=style.FAINT)
    page.entry(_ENTRY, title, f"{entry.first.path}:{entry.first.line}", None, limit=1)


def _kinds(steps: list[TimelineStep]) -> str:
    return ", ".join(unlike(map(label, steps)))


def _branch(page: Page, steps: Steps, entry: Entry) -> None:
    del steps
    kept = f" instead of {name(entry.kept)}" if entry.kept is not None else ""
    names = listed(unlike(map(name, entry.steps)), _most(page, 6))
    text = f"{names}{kept}"
    page.entry(_ENTRY, Text(f"{_numbers(entry.steps)} or", style=style.FAINT), text, None, limit=3)
    _inner(page, entry.also, "" if entry.when else "in addition ")
    page.conditions(_NOTE, entry.when, 1, 1)


def _again(page: Page, steps: Steps, entry: Entry) -> None:
    del steps
    names = listed(unlike(map(name, entry.steps)), _most(page, 6))
    page.entry(_ENTRY, Text(f"{_numbers(entry.steps)} again", style=style.FAINT), names, None, limit=2)
    others = unlike(f"#{step.same_as[1:]}" for step in entry.steps if step.same_as is not None)
    page.note(_NOTE, "", f"the same steps as at {', '.join(others)}", style.REFERENCE)
    page.conditions(_NOTE, entry.when, 1, 1)


_DRAWN = {"event": _event, "reading": _reading, "pair": _pair, "minor": _minor, "branch": _branch, "again": _again}
