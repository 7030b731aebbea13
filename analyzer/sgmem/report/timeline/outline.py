"""The skeleton of a start-up: what a reader needs of a long timeline, in order.

An event stands for what is inside it unless a budget is measured there. Events of one kind that follow each other are one entry, and so
are branches of which one is taken, with what decides between them. Readings that enter no formula are only counted.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.report.timeline.steps import MINOR, UNWEIGHTY, Steps, is_difference, name, unlike

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgmem.queries.results.timeline import Timeline, TimelineStep

_COMPARED = re.compile(r" (?:==|!=|<=|>=|<|>|is not|is|not in|in) ")
NEAR = 3
"""So many entries back the other reading of a difference is looked for."""
WORTH_FOLDING = 3
"""A branch with fewer steps that matter is shown among the others."""


class Entry(msgspec.Struct):
    """One line of the skeleton.

    `how`: "event", "minor" (memory is given back), "reading", "pair" (readings that enter one difference), "branch" (steps of another
    branch or class, of which `kept` is the one whose steps are shown), "again" (steps that are shown elsewhere). `parts`: what an event
    consists of. `also`: how many steps of other kinds are inside. `when`: the conditions that no entry above has said.
    `decided_by`: what chooses between the steps.
    """

    how: Literal["event", "minor", "reading", "pair", "branch", "again"]
    steps: list[TimelineStep]
    when: list[str] = msgspec.field(default_factory=list)
    parts: list[str] = msgspec.field(default_factory=list)
    also: Counter[str] = msgspec.field(default_factory=Counter)
    decided_by: list[str] = msgspec.field(default_factory=list)
    kept: TimelineStep | None = None

    @property
    def first(self) -> TimelineStep:
        return self.steps[0]


class Outline(msgspec.Struct):
    """`unused`: how many readings that enter no formula are left out."""

    entries: list[Entry]
    unused: int


def outline(timeline: Timeline, steps: Steps) -> Outline:
    """The skeleton of a timeline."""
    builder = _Builder(timeline, steps)
    builder.walk(steps.children.get(None, []), [])
    return Outline(_joined(builder.entries), builder.unused)


class _Builder:
    def __init__(self, timeline: Timeline, steps: Steps) -> None:
        self.steps = steps
        self.entries: list[Entry] = []
        self.unused = 0
        self.opened: set[str] = set()
        """The steps whose inside is shown in place of them."""
        budgets = {one.step for formula in timeline.formulas if not is_difference(formula) for one in formula.inputs}
        self.budgets = {key for key in budgets if steps.by_id[key].feeds}
        self.leading = {above for key in self.budgets for above in self._above(key)}
        """The steps that lead to the reading of a budget."""

    def _above(self, key: str) -> Iterable[str]:
        at: str | None = key
        while at is not None:
            yield at
            at = self.steps.by_id[at].parent

    def walk(self, siblings: Sequence[TimelineStep], when: list[str]) -> None:
        """Add what siblings do. `when`: the conditions of the calls around them that were not said yet."""
        shown = [step for step in siblings if self.steps.matters(step)]
        if shown and all(step.kind == "choice" for step in shown):
            self._choice(shown, when)
            return
        asides = self._asides(shown)
        for step in shown:
            own = [*when, *step.when]
            if step.id in asides:
                self._add(Entry("branch", [step], own, also=self._added([step]), kept=asides[step.id]))
            elif step.same_as is not None and step.kind in UNWEIGHTY:
                self._add(Entry("again", [step], own))
            elif step.kind == "measurement":
                self._reading(step, own)
            elif step.kind in UNWEIGHTY or step.id in self.leading:
                self.opened.add(step.id)
                self.walk(self.steps.inside(step), own)
            else:
                self._event(step, own)

    def _add(self, entry: Entry) -> None:
        said = {condition for one in self.entries[-3:] for condition in one.when if one.how != "branch"}
        entry.when = [condition for condition in unlike(entry.when) if entry.how == "branch" or condition not in said]
        self.entries.append(entry)

    def _reading(self, step: TimelineStep, when: list[str]) -> None:
        if step.id in self.budgets:
            self._add(Entry("reading", [step], when))
        elif self.steps.feeds(step):
            feeds = set(self.steps.feeds(step))
            near = [one for one in self.entries[-NEAR:] if one.how == "pair" and feeds.intersection(self.steps.feeds(one.first))]
            if near:
                near[-1].steps.append(step)
            else:
                self._add(Entry("pair", [step], when))
        else:
            self.unused += 1

    def _event(self, step: TimelineStep, when: list[str]) -> None:
        inside = self.steps.inside(step)
        if step.kind in MINOR and step.where == "device":
            self._add(Entry("minor", [step]))
            return
        again = [step] if step.same_as is not None else inside
        shown = [one for one in again if one.same_as in self.opened]
        if shown and all(one.same_as is not None for one in again):
            self._add(Entry("again", shown[:1], when))
            return
        below = self.steps.below(step)
        parts = self.steps.parts(step)
        conditions = [condition for one in below if one.kind == step.kind for condition in one.when]
        inner = Counter(one.kind for one in below if one.kind not in (*UNWEIGHTY, step.kind))
        read = [one for one in below if one.kind == "measurement"]
        self.unused += sum(not self.steps.feeds(one) for one in read)
        for key in unlike(key for one in read for key in self.steps.feeds(one)):
            inner[f"measured for {self.steps.formulas[key].target}"] += 1
        self._add(Entry("event", [step], when, parts, inner, subjects(conditions) if len(parts) > 1 else []))

    def _choice(self, choices: list[TimelineStep], when: list[str]) -> None:
        """One call that may enter several functions: the one that leads to a budget, or does most, and what the others are."""
        main = max(choices, key=lambda one: (one.id in self.leading, one.same_as is None, self._own_size(one)))
        others = [one for one in choices if one is not main and name(one) != name(main)]
        if main.same_as is not None:
            self._add(Entry("again", [main], when))
        else:
            self.opened.add(main.id)
            self.walk(self.steps.inside(main), [*when, *main.when])
        if others:
            self._add(Entry("branch", others, also=self._added(others), kept=main))

    def _asides(self, siblings: list[TimelineStep]) -> dict[str, TimelineStep]:
        """Of calls that exclude each other, those that are not shown, each with the one that is."""
        found: dict[str, TimelineStep] = {}
        calls = [step for step in siblings if step.kind == "call" and step.when]
        for index, first in enumerate(calls):
            for second in calls[index + 1 :]:
                if _exclude(first, second) and first.id not in found and second.id not in found:
                    kept, aside = sorted((first, second), key=lambda one: (one.id not in self.leading, _narrow(one)))
                    if self._size(aside) >= WORTH_FOLDING:
                        found[aside.id] = kept
        return found

    def _size(self, step: TimelineStep) -> int:
        return sum(one.kind not in ("call", "choice") for one in self.steps.below(step))

    def _own(self, step: TimelineStep) -> Iterable[TimelineStep]:
        """What a step does that is shown here."""
        for one in self.steps.inside(step):
            yield one
            yield from self._own(one)

    def _own_size(self, step: TimelineStep) -> int:
        return sum(one.kind not in ("call", "choice") for one in self._own(step))

    def _added(self, steps: list[TimelineStep]) -> Counter[str]:
        """How many events of each kind other branches or classes have that no other place shows."""
        return Counter(one.kind for step in steps for one in self._own(step) if one.kind not in (*UNWEIGHTY, *MINOR))


def _exclude(first: TimelineStep, second: TimelineStep) -> bool:
    return any(_opposite(condition) in second.when for condition in first.when)


def _opposite(condition: str) -> str:
    return condition.removeprefix("not ") if condition.startswith("not ") else f"not {condition}"


def _narrow(step: TimelineStep) -> int:
    """How much conditions narrow when a step is taken: what is not so leaves out a special case only."""
    return sum(9 if condition.startswith("not ") else 10 for condition in step.when)


def subjects(conditions: Iterable[str]) -> list[str]:
    """What conditions ask about, the most asked first: `self.device == "cpu"` and `self.device in (...)` ask about self.device."""
    asked: Counter[str] = Counter()
    for condition in conditions:
        for part in re.split(r" (?:and|or) ", condition):
            subject = _COMPARED.split(_bare(part))[0]
            if subject.count("(") == subject.count(")") and not re.match(r"[\d\"']", subject):
                asked[subject] += 1
    return [subject for subject, _ in asked.most_common()]


def _bare(condition: str) -> str:
    """A part of a condition without what negates it and without brackets that another part closes."""
    while True:
        shorter = condition.strip().removeprefix("not ")
        opened = shorter.count("(") - shorter.count(")")
        if shorter.startswith("(") and (opened > 0 or shorter.endswith(")")):
            shorter = shorter[1:] if opened > 0 else shorter[1:-1]
        elif shorter.endswith(")") and opened < 0:
            shorter = shorter[:-1]
        if shorter == condition:
            return condition
        condition = shorter


def _joined(entries: list[Entry]) -> list[Entry]:
    """Events of a kind that follow each other, and those that several branches have in common, as one entry each."""
    found: list[Entry] = []
    for entry in entries:
        into = next((one for one in reversed(found) if _alike(one, entry)), None)
        if (
            into is None
            and found
            and entry.how == found[-1].how
            and entry.how in ("event", "again", "minor")
            and _of_a_kind(found[-1], entry)
        ):
            into = found[-1]
        if into is None:
            found.append(entry)
            continue
        conditions = [*into.when, *entry.when]
        both = [condition for condition in into.when if condition in entry.when]
        into.decided_by = unlike([*into.decided_by, *subjects(one for one in conditions if one not in both)])
        into.when = both
        into.steps += entry.steps
        into.parts = unlike([*into.parts, *entry.parts])
        into.also += entry.also
    return found


def _of_a_kind(first: Entry, second: Entry) -> bool:
    one, other = first.first, second.first
    kind = "minor" if first.how == second.how == "minor" else None
    return (kind or one.kind, one.role, one.where) == (kind or other.kind, other.role, other.where)


def _alike(first: Entry, second: Entry) -> bool:
    """Whether two events are one and the same, in several branches of a function."""
    one, other = first.first, second.first
    same = first.how == second.how == "event" and _of_a_kind(first, second)
    return same and (name(one), one.symbol) == (name(other), other.symbol) and bool(one.when and other.when)
