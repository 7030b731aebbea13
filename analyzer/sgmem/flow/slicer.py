"""The forward slice: follows values from seeds through places until nothing new is reached or a budget ends it."""

from __future__ import annotations

from collections.abc import Callable

from sgmem.flow.arithmetic import formula_span
from sgmem.flow.busy import Writers
from sgmem.flow.conversions import is_same_amount
from sgmem.flow.frontier import START, Budget, Distance, Frontier
from sgmem.flow.graph import FormulaSite, Move, Role, SiteKey, Slice, SliceSite, State, describe
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.order import ENTRY, Order
from sgmem.flow.places import Field, LooseField, Parameter, Path, Place, Result, Variable
from sgmem.flow.step import Kind, Running, Step
from sgmem.flow.steps import Stepper
from sgmem.flow.uses import Stack, Use, Uses
from sgmem.flow.ways import MAX_STACK, Ways
from sgmem.program.calls import bind
from sgmem.program.entities import Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span


class Slicer:
    """Grows one slice. Feed it seeds, then `run`. `is_gauge` says which functions read a memory gauge: what one of them computes
    and returns is a new measurement at each of its calls, so the slice does not follow it out. `sized` says what an argument sizes:
    "pool", "tensor" and the like, nothing for most."""

    def __init__(
        self,
        program: Program,
        budget: Budget,
        is_gauge: Callable[[Function], bool] = lambda _: False,
        sized: Callable[[Step, File, int], str | None] = lambda *_: None,
    ) -> None:
        self.program = program
        self.budget = budget
        self.is_gauge = is_gauge
        self.sized = sized
        self.occurrences = Occurrences(program)
        self.order = Order(program.names)
        self.uses = Uses(program, self.occurrences, self.order)
        self.stepper = Stepper(program, self.occurrences)
        self.slice = Slice()
        self.frontier = Frontier(budget, self.slice, Writers(program, self.occurrences))
        self._ways = Ways()
        self._stepped: dict[tuple[Expr, Path, str | None, Running | None], list[Step]] = {}

    def enter(self, state: State, source: SiteKey, kind: Kind) -> None:
        """Follow a place that the value enters at `source` from outside the slice."""
        self.slice.entries[source] = None
        self.slice.moves.append(Move(None, (source,), self.reach(state, source, kind)))

    def reach(self, state: State, source: SiteKey, kind: Kind, distance: Distance = START) -> State:
        """Note that the value at `source` arrives at a place, and follow the place when it is new. Gives the state that is followed."""
        state = self._ways.merged(state)
        self.slice.entering.setdefault(state, {}).setdefault(source, kind)
        if self.budget.depth is None or distance.hops <= self.budget.depth:
            self.frontier.add(state, distance)
        return state

    def start(self, state: State) -> None:
        """Follow a place that nothing known writes."""
        self.frontier.add(state)

    def run(self) -> None:
        """Follow every place that waits."""
        for state, distance in self.frontier:
            if self.frontier.leave_everyday(state, distance):
                continue
            uses = list(self.uses.of(state.place, state.path, state.stack))
            if self.frontier.set_aside(state, distance, len(uses)):
                continue
            self.frontier.followed += 1
            for use in uses:
                self.follow(use, state, distance)

    def follow(self, use: Use, state: State, distance: Distance) -> None:
        """Take every next step of one use of a place."""
        found = self._steps(use, (*use.inside, *state.path), state.running)
        steps = [step for step in found if step.end != "through"]
        if state.path and all(step.end == "guard" and step.target is None and step.path for step in steps):
            return  # another key, or a test of the container that does not touch the value in it
        first = self._use_site(use, state, steps, distance.hops)
        self.slice.leaving.setdefault(state, {}).setdefault(first, use.grade)
        if not found:
            self.slice.moves.append(Move(state, (first,), None, counts=False))
        for step in found:
            self._take(step, use, state, first, distance)

    def _steps(self, use: Use, path: Path, running: Running | None) -> list[Step]:
        key = (use.node, path, use.key, running)
        found = self._stepped.get(key)
        if found is None:
            steps = self.stepper.steps(use.file, use.statement, use.node, use.ancestors, path, use.key, running)
            found = self._stepped[key] = steps
        return found

    def _use_site(self, use: Use, state: State, steps: list[Step], hops: int) -> SiteKey:
        """The site where the place is read: by what becomes of the value there."""
        if isinstance(state.place, Result):
            # A returned value is not read anywhere by name: the call is its site.
            role: Role = "read"
            span = use.node.span
        else:
            role, span = _reading(use, steps)
        slot = describe(state.place, state.path)
        site = SliceSite(
            SiteKey(use.file, span, role, slot),
            use.statement,
            state.place,
            state.derived,
            use.grade,
            "direct",
            None,
            use.ancestors,
            hops,
        )
        site.node = use.node
        site.of_class = self.occurrences.is_of_class(use.node, use.file, use.file.outline.statements[use.statement].scope)
        site.callee = next((step.callee for step in steps if step.callee is not None), None)
        return self.slice.add(site)

    def _take(self, step: Step, use: Use, state: State, first: SiteKey, distance: Distance) -> None:
        derived = state.derived or step.derived
        nameless = (state.nameless or step.nameless) and not step.by_name
        counts = _counts(step, state, nameless)
        sites = [first]
        derivations, fields = distance.derivations, distance.fields
        if step.formula is not None and not _is_passing(step):
            if self._is_listed(step, state, derivations):
                sites.append(self._formula(step, use, first, distance.hops, derivations, use.stack))
            derivations += 0 if is_same_amount(step.formula) else 1
        if step.unresolved is not None and not derived:
            self.slice.unresolved[(use.file.path, step.span.line, step.unresolved)] = None
        target, onward = step.target, None
        if derived and isinstance(target, Result) and self.is_gauge(target.function):
            target = None
        sized = self.sized(step, use.file, use.statement) if step.end == "pass" and target not in self.slice.seeds else None
        if target is None and sized is not None:
            sites.append(self._sink(step, use, sites[-1], derived, sized, distance.hops))
        if target is not None:
            if not step.path and target in self.slice.seeds:
                derived = nameless = False  # whatever is written into a place of the parameter is the parameter from there on
                counts = True
            if sized is not None or (derived and _builds_object(target)):
                sites.append(self._sink(step, use, sites[-1], derived, sized, distance.hops))
            elif step.end == "store" or isinstance(target, Field):
                sites.append(self._store(step, use, sites[-1], derived, distance.hops))
            if self._is_another_field(step, state, derived):
                fields += 1
            if self._goes_on(step, use, derived, derivations, fields):
                onward = State(target, step.path, derived, _stack(step, use), nameless, step.running)
                onward = self.reach(onward, sites[-1], step.kind, Distance(distance.hops + 1, derivations, fields))
                if step.mutation:
                    self._hand_back(onward, use.statement, sites[-1], Distance(distance.hops + 1, derivations, fields))
        counts = counts or any(key.role in ("formula", "sink") for key in sites)
        self.slice.moves.append(Move(state, tuple(sites), onward, step.callees, counts))

    def _is_listed(self, step: Step, state: State, derivations: int) -> bool:
        """Whether arithmetic on a value is worth a formula: not where a computed value is only told (a log message that shows bytes as
        gigabytes), and at the edge of what is followed only where the result sets or sizes something."""
        if not state.derived:
            return True
        if derivations >= self.budget.derivations:
            return isinstance(step.target, Field | LooseField) or _builds_object(step.target)
        return step.end != "read" or step.target is not None

    def _hand_back(self, state: State, statement: int, source: SiteKey, distance: Distance) -> None:
        """A container that was handed in and is filled here is filled for the caller as well."""
        place = state.place
        if not isinstance(place, Variable) or (self.budget.depth is not None and distance.hops > self.budget.depth):
            return
        function = Function(place.file, place.scope)
        if function.scope.kind != "function" or function.parameter(place.name) is None or place.name == function.receiver:
            return
        if ENTRY not in self.order.reaching(place.file, place.scope, place.name, statement):
            return  # another container by then
        for site, outer in self.uses.left(function, state.stack):
            for filled in bind(site, function.parameters):
                if filled.parameter == place.name and filled.key is None:
                    for step in self.stepper.put(filled.argument.value, state.path, site.file, site.statement, filled.argument.span):
                        assert step.target is not None
                        stack = outer if isinstance(step.target, Variable) else ()
                        onward = State(step.target, step.path, state.derived, stack, state.nameless)
                        known = self._ways.merged(onward) in self.frontier
                        onward = self.reach(onward, source, "alias", distance)
                        self.slice.moves.append(Move(state, (source,), onward, counts=False))
                        if not known:
                            self._hand_back(onward, site.statement, source, distance)

    def _is_another_field(self, step: Step, state: State, derived: bool) -> bool:
        """Whether a value comes to be kept in a field that is not the parameter's: one of another name, or computed."""
        target = step.target
        if not isinstance(target, Field | LooseField) or target == state.place:
            return False
        return derived or not self.slice.bears_name(target.name, step.path)

    def _goes_on(self, step: Step, use: Use, derived: bool, derivations: int, fields: int) -> bool:
        """Whether a value is followed past a step, by the budget; a stop that nobody asked for is reported."""
        if not derived:
            return True
        if not self.budget.computed or (_builds_object(step.target) and not self.budget.through_constructors):
            return False
        if derivations > self.budget.derivations:
            why = f"computed in more than {self.budget.derivations} steps from the parameter; not followed further"
        elif fields > self.budget.fields:
            why = f"computed from the parameter and kept in more than {self.budget.fields} fields on the way; not followed further"
        else:
            return True
        self.slice.unresolved[(use.file.path, step.span.line, why)] = None
        return False

    def _sink(self, step: Step, use: Use, source: SiteKey, derived: bool, sized: str | None, hops: int) -> SiteKey:
        """A value that sizes memory (a pool, a tensor), or a computed one that a new object takes, has come to where it was to go."""
        given = step.given if isinstance(step.given, str) else "size"
        slot = describe(step.target, step.path) if step.target is not None else f"{step.callee or 'a call'}.{given}"
        key = SiteKey(use.file, step.span, "sink", slot)
        kind = sized or "construction"
        self.slice.add(SliceSite(key, use.statement, step.target, derived, step.grade, kind, None, use.ancestors, hops + 1))
        self.slice.connect(source, key, step.kind, step.grade)
        return key

    def _store(self, step: Step, use: Use, source: SiteKey, derived: bool, hops: int) -> SiteKey:
        assert step.target is not None
        slot = describe(step.target, step.path)
        # A keyword of a record's constructor, of replace or of setattr writes the field without an assignment.
        role: Role = "store" if step.end == "store" else "write"
        kind = "decided" if step.by_name else "copy" if step.end == "store" else "constructor"
        key = SiteKey(use.file, step.span, role, slot)
        site = SliceSite(key, use.statement, step.target, derived, step.grade, kind, None, (), hops + 1)
        self.slice.add(site)
        self.slice.connect(source, key, "store", step.grade)
        return key

    def _formula(self, step: Step, use: Use, first: SiteKey, hops: int, derivations: int, stack: Stack) -> SiteKey:
        assert step.formula is not None
        statement = use.file.statement(use.statement)
        target = target_text(use.file, use.statement, step)
        span = formula_span(statement, step.formula)
        slot = describe(step.target, step.path) if step.target is not None else target
        key = SiteKey(use.file, span, "formula", slot)
        self.slice.add(SliceSite(key, use.statement, step.target, True, use.grade, None, None, use.ancestors, hops))
        self.slice.connect(first, key, "operand", use.grade)
        self.slice.formulas.setdefault(
            key, FormulaSite(key, use.file, use.statement, step.formula, target, step.target, derivations, stack)
        )
        return key


