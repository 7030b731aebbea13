"""Where a slice starts: every declaration and write of the parameter, under whatever place bears its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sgmem.flow.arithmetic import ARITHMETIC, NUMERIC, formula_span
from sgmem.flow.flags import Flags
from sgmem.flow.graph import LEVELS, FormulaSite, Role, SiteKey, SliceSite, State, describe
from sgmem.flow.made_records import declared_fields
from sgmem.flow.occurrences import Grade, Occurrence
from sgmem.flow.places import ANY, Field, GlobalVariable, LooseField, Parameter, Path, Place, Result, Variable, name_of_pair
from sgmem.flow.slicer import Slicer
from sgmem.flow.step import Step, asks_for, paired_name
from sgmem.flow.uses import Stack
from sgmem.program.entities import Class, Function
from sgmem.program.files import File, dotted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

NO_STACK: Stack = ()
FAR_PLACES = (Field, LooseField, GlobalVariable)
"""Places that are read far from where they are written, and perhaps written nowhere."""


class Seeds:
    """Seeds one slicer. `wanted` limits the seeds to some of the places that bear the name."""

    def __init__(self, slicer: Slicer, name: str) -> None:
        self.slicer = slicer
        self.program = slicer.program
        self.name = name
        self.wanted: frozenset[Place] | None = None

    def bearers(self) -> Iterator[Place]:
        """Every field, global, local, parameter and function that bears the name."""
        occurrences = self.slicer.occurrences
        yield from (seen.place for seen in occurrences.writes(self.name))
        yield from occurrences.parameters(self.name)
        yield from (seen.place for seen in occurrences.reads(self.name) if isinstance(seen.place, FAR_PLACES))
        yield from map(Result, occurrences.functions(self.name))

    def plant(self) -> None:
        """Seed places; the slicer must run before `plant_literals`."""
        occurrences = self.slicer.occurrences
        for seen in occurrences.writes(self.name):
            if self._is_wanted(seen.place):
                self._write(seen)
        for parameter in occurrences.parameters(self.name):
            if self._is_wanted(parameter):
                self._parameter(parameter)
        for function in occurrences.functions(self.name):
            if self._is_wanted(Result(function)):
                self._function(function)
        for seen in occurrences.reads(self.name):
            if isinstance(seen.place, FAR_PLACES) and self._is_wanted(seen.place):
                self._seed(seen.place)

    def _is_wanted(self, place: Place) -> bool:
        return self.wanted is None or place in self.wanted

    def _seed(self, place: Place) -> None:
        self.slicer.slice.seeds[place] = None
        self.slicer.start(State(place, (), False, NO_STACK))

    def _write(self, seen: Occurrence) -> None:
        assert seen.binding is not None
        place, file = seen.place, seen.file
        statement = file.statement(seen.statement)
        in_class_body = isinstance(place, Field) and file.scope(seen.scope).kind == "class"
        role: Role = "declaration" if in_class_body else "store" if isinstance(place, Field | LooseField) else "write"
        span = seen.node.span if isinstance(seen.node, ir.Walrus) else statement.span
        key = SiteKey(file, span, role, describe(place))
        of_class = self.slicer.occurrences.is_of_class(seen.node, file, seen.scope)
        self.slicer.slice.add(SliceSite(key, seen.statement, place, False, seen.grade, write_kind(seen), of_class=of_class))
        self.slicer.slice.seeds[place] = None
        self.slicer.enter(State(place, (), False, NO_STACK), key, "assign")
        self._formula_of(seen, key)

    def _formula_of(self, seen: Occurrence, key: SiteKey) -> None:
        """A write that computes the parameter from other values is a formula of its own."""
        binding = seen.binding
        assert binding is not None
        self._formula_in(binding.value, key, seen.statement, seen.place, dotted(binding.target) or self.name, seen.grade)

    def _formula_in(self, value: Expr | None, key: SiteKey, statement: int, place: Place, target: str, grade: Grade = "same") -> None:
        expression = arithmetic_in(value)
        if expression is None:
            return
        span = formula_span(key.file.statement(statement), expression)
        formula = SiteKey(key.file, span, "formula", key.slot)
        slice_ = self.slicer.slice
        slice_.add(SliceSite(formula, statement, place, False, grade))
        slice_.lead(formula, key, "assign")
        # What a configured value's default is computed from is told as its inputs; their own arithmetic is another story.
        configured = any(map(self.program.classes.is_record, self._owners_of(place)))
        levels = 0 if configured else LEVELS
        written = FormulaSite(formula, key.file, statement, expression, target, place, levels=levels)
        slice_.formulas.setdefault(formula, written)

    def _owners_of(self, place: Place) -> Iterable[Class]:
        """The class of a field; for a variable that bears the parameter's name, those that have a field of that name."""
        if isinstance(place, Field):
            return (place.owner,)
        return self.slicer.occurrences.owners(self.name) if isinstance(place, Variable) else ()

    def _function(self, function: Function) -> None:
        """A function's result: what it returns or yields is written where it does so."""
        file, place = function.file, Result(function)
        given = list(_given(function))
        path: Path = (ANY,) if any(isinstance(node, ir.Yield) for _, node, _ in given) else ()
        state = State(place, path, False, NO_STACK)
        declared = SiteKey(file, name_span(function), "declaration", describe(place))
        self.slicer.slice.add(SliceSite(declared, function.scope.statement, place, False, "same", "declared"))
        self.slicer.enter(state, declared, "return")
        self.slicer.slice.seeds[place] = None
        for index, node, value in given:
            span = node.span if isinstance(node, ir.Yield) else file.statement(index).span
            kind = "constant" if isinstance(value, ir.Const) else "derived" if arithmetic_in(value) is not None else "copy"
            key = SiteKey(file, span, "write", describe(place))
            self.slicer.slice.add(SliceSite(key, index, place, False, "same", kind))
            self.slicer.enter(state, key, "return")
            self._formula_in(value, key, index, place, f"{function.name}()")

    def _parameter(self, parameter: Parameter) -> None:
        row = parameter.function.parameter(parameter.name)
        assert row is not None
        key = SiteKey(parameter.function.file, row.span, "declaration", describe(parameter))
        kind = "declared" if row.default is None else "default"
        self.slicer.slice.add(SliceSite(key, parameter.function.scope.statement, parameter, False, "same", kind))
        self.slicer.slice.seeds[parameter] = None
        self.slicer.enter(State(parameter, (), False, NO_STACK), key, "argument")

    # -- the parameter's name as a literal -------------------------------------------------------------------------------------

    def plant_literals(self) -> None:
        """Seed what the places did not reach: keywords of calls, dictionary keys, command-line flags."""
        for file in self.program.files.mentioning(self.name):
            for index in file.mentions(self.name):
                for root in file.statement(index).expressions():
                    for node, ancestors in ir.paths(root):
                        self._literal(file, index, node, ancestors)
        Flags(self.slicer, self.name, self.wanted).plant()

    def _literal(self, file: File, index: int, node: Expr, ancestors: tuple[Expr, ...]) -> None:
        if isinstance(node, ir.Call):
            self._declared(file, index, node)
            for argument in node.args:
                if argument.keyword == self.name and not self._is_known(file, argument.span, "pass", "write"):
                    self._literal_source(file, index, argument.value, (*ancestors, node), "pass", argument.span)
            if is_literal_read(node, self.name) and not self._is_known(file, node.span, "read", "pass", "guard"):
                self._literal_source(file, index, node, ancestors, "read", node.span)
        elif isinstance(node, ir.Compare):
            if asks_for(node) == self.name and self.wanted is None and self._is_entry(file, index, node.operands[1]):
                test = SiteKey(file, node.span, "guard", f"?[{self.name!r}]")
                if not self._is_known(file, node.span, "guard"):
                    self.slicer.slice.add(SliceSite(test, index, None, False, "name", "key", ancestors=ancestors))
                    self.slicer.slice.entries[test] = None
        elif isinstance(node, ir.Dict):
            for key, value in node.items:
                if isinstance(key, ir.Const) and key.value == self.name and not self._is_known(file, key.span, "write"):
                    self._literal_source(file, index, value, (*ancestors, node), "write", key.span)
        elif (
            isinstance(node, ir.Collection) and paired_name(node) == self.name and not self._is_known(file, node.items[1].span, "write")
        ):
            self._literal_source(file, index, node.items[1], (*ancestors, node), "write", node.span)
        elif isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const) and node.index.value == self.name:
            for binding in file.statement(index).bindings:
                if binding.target is node:
                    if binding.value is not None and not self._is_known(file, file.statement(index).span, "write", "store"):
                        self._literal_source(file, index, binding.value, (), "write", file.statement(index).span)
                    return
            if not self._is_known(file, node.span, "read", "pass", "guard"):
                self._literal_source(file, index, node, ancestors, "read", node.span)

    def _is_entry(self, file: File, index: int, container: Expr) -> bool:
        """Whether a function takes or sets the parameter under its name in a container too, or gets it as an open keyword."""
        function, text = self.slicer.program.calls.inside(file, index), dotted(container)
        if function is None or text is None:
            return False
        if any(row.kind == "double-star" and row.name == text for row in function.parameters):
            return True
        taken = re.compile(rf"(?<![\w.]){re.escape(text)}(?:\[|\.(?:get|pop|setdefault)\()\s*['\"]{re.escape(self.name)}['\"]")
        mentions = file.mentions_in(function.index, self.name)
        return any(taken.search(file.own_text(other)) for other in mentions)

    def _declared(self, file: File, index: int, call: ir.Call) -> None:
        """A field of the parameter's name of a record that a call makes."""
        for name, span in declared_fields(call):
            if name == self.name and self.wanted is None:
                key = SiteKey(file, span, "declaration", f"{file.module}:{_made_name(call)}.{name}")
                self.slicer.slice.add(SliceSite(key, index, LooseField(name), False, "same", "declared"))
                self.slicer.slice.entries[key] = None

    def _runs_on(self, step: Step, further_steps: int = 2) -> bool:
        """Whether what takes a pair of a name and a value apart, a loop or `dict`, hands the value on by the name."""
        slicer = self.slicer
        if not further_steps or step.target is None or (step.running is None and name_of_pair(step.path[1:]) != self.name):
            return False
        return any(
            _goes_by(further, self.name) or self._runs_on(further, further_steps - 1)
            for use in slicer.uses.of(step.target, step.path, NO_STACK)
            for further in slicer.stepper.steps(use.file, use.statement, use.node, use.ancestors, step.path, running=step.running)
        )

    def _is_known(self, file: File, span: ir.Span, *roles: Role) -> bool:
        """Whether the places followed so far have brought a site of one of these roles to this span."""
        return any(key.file is file and key.role in roles and span.contains(key.span) for key in self.slicer.slice.sites)

    def _literal_source(self, file: File, index: int, node: Expr, ancestors: tuple[Expr, ...], role: Role, span: ir.Span) -> None:
        """A value that enters under the parameter's name from outside the places followed so far."""
        slicer = self.slicer
        steps = slicer.stepper.steps(file, index, node, ancestors, ())
        own = [step for step in steps if step.target is not None and self._is_wanted(step.target)]
        own.sort(key=lambda step: not isinstance(step.target, Field))
        is_pair = bool(ancestors) and isinstance(ancestors[-1], ir.Collection)
        if is_pair:  # it must be handed on by its name
            own = [step for step in own if _goes_by(step, self.name) or self._runs_on(step)]
        if (self.wanted is not None or is_pair) and not own:
            return
        decided = any(step.by_name for step in own)
        kind = "decided" if decided else "constructor" if role == "pass" else "key"
        if role == "pass" and own and not all(isinstance(step.target, Parameter) and not step.path for step in own):
            role = "write"  # it lands in a field or among the open keywords, under its own name
        slot = describe(own[0].target, own[0].path) if own and own[0].target is not None else f"?[{self.name!r}]"
        key = SiteKey(file, span, role, slot)
        place = own[0].target if own else None
        slicer.slice.add(SliceSite(key, index, place, False, "same" if own else "name", kind))
        slicer.slice.entries[key] = None
        for step in own:
            assert step.target is not None
            stack = (step.call,) if step.call is not None and isinstance(step.target, Parameter) else NO_STACK
            slicer.enter(State(step.target, step.path, False, stack, running=step.running), key, step.kind)


