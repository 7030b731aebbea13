"""Who pays for what: for a formula with readings of free memory, what happened before, between and after them, and what that does to
the formula's value.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.events import CHARGED
from sgmem.domains.algebra.branches import branches
from sgmem.domains.algebra.forms import Form, Ratio, Unsupported, ratio
from sgmem.domains.algebra.lift import lift
from sgmem.domains.algebra.render import render
from sgmem.domains.startup.moments import Moment, in_order
from sgmem.program.files import dotted
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgmem.domains.accounting.gauges import Gauge
    from sgmem.domains.program_facts import Formula, Input
    from sgmem.domains.startup.moments import Line
    from sgmem.syntax.ir import Expr

SIGN = {"free": -1, "used": 1, "allocated": 1, "reserved": 1}
"""What one more GiB taken does to a reading of each quantity."""
MAX_EFFECTS = 3


class Taken(msgspec.Struct):
    """An input of a formula that was read off a gauge, and the moment when."""

    input: Input
    gauge: Gauge
    moment: Moment


class Span(msgspec.Struct):
    """The events between two readings (None: from the begin, to the end). `effects`: what one GiB more, taken in this span, adds to the
    formula's value, in its own names, for each of its alternatives, the usual one first; none where the formula does not say.
    """

    after: Taken | None
    before: Taken | None
    events: list[Moment]
    effects: tuple[Ratio, ...]
    certain: bool = True

    @property
    def effect_text(self) -> str | None:
        return " or ".join(map(render, self.effects)) or None


class Balance(msgspec.Struct):
    formula: Formula
    taken: list[Taken]
    spans: list[Span] = msgspec.field(default_factory=list)


def balances(line: Line, formulas: Sequence[Formula]) -> Iterator[Balance]:
    """The formulas with a reading of device memory that was taken on this line, in the order of their first reading."""
    by_place: dict[tuple[str, object], list[Moment]] = {}
    for moment in line.moments:
        if moment.step.kind == "measurement":
            by_place.setdefault((moment.step.location.path, moment.step.location.span), []).append(moment)
    found = [Balance(formula, taken) for formula in formulas if (taken := _taken(formula, by_place))]
    for balance in sorted(found, key=lambda one: (one.taken[0].moment.number, one.formula.location.path, one.formula.location.line)):
        if not balance.formula.only_measured:
            balance.spans = list(_spans(line, balance))
        yield balance


def _taken(formula: Formula, by_place: dict[tuple[str, object], list[Moment]]) -> list[Taken]:
    found: list[Taken] = []
    for one in formula.inputs:
        origin = one.origins[0] if one.origins else None
        gauge = origin.gauge if origin is not None else None
        if gauge is None or gauge.frame.scope == "machine" or gauge.frame.quantity not in SIGN:
            continue
        moments = by_place.get((gauge.location.path, gauge.location.span), [])
        target = [moment for moment in moments if moment.role is None] or moments
        if target:
            found.append(Taken(one, gauge, min(target, key=lambda moment: moment.weight)))
    return sorted(found, key=lambda one: one.moment.number)


def _spans(line: Line, balance: Balance) -> Iterator[Span]:
    """From the begin to the first reading, between readings, and after the last one."""
    readings = {id(one.moment): one for one in balance.taken}
    holders = {id(above) for one in balance.taken for above in one.moment.above()}
    edges: list[Taken | None] = [None, *balance.taken, None]
    spans = [Span(after, before, [], _effects(balance, index)) for index, (after, before) in enumerate(pairwise(edges))]
    at = 0
    pending = list(reversed(line.tops))
    while pending:
        moment = pending.pop()
        if id(moment) in readings:
            at += 1
        elif id(moment) in holders:
            pending.extend(reversed(moment.children))
        elif charges(moment):
            _put(spans[at], moment)
        elif moment.same_as is None:
            pending.extend(reversed(moment.children))
    yield from spans


def charges(moment: Moment) -> bool:
    """Whether it takes or gives back enough device memory to count; of what is shown elsewhere, whether something in it does."""
    row = moment.step.row
    if row is not None and moment.kind == row.kind:
        return row.kind in CHARGED and row.effect != "none" and moment.where == "device"
    if moment.same_as is None:
        return False
    return any(
        step.row is not None and step.row.kind in CHARGED and step.row.where == "device"
        for child in moment.step.children
        for step in child.walk()
    )


def _put(span: Span, moment: Moment) -> None:
    for reading, order in ((span.after, True), (span.before, False)):
        if reading is None:
            continue
        said = in_order(reading.moment, moment) if order else in_order(moment, reading.moment)
        if said is False:
            return  # never together
        span.certain = span.certain and said is True
    span.events.append(moment)


def _effects(balance: Balance, index: int) -> tuple[Ratio, ...]:
    """What one GiB taken before the readings from `index` on adds to the formula, in each of its alternatives: that with the fewest
    special cases first."""
    later = balance.taken[index:]
    units = {one.gauge.measured.result.unit for one in balance.taken}
    if len(units) != 1 or not later:
        return ()
    try:
        alternatives = sorted(branches(balance.formula.expanded), key=lambda one: sum(choice.holds for choice in one.choices))
        effects = [_effect(lift(one.expr, _symbol).value, later) for one in alternatives]
    except Unsupported:
        return ()
    found = [one for one in effects if one is not None]
    different = {render(one): one for one in reversed(found)}
    return tuple(reversed(different.values())) if len(found) == len(effects) and len(different) <= MAX_EFFECTS else ()


def _effect(value: Ratio, later: Sequence[Taken]) -> Ratio | None:
    total = Form()
    for one in later:
        coefficients = value.numerator.coefficients(one.input.name)
        if not set(coefficients) <= {0, 1} or value.denominator.degree(one.input.name):
            return None
        part = coefficients.get(1, Form())
        total = total + (part if SIGN[one.gauge.frame.quantity] > 0 else -part)
    return ratio(total, value.denominator)


def _symbol(leaf: Expr) -> str:
    return dotted(leaf) or text_of(leaf)