def _stack(step: Step, use: Use) -> Stack:
    """The calls that a value has come in by, after a step."""
    target = step.target
    if isinstance(target, Parameter):
        return (*use.stack, step.call)[-MAX_STACK:] if step.call is not None else ()
    if isinstance(target, Variable | Result):
        return use.stack
    return ()  # a flow through a field forgets the calls it came in by


def _counts(step: Step, state: State, nameless: bool) -> bool:
    """Whether a step ends in something done with the value itself; see `Move.counts`. What happens to all entries of a container alike
    (they are copied, redacted, logged) says nothing about this one."""
    if step.target is not None or step.path or step.end in ("through", "store", "bind"):
        return False
    return not nameless


def _builds_object(target: Place | None) -> bool:
    """Whether a value enters the hand-written constructor of a class."""
    return isinstance(target, Parameter) and target.function.name == "__init__"


def _reading(use: Use, steps: list[Step]) -> tuple[Role, Span]:
    """The role and tight span of a read, by the steps that follow it."""
    for step in steps:
        if step.end == "pass" and step.formula is None:
            return "pass", step.span
    if steps and all(step.end == "guard" for step in steps):
        return "guard", use.file.statement(use.statement).span if _is_test(use) else use.node.span
    return "read", use.node.span


def _is_test(use: Use) -> bool:
    return use.file.outline.statements[use.statement].kind in ("if", "while", "assert")