def _made_name(call: ir.Call) -> str:
    """The name that a call gives the record that it makes."""
    first = call.args[0].value if call.args else None
    return str(first.value) if isinstance(first, ir.Const) else "?"


def _goes_by(step: Step, name: str) -> bool:
    """Whether a step brings a value somewhere under a name: to a parameter or field that is called so, or into a container."""
    return step.by_name or name in step.path or (isinstance(step.target, Parameter | Field | LooseField) and step.target.name == name)


def write_kind(seen: Occurrence) -> str:
    """How a write sets its place: declared, default, derived, constructor or copy; `conditional` is decided with its conditions."""
    binding = seen.binding
    assert binding is not None
    if seen.file.scope(seen.scope).kind == "class":
        return "declared" if binding.value is None else "default"
    if binding.how == "augment" or arithmetic_in(binding.value) is not None:
        return "derived"
    if isinstance(binding.value, ir.Const):
        return "constant"
    return "copy"


def arithmetic_in(value: Expr | None) -> Expr | None:
    """The arithmetic that makes up a value, through conversions, conditionals and defaults; None where there is none."""
    if value is None:
        return None
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Binary) and node.operator in ARITHMETIC and _has_variable(node):
            return value if isinstance(value, ir.Conditional | ir.Call | ir.Binary) else node
        if isinstance(node, ir.Call):
            last = (dotted(node.func) or "").rpartition(".")[2]
            if last in NUMERIC:
                pending += [argument.value for argument in node.args]
        elif isinstance(node, ir.Conditional):
            pending += [node.body, node.orelse]
        elif isinstance(node, ir.Boolean):
            pending += node.values
        elif isinstance(node, ir.Unary | ir.Await):
            pending += node.children()
    return None


