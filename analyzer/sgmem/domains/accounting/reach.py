"""Where a value that may be negative does harm, and the checks on its way.

The value is followed forward through what keeps its sign: renames, calls and returns, fields, products and quotients,
conversions, `min`, and the subtraction of something from it. A sum, a `max` with a number or an `abs` ends the walk.
Fields are followed in the files of their owner's class family only, so the sinks that are found are real and others may
be missed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.checks import Check, around, clamping, is_test, leaving
from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.naming import call_names
from sgmem.flow.places import Field, GlobalVariable, LooseField, Parameter, Place, Result, Variable
from sgmem.flow.uses import Use
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.formulas import FormulaExpression
    from sgmem.flow.guards import Conditions
    from sgmem.flow.occurrences import Occurrences
    from sgmem.flow.step import Step
    from sgmem.flow.steps import Stepper
    from sgmem.flow.uses import Stack, Uses
    from sgmem.models.load import Models
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_PLACES = 120
MAX_IMAGES = 4
MAX_FIELDS = 2

SinkKind = Literal["allocation", "tokens", "divisor", "stored"]


class Sink(msgspec.Struct, frozen=True):
    """Where the value arrives: an allocating call, a count of tokens, a divisor, or only a field that keeps it.

    `hops` are the places on the way, the formula aside; `images` counts the calculations between.
    """

    kind: SinkKind
    name: str
    location: Location
    hops: tuple[Location, ...]
    images: int


class Reach(msgspec.Struct):
    """What a value reaches unchecked, and the checks that it meets, in the order found."""

    sinks: list[Sink] = msgspec.field(default_factory=list)
    checks: list[Check] = msgspec.field(default_factory=list)

    def add(self, check: Check | None) -> None:
        if check is not None and check not in self.checks:
            self.checks.append(check)

    @property
    def late_check(self) -> Check | None:
        """The first test of something calculated from the value."""
        return next((check for check in self.checks if check.images and not check.clamps), None)


class _State(msgspec.Struct, frozen=True):
    place: Place | None
    stack: Stack = ()
    images: int = 0
    fields: int = 0
    hops: tuple[Location, ...] = ()


class Reaches:
    """Follows values over one program."""

    def __init__(
        self,
        program: Program,
        models: Models,
        occurrences: Occurrences,
        uses: Uses,
        stepper: Stepper,
        conditions: Conditions,
    ) -> None:
        self.program = program
        self.models = models
        self.occurrences = occurrences
        self.uses = uses
        self.stepper = stepper
        self.conditions = conditions

    def of(self, formula: FormulaExpression) -> Reach:
        """What the value of a formula reaches."""
        found = Reach()
        use = Use(formula.file, formula.statement, formula.node, formula.ancestors, "same")
        pending: deque[_State] = deque(self._onward(use, _State(None), found))
        seen = {(state.place, state.stack) for state in pending}
        while pending and len(seen) <= MAX_PLACES:
            state = pending.popleft()
            for onward in self._follow(state, found):
                key = (onward.place, onward.stack)
                if key not in seen and onward.images <= MAX_IMAGES and onward.fields <= MAX_FIELDS:
                    seen.add(key)
                    pending.append(onward)
        found.sinks = [sink for sink in found.sinks if not self._is_behind(sink, found.checks)]
        return found

    def _is_behind(self, sink: Sink, checks: list[Check]) -> bool:
        """Whether a sink is only reached past a check, be it of something else that was calculated from the value."""
        tests = {(check.location.path, check.location.statement) for check in checks if not check.clamps}
        where = sink.location
        return any((where.path, c.statement) in tests for c in self.conditions.own(where.file, where.statement) if c.how != "header")

    # -- one place ----------------------------------------------------------------------------------------------------

    def _follow(self, state: _State, found: Reach) -> Iterator[_State]:
        uses = list(self._uses(state))
        tests = [use for use in uses if is_test(use)]
        for use in tests:
            found.add(leaving(use, state.images))
        for use in uses:
            check = around(use, tests, state.images, self.conditions)
            found.add(check)
            if check is None:
                yield from self._onward(use, state, found)

    def _uses(self, state: _State) -> Iterator[Use]:
        place = state.place
        if place is not None and not isinstance(place, Field | LooseField):
            yield from self.uses.of(place, (), state.stack)
        elif isinstance(place, Field):
            family = [*self.program.classes.mro(place.owner), *self.program.classes.subclasses(place.owner)]
            for file in dict.fromkeys(owner.file for owner in family):
                for index in file.mentions(place.name):
                    for seen in self.occurrences.reads_in_statement(file, index, place.name):
                        if seen.place == place:
                            yield Use(file, index, seen.node, seen.ancestors, seen.grade)

    # -- one use ------------------------------------------------------------------------------------------------------

    def _onward(self, use: Use, state: _State, found: Reach) -> Iterator[_State]:
        """The places that a use hands the value to; what it reaches there is added to `found`."""
        images = self._climb(use, state, found)
        if images is None:
            return
        # The formula's own statement, where the walk begins, is no hop.
        hops = state.hops if state.place is None else (*state.hops, of_statement(use.file, use.statement))
        for step in self.stepper.steps(use.file, use.statement, use.node, use.ancestors):
            yield from self._take(step, use, msgspec.structs.replace(state, images=images, hops=hops), found)

    def _climb(self, use: Use, state: _State, found: Reach) -> int | None:
        """How many calculations lie behind the value once it leaves its statement; None where its sign is lost."""
        images, node = state.images, use.node
        for parent in reversed(use.ancestors):
            check = clamping(use, parent, node, images)
            if check is not None:
                found.add(check)
                return None
            match parent:
                case ir.Binary(operator="*"):
                    images += 1
                case ir.Binary(operator="/" | "//" | "<<" | ">>"):
                    if node is parent.right:
                        name = Location(use.file, use.statement, parent.span).code
                        self._sink(found, "divisor", name, Location(use.file, use.statement, node.span), state)
                        return None
                    images += 1
                case ir.Binary(operator="-") if node is parent.left:
                    images += 1
                case ir.Binary() | ir.Compare() | ir.Format():
                    return None
                case ir.Unary() if parent.operator != "+":
                    return None
            node = parent
        return images

    def _take(self, step: Step, use: Use, state: _State, found: Reach) -> Iterator[_State]:
        if step.end == "pass":
            self._allocation(step, use, found, state)
        if step.path or step.end == "guard":
            return
        target = step.target
        match target:
            case Field() | LooseField():
                place = of_statement(use.file, use.statement)
                self._sink(found, "tokens" if self._counts_tokens(target) else "stored", target.name, place, state)
                yield msgspec.structs.replace(state, place=target, stack=(), fields=state.fields + 1)
            case Parameter():
                # Where an object is built its size is what matters, see `_allocation`.
                if target.function.name != "__init__":
                    stack = (*state.stack, step.call) if step.call is not None else ()
                    yield msgspec.structs.replace(state, place=target, stack=stack)
            case Variable() | Result():
                yield msgspec.structs.replace(state, place=target)
            case GlobalVariable():
                yield msgspec.structs.replace(state, place=target, stack=())

    def _allocation(self, step: Step, use: Use, found: Reach, state: _State) -> None:
        """A call that turns numbers into memory takes the value for a size."""
        scope = use.file.outline.statements[use.statement].scope
        call = step.call.call if step.call is not None else _call_around(use)
        if call is None:
            return
        last = last_name(call)
        if not self.models.sinks.rows_for_name(last):
            return
        for name in call_names(self.program, call, use.file, scope):
            row = self.models.sinks.find(name)
            if row is not None and _is_size(call, step, row.sizes):
                self._sink(found, "allocation", last, Location(use.file, use.statement, call.span), state)
                return

    def _counts_tokens(self, place: Field | LooseField) -> bool:
        names = [str(place)]
        if isinstance(place, Field):
            names += [f"{owner.qualified}.{place.name}" for owner in self.program.classes.mro(place.owner)]
        rows = (row for name in names for row in self.models.units.find_all(name) if row.kind == "field")
        return any(row.unit == "tokens" for row in rows)

    def _sink(self, found: Reach, kind: SinkKind, name: str, location: Location, state: _State) -> None:
        if all(known.location != location for known in found.sinks):
            hops = tuple(hop for hop in state.hops if hop != location)
            found.sinks.append(Sink(kind, name, location, hops, state.images))


def _call_around(use: Use) -> ir.Call | None:
    """The innermost call that takes the value, or a display with it, as an argument."""
    node: Expr = use.node
    for parent in reversed(use.ancestors):
        if isinstance(parent, ir.Call) and node is not parent.func and arithmetic.function_name(parent) is None:
            return parent
        node = parent
    return None


def _is_size(call: ir.Call, step: Step, sizes: tuple[str | int, ...]) -> bool:
    """Whether the argument that takes the value is one of those that say how much."""
    if not sizes:
        return True
    for position, argument in enumerate(call.args):
        if argument.span.contains(step.span):
            return argument.keyword in sizes or (argument.keyword is None and position in sizes)
    return False
