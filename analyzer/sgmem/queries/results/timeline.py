"""What `sgmem timeline` returns. Field names are the JSON contract `sgmem/timeline/1`."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.queries.results.trace import SourceInfo


class Reading(msgspec.Struct, frozen=True):
    """One value that a measurement gives: which memory, of whom, and how it was combined over ranks."""

    quantity: str
    unit: str
    statistic: Literal["now", "peak"]
    scope: Literal["process", "device", "node", "machine"]
    reduction: Literal["none", "min", "max", "sum"]
    reduction_when: str | None
    device: str | None
    hygiene: tuple[str, ...]


class TimelineStep(msgspec.Struct, frozen=True):
    """One step, in the order of time; `parent` is the step whose call leads here.

    `kind`: an event's kind, "measurement", "call" (it only leads to others), or "choice" (one of several functions that the parent's
    call may enter). `when`: conditions within the calling function. `repeats`: it stands in a loop. `certain`: its order holds on every
    expansion; else it is one of several functions or may be overridden. `role`: the worker it belongs to, if not the target.
    `same_as`: the step that shows what this one leads to.
    """

    id: str
    parent: str | None
    kind: str
    effect: Literal["allocates", "frees", "none"] | None
    where: Literal["device", "host"] | None
    name: str
    target: str | None
    path: str
    uri: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    code: str
    when: tuple[str, ...]
    repeats: bool
    certain: bool
    role: str | None = None
    readings: tuple[Reading, ...] = ()
    stored: str | None = None
    feeds: tuple[str, ...] = ()
    same_as: str | None = None


class ReadingInput(msgspec.Struct, frozen=True):
    """An input of a formula that was measured in a step."""

    name: str
    step: str
    frame: str


class TimelineSpan(msgspec.Struct, frozen=True):
    """What happens between two readings of a formula: after the step `after` (None: from the begin), before the step `before` (None:
    to the end).

    `effect`: what one unit of the readings more, taken here, adds to the formula's value; of a formula with alternatives (max, a value
    that is set again under a condition) what it adds in each, joined by `or`, the usual one first. `certain`: all of it is ordered so
    on every expansion.
    """

    after: str | None
    before: str | None
    steps: tuple[str, ...]
    effect: str | None
    certain: bool


class TimelineFormula(msgspec.Struct, frozen=True):
    """A formula that readings enter. `spans` is empty for a plain difference of readings. `unit` is that of its value."""

    id: str
    target: str
    text: str
    path: str
    uri: str
    line: int
    symbol: str
    inputs: tuple[ReadingInput, ...]
    spans: tuple[TimelineSpan, ...] = ()
    unit: str | None = None


class Timeline(msgspec.Struct, frozen=True):
    """The result of `sgmem timeline`. `complete` is false where a bound of the analysis stopped the expansion."""

    root: str
    path: str
    line: int
    source: SourceInfo
    steps: tuple[TimelineStep, ...]
    formulas: tuple[TimelineFormula, ...]
    complete: bool = True
    schema: str = "sgmem/timeline/1"