def _has_variable(node: Expr) -> bool:
    """Whether the expression combines anything but literals, and is no string formatting."""
    names = any(isinstance(part, ir.Name | ir.Attribute | ir.Call) for part in ir.walk(node))
    strings = any(isinstance(part, ir.Format) or (isinstance(part, ir.Const) and isinstance(part.value, str)) for part in ir.walk(node))
    return names and not strings


def is_literal_read(call: ir.Call, name: str) -> bool:
    """`mapping.get("name")` and the like."""
    if not isinstance(call.func, ir.Attribute) or call.func.attr not in ("get", "pop", "setdefault") or not call.args:
        return False
    key = call.args[0].value
    return isinstance(key, ir.Const) and key.value == name


def _given(function: Function) -> Iterator[tuple[int, Expr, Expr]]:
    """What a function returns and yields: the statement, the value or its `yield`, the value."""
    file = function.file
    for index in file.own_statements(function.index):
        statement = file.statement(index)
        if statement.kind == "return":
            yield from ((index, value, value) for value in statement.values)
        if "yield" in file.own_text(index):
            for node in (node for root in statement.expressions() for node in ir.walk(root)):
                if isinstance(node, ir.Yield) and node.value is not None:
                    yield index, node, node.value


def name_span(function: Function) -> ir.Span:
    """The header of a function up to its name."""
    text = function.file.own_text(function.scope.statement)
    match = re.search(rf"\bdef\s+({re.escape(function.name)})\b", text)
    whole = function.file.outline.statements[function.scope.statement].span
    start = function.file.source.offset(whole.line, whole.column)
    assert match is not None
    return ir.Span(*function.file.source.position(start + match.start()), *function.file.source.position(start + match.end()))
