"""The steps of a timeline by their places in the tree, and the words for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.report.text import short_slot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.results.timeline import Reading, Timeline, TimelineFormula, TimelineStep

UNWEIGHTY = frozenset({"call", "choice", "measurement"})
"""Kinds of steps that take and free no memory themselves."""
MINOR = frozenset({"empty-cache", "collect", "offload", "release"})
"""Kinds of steps that give memory back."""
NAMES_SHOWN = 8


class Steps:
    """Looks steps up. What matters is what says something about device memory; `everything`: all steps do."""

    def __init__(self, timeline: Timeline, *, everything: bool = False) -> None:
        self.everything = everything
        self.by_id = {step.id: step for step in timeline.steps}
        self.formulas = {formula.id: formula for formula in timeline.formulas}
        self.children: dict[str | None, list[TimelineStep]] = {}
        for step in timeline.steps:
            self.children.setdefault(step.parent, []).append(step)
        self._telling: dict[str, bool] = {}
        self._fed = {_place(step): step.feeds for step in timeline.steps if step.feeds}
        self._read = {(_place(step), step.role) for step in timeline.steps if step.kind == "measurement"}

    def inside(self, step: TimelineStep) -> list[TimelineStep]:
        """What a step does at once, where the tree shows it."""
        return self.children.get(step.id, [])

    def feeds(self, step: TimelineStep) -> tuple[str, ...]:
        """The formulas that a reading enters: what is said of one worker's holds for that of another one, which takes all of them."""
        elsewhere = (self.formulas[key] for key in self._fed.get(_place(step), ()))
        return step.feeds or tuple(formula.id for formula in elsewhere if self._takes_all(formula, step.role))

    def _takes_all(self, formula: TimelineFormula, role: str | None) -> bool:
        places = {_place(self.by_id[one.step]) for one in formula.inputs}
        return len(places) > 1 and all((place, role) in self._read for place in places)

    def matters(self, step: TimelineStep) -> bool:
        """Whether a step says something about device memory."""
        if self.everything:
            return True
        if step.kind == "measurement":
            return any(reading.scope != "machine" for reading in step.readings)
        if step.kind not in UNWEIGHTY:
            return True
        known = self._telling.get(step.id)
        if known is None:
            shown = self.children.get(step.same_as or step.id, [])
            known = self._telling[step.id] = any(self.matters(child) for child in shown)
        return known

    def below(self, step: TimelineStep) -> list[TimelineStep]:
        """What a step leads to, in order, what another step shows included."""
        found: list[TimelineStep] = []
        pending = [step]
        seen: set[str] = set()
        while pending:
            at = pending.pop()
            if at is not step and self.matters(at):
                found.append(at)
            source = at.same_as or at.id
            if source not in seen:
                seen.add(source)
                pending += reversed(self.children.get(source, []))
        return found

    def parts(self, step: TimelineStep) -> list[str]:
        """The names of the events of the same kind that an event consists of. Of one that may be several classes, those."""
        chosen = {one.parent for one in self.below(step) if one.kind == "choice"}
        inner = (one for one in self.below(step) if one.kind == step.kind or (one.kind == "choice" and self._is_kind(one, step.kind)))
        names = unlike(name(one) for one in inner if one.id not in chosen)
        return sorted(names, key=lambda one: "." in one)  # methods of classes that are named already, mostly

    def _is_kind(self, choice: TimelineStep, kind: str) -> bool:
        parent = self.by_id.get(choice.parent or "")
        return parent is not None and parent.kind == kind


def _place(step: TimelineStep) -> tuple[str, int, int]:
    return step.path, step.line, step.column


def unlike(names: Iterable[str]) -> list[str]:
    """Each name once."""
    return list(dict.fromkeys(names))


def name(step: TimelineStep) -> str:
    return short_slot(step.target) if step.target else step.name or "one of several"


def label(step: TimelineStep) -> str:
    """The worker, unless it is the target, and the kind."""
    host = "host " if step.where == "host" else ""
    word = "measured" if step.kind == "measurement" else host + step.kind
    return f"{step.role} {word}" if step.role else word


def listed(names: list[str], most: int, more: str = "") -> str:
    """The first names, and how many more there are."""
    left = f" and {len(names) - most} more{more}" if len(names) > most else ""
    return ", ".join(names[:most]) + left


def is_difference(formula: TimelineFormula) -> bool:
    """Whether it tells what happened between its readings: what is taken before both does not change it."""
    return not formula.spans or formula.spans[0].effect == "0"


def reading_text(reading: Reading) -> str:
    """What is measured: unit, quantity, of whom, combined how, after which care."""
    peak = "peak " if reading.statistic == "peak" else ""
    parts = [f"{reading.unit}, {peak}{reading.quantity} memory of the {reading.scope}"]
    if reading.reduction != "none":
        parts.append(f"{reading.reduction} over ranks" + (f" when {reading.reduction_when}" if reading.reduction_when else ""))
    if reading.hygiene:
        parts.append(f"after {' and '.join(reading.hygiene)}")
    return ", ".join(parts)
