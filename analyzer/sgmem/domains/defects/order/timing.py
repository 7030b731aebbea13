"""Formulas that combine measurements taken on either side of something that allocates."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.activations import Level
from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra.branches import branches
from sgmem.domains.algebra.forms import Form, Unsupported
from sgmem.domains.algebra.lift import lift
from sgmem.domains.frames.frame import is_delta
from sgmem.program.files import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.activations import Activation, Activations
    from sgmem.domains.accounting.definitions import Definitions
    from sgmem.domains.accounting.events import Events, EventSite
    from sgmem.domains.accounting.gauges import Gauge, Gauges
    from sgmem.flow.birth import Birth
    from sgmem.flow.births import Births
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


class MeasuredInput(msgspec.Struct, frozen=True):
    """An input of a formula that was born as a measurement, and how it came."""

    name: str
    leaf: Expr
    birth: Birth
    gauge: Gauge
    activation: Activation


class Passage(msgspec.Struct, frozen=True):
    """A place between two measurements, in the order of time: an event, or where the earlier value is handed on, with
    the name it has from there on.
    """

    location: Location
    event: EventSite | None = None
    name: str = ""


class MixedTimes(msgspec.Struct, frozen=True):
    """`earlier` was measured before `later`; `events` happened in between. `certain`: by matched calls alone, not by a
    field that both ends share.
    """

    earlier: MeasuredInput
    later: MeasuredInput
    events: tuple[EventSite, ...]
    passages: tuple[Passage, ...]
    certain: bool


class Timing:
    """Looks at the measured inputs of formulas."""

    def __init__(self, births: Births, gauges: Gauges, activations: Activations, events: Events) -> None:
        self.births = births
        self.gauges = gauges
        self.activations = activations
        self.events = events

    def mixed(self, expanded: Expr, definitions: Definitions, file: File) -> MixedTimes | None:
        """Two inputs measured on either side of an event that always happens between them; None where there are none.

        A difference of two readings of one kind is what happened in between, and no mixture.
        """
        summed = _summands(expanded)
        if len(summed) < 2:
            return None
        measured = list(self._measured(expanded, summed, definitions, file))
        for one, other in combinations(measured, 2):
            if one.gauge.location == other.gauge.location or not _added(expanded, one, other):
                continue
            for earlier, later in ((one, other), (other, one)):
                events = self.between(earlier.activation, later.activation)
                if events is not None and any(event.always for event in events):
                    sure = earlier.activation.certain and later.activation.certain
                    sure = sure and any(event.always and event.certain for event in events)
                    return MixedTimes(earlier, later, tuple(events), _passages(earlier, later, events), sure)
        return None

    def _measured(self, expanded: Expr, names: set[str], definitions: Definitions, file: File) -> Iterator[MeasuredInput]:
        """The named inputs that were born as measurements."""
        seen: set[str] = set()
        for leaf in inputs(expanded):
            name = dotted(leaf)
            if name not in names or name in seen:
                continue
            seen.add(name)
            statement = definitions.statement_of(leaf)
            births = [birth for birth in self.births.of(leaf, file, statement) if birth.kind != "constant"]
            if not births or births[0].kind != "measurement":
                continue
            gauge = self.gauges.of_birth(births[0])
            activation = self.activations.of(births[0], file, statement)
            if gauge is not None and activation is not None:
                yield MeasuredInput(name, leaf, births[0], gauge, activation)

    # -- order --------------------------------------------------------------------------------------------------------

    def between(self, earlier: Activation, later: Activation) -> list[EventSite] | None:
        """The events after the birth of one and before that of the other; None where that order does not hold."""
        offset = len(earlier.spine) - len(later.spine)
        if offset < 0 or not _same_way(earlier.spine[offset:], later.spine) or (later.constructed and not earlier.constructed):
            return None
        found = list(self._rest_of(earlier))
        first, second = earlier.branch[0], later.branch[0]
        if earlier.constructed == later.constructed and (offset == 0 or earlier.constructed):
            if first == second or first.function != second.function or not self.activations.dominates(first, second):
                return None
            found += self.events.between(first, second, deep=True)
        else:
            if earlier.constructed:
                found += self.events.until_return(first, deep=True)
                levels = earlier.spine[:offset]
            else:
                found += self.events.between(first, earlier.spine[0], deep=True)
                levels = earlier.spine[1:offset]
            for level in levels:
                found += self.events.between(None, level, deep=True)
            found += self.events.between(None, second, deep=True)
        for level in later.branch[1:]:
            found += self.events.between(None, level)
        return _direct_first(found)

    def _rest_of(self, earlier: Activation) -> Iterator[EventSite]:
        """What the called functions do after the birth and before they return."""
        for level in reversed(earlier.branch[1:]):
            returns = [
                index
                for index in level.file.own_statements(level.scope)
                if index > level.statement and level.file.outline.statements[index].kind == "return"
            ]
            if returns:
                yield from self.events.between(level, Level(level.file, returns[-1]))


def _passages(earlier: MeasuredInput, later: MeasuredInput, events: list[EventSite]) -> tuple[Passage, ...]:
    """Events and hand-overs in the order of time: what was called first ran first, and callers go on after callees."""
    way = [*reversed(earlier.activation.branch), *earlier.activation.spine, *later.activation.branch]
    order: dict[tuple[str, int], int] = {}
    for level in way:
        order.setdefault(level.function, len(order))
    found = [Passage(event.location, event) for event in events]
    for hop in earlier.birth.hops:
        if (hop.file.path, hop.statement) != (earlier.birth.file.path, earlier.birth.statement):
            found.append(Passage(Location(hop.file, hop.statement, hop.span), None, hop.text))

    def time(passage: Passage) -> tuple[int, int]:
        file, statement = passage.location.file, passage.location.statement
        function = (file.path, file.outline.statements[statement].scope)
        return order.get(function, len(order)), statement

    return tuple(sorted(found, key=time))


def _same_way(left: tuple[Level, ...], right: tuple[Level, ...]) -> bool:
    """Whether two spines lead through the same calls to the same function."""
    return left[:-1] == right[:-1] and left[-1].function == right[-1].function


def _direct_first(found: list[EventSite]) -> list[EventSite]:
    """What was found inside called functions only counts where nothing plainer stands between."""
    plain = [event for event in found if not event.via]
    kept = plain if any(event.always for event in plain) else found
    return list({(event.location.path, event.location.span): event for event in kept}.values())


def _summands(expanded: Expr) -> set[str]:
    """The named inputs that stand, alone or multiplied, in a sum with something else."""
    found: set[str] = set()
    try:
        alternatives = branches(expanded)
    except Unsupported:
        return found
    for alternative in alternatives:
        try:
            form = lift(alternative.expr, _symbol).value.numerator
            found |= {name for name in form.symbols if _factor(form, name) is not None and not name.startswith("@")}
        except Unsupported:
            continue
    return found


def _symbol(leaf: Expr) -> str:
    return dotted(leaf) or f"@{leaf.span}"


def _added(expanded: Expr, one: MeasuredInput, other: MeasuredInput) -> bool:
    """Whether a sum or difference combines the two, other than as the plain difference of like readings."""
    try:
        alternatives = branches(expanded)
    except Unsupported:
        return False
    for alternative in alternatives:
        try:
            value = lift(alternative.expr, _symbol).value
            first, second = _factor(value.numerator, one.name), _factor(value.numerator, other.name)
        except Unsupported:
            continue
        if first is None or second is None:
            continue
        if first + second or not is_delta(one.gauge.frame, other.gauge.frame):
            return True
    return False


def _factor(form: Form, name: str) -> Form | None:
    """What a name is multiplied by in a sum that has other terms; None where it does not stand alone."""
    coefficients = form.coefficients(name)
    if set(coefficients) != {0, 1} or not coefficients[0]:
        return None
    return coefficients[1]


__all__ = ["MeasuredInput", "MixedTimes", "Passage", "Timing"]