def _is_passing(step: Step) -> bool:
    """Whether arithmetic meets no other value and leads nowhere, as in a slice up to `count + 1`."""
    if step.end != "read" or step.formula is None:
        return False
    met: set[str] = set()
    pending = [step.formula]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Binary | ir.Unary | ir.Conditional | ir.Boolean):
            pending.extend(node.children())
        elif not isinstance(node, ir.Const):
            met.add(dotted(node) or f"{node.span}")
    return len(met) < 2


def target_text(file: File, statement: int, step: Step) -> str:
    """The name of what receives a formula's result, as the source spells it."""
    lowered = file.statement(statement)
    if step.end == "pass":
        receiver = step.target.name if isinstance(step.target, Parameter | Field) else ""
        return f"{step.callee or 'call'}({receiver})"
    if step.end in ("guard", "read"):
        return "a test" if step.end == "guard" else "a message, index or call"
    for binding in lowered.bindings:
        held = binding.target if binding.how == "augment" else None
        if step.formula is not None and any(n is not None and _holds(n, step.formula) for n in (binding.value, held)):
            unpacked = isinstance(binding.target, ir.Collection) and isinstance(step.target, Variable | Field | LooseField)
            if unpacked and step.target is not None and not isinstance(step.target, Result):
                return step.target.name
            return dotted(binding.target) or file.source.slice(binding.target.span)
    if step.end == "return":
        scope = file.scope(file.outline.statements[statement].scope)
        return f"{scope.name}()"
    return lowered.kind


def _holds(root: Expr, node: Expr) -> bool:
    return root.span.contains(node.span)
