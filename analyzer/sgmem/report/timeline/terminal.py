"""`sgmem timeline` for people: the start-up in order as a tree, then for each budget what its readings include."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.console import print_lines
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, plural, short_slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.queries.results.timeline import Timeline, TimelineFormula, TimelineSpan, TimelineStep
    from sgmem.report.view import View

NAMES_SHOWN = 8
EVENTS_SHOWN = 12
STEP_STYLE = {"measurement": "magenta", "call": style.FAINT, "choice": style.FAINT}
FEW = 3
"""More steps of one kind that follow each other are one line of what a reading includes."""
UNWEIGHTY = frozenset({"call", "choice", "measurement"})


def render_timeline_text(timeline: Timeline, view: View) -> str:
    """Return the timeline as text for `view`, with a newline at the end."""
    drawer = Drawer(timeline, view)
    drawer.header()
    drawer.page.heading("In order", "read downwards: each step comes after those above it, and below a step stands what it does")
    drawer.tree(drawer.children.get(None, []), "")
    drawer.budgets()
    drawer.summary()
    return print_lines(drawer.page.lines, view)


class Drawer:
    """Draws one timeline."""

    def __init__(self, timeline: Timeline, view: View) -> None:
        self.timeline = timeline
        self.view = view
        self.page = Page(view, timeline.source.root)
        self.steps = {step.id: step for step in timeline.steps}
        self.children: dict[str | None, list[TimelineStep]] = {}
        for step in timeline.steps:
            self.children.setdefault(step.parent, []).append(step)
        self.telling: dict[str, bool] = {}
        self.formulas = {formula.id: formula for formula in timeline.formulas}

    def header(self) -> None:
        source = self.timeline.source
        line = Text(f"Start-up from {escape(short_slot(self.timeline.root))}", style=style.TITLE)
        version = f"version {escape(source.version)}" if source.version else "version unknown"
        line.append(f"  {version}, {plural(source.files, 'file')}", style=f"not bold {style.FAINT}")
        self.page.lines.append(line)
        self.page.place(Indent("", ""), Place(self.timeline.path, self.timeline.line))

    # -- the tree ---------------------------------------------------------------------------------------------------------------

    def tree(self, steps: list[TimelineStep], left: str) -> None:
        shown = [step for step in steps if self.matters(step)]
        for number, step in enumerate(shown):
            last = number == len(shown) - 1
            branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
            if not self.view.unicode:
                branch, below = ("`- ", "   ") if last else ("|- ", "|  ")
            self.step(step, left + branch, left + below)

    def matters(self, step: TimelineStep) -> bool:
        """Whether a step says something about device memory; all do with -v."""
        if self.view.verbose:
            return True
        if step.kind == "measurement":
            return any(reading.scope != "machine" for reading in step.readings)
        if step.kind not in UNWEIGHTY:
            return True
        known = self.telling.get(step.id)
        if known is None:
            shown = self.children.get(step.same_as or step.id, [])
            known = self.telling[step.id] = any(self.matters(child) for child in shown)
        return known

    def step(self, step: TimelineStep, first: str, rest: str) -> None:
        chain, when = [step], list(step.when)
        while not self.view.verbose and chain[-1].kind in ("call", "choice") and chain[-1].same_as is None:
            inner = [one for one in self.children.get(chain[-1].id, []) if self.matters(one)]
            if len(inner) != 1 or inner[0].kind not in ("call", "choice"):
                break
            chain.append(inner[0])
            when += inner[0].when
        final = chain[-1]
        word = {"call": "calls", "choice": "one of", "measurement": "measured"}.get(final.kind, final.kind)
        role = f"{final.role} " if final.role else ""
        label = Text(f"#{final.id[1:]} {role}{word}", style=STEP_STYLE.get(final.kind, "bold"))
        names = " > ".join(_name(one) for one in chain)
        code = f"{final.stored} = {final.code}" if final.kind == "measurement" and final.stored else names
        self.page.entry(
            Indent(first, rest), label, final.code if final.kind == "measurement" and not final.stored else code, None, limit=2
        )
        note = Indent(rest + "  ", rest + "  ")
        self.page.place(note, Place(step.path, step.line, short_slot(step.symbol)))
        for reading in final.readings if final.kind == "measurement" else ():
            self.page.note(note, "", _reading(reading), style.FAINT)
        for formula in (self.formulas[key] for key in final.feeds):
            name = next((one.name for one in formula.inputs if one.step == final.id), "")
            self.page.note(note, "feeds", f"{formula.target}, as {name}  {formula.path}:{formula.line}")
        self.page.conditions(note, when, 1, 2)
        doubts = [*(["may repeat"] if final.repeats else []), *([] if final.certain else ["may be overridden, or is one of several"])]
        if doubts and (self.view.verbose or final.kind not in ("call", "choice")):
            self.page.note(note, "", "; ".join(doubts), style.FAINT)
        if final.same_as is not None:
            self.page.note(note, "", f"the same steps as at #{final.same_as[1:]}", style.REFERENCE)
        self.inside(final, rest)

    def inside(self, step: TimelineStep, rest: str) -> None:
        """What a step does: of an event that only does more of its own kind, the names alone."""
        inner = self.below(step)
        if step.kind in UNWEIGHTY or self.view.verbose or any(one.kind not in (step.kind, "call", "choice") for one in inner):
            self.tree(self.children.get(step.id, []), rest)
            return
        names = list(dict.fromkeys(_name(one) for one in inner if one.kind == step.kind))
        if names:
            more = f" and {len(names) - NAMES_SHOWN} more, -v" if len(names) > NAMES_SHOWN else ""
            self.page.note(Indent(rest + "  ", rest + "  "), "with", ", ".join(names[:NAMES_SHOWN]) + more)

    def below(self, step: TimelineStep) -> list[TimelineStep]:
        """What a step leads to, what another step shows included."""
        found: list[TimelineStep] = []
        pending = [step]
        seen: set[str] = set()
        while pending:
            at = pending.pop(0)
            source = at.same_as or at.id
            if source in seen:
                continue
            seen.add(source)
            inner = self.children.get(source, [])
            found += [one for one in inner if self.matters(one)]
            pending += inner
        return found

    # -- what the readings include ----------------------------------------------------------------------------------------------

    def budgets(self) -> None:
        budgets = [formula for formula in self.timeline.formulas if formula.spans]
        if budgets:
            self.page.heading("What each reading includes", "what is taken before a reading is already gone from it")
        for formula in budgets:
            self.page.blank()
            self.page.entry(
                Indent(), Text("="), f"{formula.target} = {formula.text}", Place(formula.path, formula.line, short_slot(formula.symbol))
            )
            for one in formula.inputs:
                self.page.note(Indent("    ", "      "), one.name, f"measured at #{one.step[1:]}: {one.frame}")
            for span in formula.spans:
                self.span(formula, span)

    def span(self, formula: TimelineFormula, span: TimelineSpan) -> None:
        names = {one.step: one.name for one in formula.inputs}
        if span.after is None:
            title = f"before {names.get(span.before or '', '')}"
        elif span.before is None:
            title = f"after {names[span.after]}"
        else:
            title = f"between {names[span.after]} and {names[span.before]}"
        if span.effect is not None:
            title += f": each GiB taken here changes {formula.target} by {span.effect} GiB"
        elif span.before is None:
            title += f": seen by no reading; {formula.target} pays for it, or what it leaves does"
        self.page.note(Indent("    ", "      "), "", title, style.HEADING)
        groups = [[key] for key in span.steps] if self.view.verbose else self.grouped(span.steps)
        shown = groups if self.view.verbose else groups[:EVENTS_SHOWN]
        for group in shown:
            step = self.steps[group[0]]
            if len(group) > 1:
                self.several([self.steps[key] for key in group])
                continue
            inner = list(dict.fromkeys(_name(one) for one in self.below(step) if one.kind == step.kind and one.kind not in UNWEIGHTY))
            through = f" ({', '.join(inner[:NAMES_SHOWN])})" if inner else ""
            role = f"{step.role} " if step.role else ""
            kind = "" if step.kind in UNWEIGHTY else f"{step.kind} "
            again = f", the same steps as at #{step.same_as[1:]}" if step.same_as is not None and not kind else ""
            text = f"#{step.id[1:]} {role}{kind}{_name(step)}{through}{again}"
            self.page.note(Indent("      ", "        "), "", text)
        if len(shown) < len(groups):
            self.page.note(Indent("      ", "        "), "", f"and {sum(map(len, groups[len(shown) :]))} more, -v", style.FAINT)
        if not span.steps:
            self.page.note(Indent("      ", "        "), "", "nothing that the models know", style.FAINT)
        elif not span.certain:
            self.page.note(Indent("      ", "        "), "", "in this order as far as it can be told", style.FAINT)

    def grouped(self, keys: Sequence[str]) -> list[list[str]]:
        """Steps of one kind and worker that follow each other, together where there are many of them."""
        found: list[list[str]] = []
        for key in keys:
            step = self.steps[key]
            last = self.steps[found[-1][-1]] if found else None
            if last is not None and (last.kind, last.role) == (step.kind, step.role) and step.kind not in UNWEIGHTY:
                found[-1].append(key)
            else:
                found.append([key])
        return [part for group in found for part in ([group] if len(group) > FEW else [[key] for key in group])]

    def several(self, steps: list[TimelineStep]) -> None:
        """One line for many steps of a kind."""
        names = list(dict.fromkeys(map(_name, steps)))
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        role = f"{steps[0].role} " if steps[0].role else ""
        text = f"#{steps[0].id[1:]} to #{steps[-1].id[1:]} {role}{steps[0].kind} {', '.join(names[:NAMES_SHOWN])}{more}"
        self.page.note(Indent("      ", "        "), "", text)

    def summary(self) -> None:
        steps = self.timeline.steps
        readings = sum(step.kind == "measurement" for step in steps)
        events = sum(step.kind not in UNWEIGHTY for step in steps)
        source = self.timeline.source
        text = (
            f"{plural(events, 'event')}, {plural(readings, 'measurement')}. {source.analysed} of {plural(source.files, 'file')} parsed."
        )
        self.page.blank()
        self.page.note(Indent("", "  "), "", text, style.TITLE)
        if not self.timeline.complete:
            self.page.note(
                Indent("", "  "), "", "Not everything was followed: the call tree is deeper than the analysis goes.", style.FAINT
            )


def _name(step: TimelineStep) -> str:
    return short_slot(step.target) if step.target else step.name or "one of several"


def _reading(reading: object) -> str:
    from sgmem.queries.results.timeline import Reading

    assert isinstance(reading, Reading)
    peak = "peak " if reading.statistic == "peak" else ""
    parts = [f"{reading.unit}, {peak}{reading.quantity} memory of the {reading.scope}"]
    if reading.reduction != "none":
        parts.append(f"{reading.reduction} over ranks" + (f" when {reading.reduction_when}" if reading.reduction_when else ""))
    if reading.hygiene:
        parts.append(f"after {' and '.join(reading.hygiene)}")
    return ", ".join(parts)
