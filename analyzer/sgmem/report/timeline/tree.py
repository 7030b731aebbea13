"""Every step of a timeline, as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import short_slot
from sgmem.report.timeline.steps import NAMES_SHOWN, UNWEIGHTY, Steps, label, listed, name, reading_text, unlike

if TYPE_CHECKING:
    from sgmem.queries.results.timeline import TimelineStep

STEP_STYLE = {"measurement": "magenta", "call": style.FAINT, "choice": style.FAINT}
_WORDS = {"call": "calls", "choice": "one of"}


def draw_tree(page: Page, steps: Steps) -> None:
    page.heading("In order", "read downwards: each step comes after those above it, and below a step stands what it does")
    Tree(page, steps).draw(steps.children.get(None, []), "")


class Tree:
    def __init__(self, page: Page, steps: Steps) -> None:
        self.page = page
        self.steps = steps

    def draw(self, steps: list[TimelineStep], left: str) -> None:
        shown = [step for step in steps if self.steps.matters(step)]
        glyphs = self.page.glyphs
        for number, step in enumerate(shown):
            last = number == len(shown) - 1
            branch, below = (glyphs.last, glyphs.gap) if last else (glyphs.branch, glyphs.pipe)
            self.step(step, left + branch, left + below)

    def step(self, step: TimelineStep, first: str, rest: str) -> None:
        chain = self.chain(step)
        final = chain[-1]
        word = (f"{final.role} " if final.role else "") + _WORDS[final.kind] if final.kind in _WORDS else label(final)
        code = " > ".join(map(name, chain))
        if final.kind == "measurement":
            code = f"{final.stored} = {final.code}" if final.stored else final.code
        title = Text(f"#{final.id[1:]} {word}", style=STEP_STYLE.get(final.kind, "bold"))
        self.page.entry(Indent(first, rest), title, code, None, limit=2)
        note = Indent(rest + "  ", rest + "  ")
        self.page.place(note, Place(step.path, step.line, short_slot(step.symbol)))
        draw_reading(self.page, self.steps, final, note)
        self.page.conditions(note, [condition for one in chain for condition in one.when], 1, 2)
        doubts = [*(["may repeat"] if final.repeats else []), *([] if final.certain else ["may be overridden, or is one of several"])]
        if doubts and (self.page.view.verbose or final.kind not in ("call", "choice")):
            self.page.note(note, "", "; ".join(doubts), style.FAINT)
        if final.same_as is not None:
            self.page.note(note, "", f"the same steps as at #{final.same_as[1:]}", style.REFERENCE)
        self.inside(final, rest)

    def chain(self, step: TimelineStep) -> list[TimelineStep]:
        """A step and those that it leads to while each does nothing but call the next."""
        chain = [step]
        while not self.page.view.verbose and chain[-1].kind in _WORDS and chain[-1].same_as is None:
            inner = [one for one in self.steps.inside(chain[-1]) if self.steps.matters(one)]
            if len(inner) != 1 or inner[0].kind not in _WORDS:
                break
            chain.append(inner[0])
        return chain

    def inside(self, step: TimelineStep, rest: str) -> None:
        """What a step does: of an event that only does more of its own kind, the names alone."""
        inner = self.steps.below(step)
        verbose = self.page.view.verbose
        if step.kind in UNWEIGHTY or verbose or any(one.kind not in (step.kind, "call", "choice") for one in inner):
            self.draw(self.steps.inside(step), rest)
            return
        names = unlike(name(one) for one in inner if one.kind == step.kind)
        if names:
            self.page.note(Indent(rest + "  ", rest + "  "), "with", listed(names, NAMES_SHOWN, ", -v"))


def draw_reading(page: Page, steps: Steps, step: TimelineStep, indent: Indent) -> None:
    """What a measurement measures, and which formulas it enters."""
    if step.kind != "measurement":
        return
    for reading in step.readings:
        page.note(indent, "", reading_text(reading), style.FAINT)
    for formula in (steps.formulas[key] for key in step.feeds):
        called = next((one.name for one in formula.inputs if one.step == step.id), "")
        page.note(indent, "feeds", f"{formula.target}, as {called}  {formula.path}:{formula.line}")
