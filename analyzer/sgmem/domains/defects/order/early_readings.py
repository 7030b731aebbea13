"""Budgets that go by nothing but what was free before the weights were loaded, in code that runs after they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.activations import Activation, Level
from sgmem.domains.accounting.location import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.events import EventSite
    from sgmem.domains.program_facts import Formula, Input, ProgramFacts


class EarlyReading(msgspec.Struct, frozen=True):
    """The budget `target` is worked out of `name`, read before `load`, and of no later reading."""

    formula: Location
    target: str
    name: str
    reading: Location
    load: EventSite
    certain: bool


def early_readings(facts: ProgramFacts) -> Iterator[EarlyReading]:
    """Every budget between whose readings and itself weights are always loaded, and that takes nothing else into account."""
    for formula in facts.subtractions():
        if any(one.unit is not None and (one.unit.unit.fraction or one.unit.unit.is_amount) for one in formula.inputs):
            found = _in_formula(facts, formula)
            if found is not None:
                yield found


def _in_formula(facts: ProgramFacts, formula: Formula) -> EarlyReading | None:
    read: list[Input] = []
    for one in formula.inputs:
        gauge = one.origins[0].gauge if one.origins else None
        if gauge is not None and gauge.frame.quantity == "free" and gauge.frame.scope != "machine":
            read.append(one)
        elif not _is_given(one):
            return None  # it may be what the weights took
    found = [_since(facts, formula, one) for one in read]
    only_read = len(read) == len(formula.inputs)  # a difference of readings is what was used
    return found[0] if found and not only_read and all(one is not None for one in found) else None


def _is_given(one: Input) -> bool:
    """Whether an input is a share, or nothing but what a user or a constant sets."""
    if one.unit is not None and one.unit.unit.fraction:
        return True
    return bool(one.origins) and all(origin.kind in ("declaration", "constant") for origin in one.origins)


def _since(facts: ProgramFacts, formula: Formula, one: Input) -> EarlyReading | None:
    """What is loaded between a reading and the formula on every way."""
    at, here = formula.location, one.location
    births = [birth for birth in facts.births.of(one.leaf, here.file, here.statement) if birth.kind != "constant"]
    gauges = [facts.gauges.of_birth(birth) for birth in births]
    if not births or any(gauge is None for gauge in gauges) or gauges[0] is None:
        return None
    level = Level(at.file, at.statement)
    seen = [facts.activations.of(birth, at.file, at.statement) for birth in births]
    loads: list[EventSite] = []
    for activation in seen:
        events = facts.timing.between(activation, Activation((level,), (level,))) if activation is not None else None
        load = next((event for event in events or () if event.always and event.row.kind == "load-weights"), None)
        if load is None:
            return None
        loads.append(load)
    certain = all(activation is not None and activation.certain for activation in seen) and loads[0].certain
    return EarlyReading(at, formula.target, one.name, gauges[0].location, loads[0], certain)
