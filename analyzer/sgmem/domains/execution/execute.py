"""Executes a function symbolically, for the inputs that are given: which statements run, and what they make of a value.

A test whose outcome the inputs decide selects its branch. For one that they do not decide a branch is assumed, and the
assumption kept; running again with another assumption gives the alternative. Functions that are called are entered
where they can be told; what cannot be told is an input. Loops are gone through where their rounds are known; what another
one sets is an input too. Nothing is ever run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import one_line
from sgmem.domains.execution.assumptions import Settled
from sgmem.domains.execution.calls import Caller
from sgmem.domains.execution.inputs import Inputs
from sgmem.domains.execution.loops import Loops
from sgmem.domains.execution.operations import binary
from sgmem.domains.execution.presumption import presumption
from sgmem.domains.execution.reading import Reader
from sgmem.domains.execution.values import Decision, Guard, Known, Step, Unknown, Value
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from sgmem.domains.execution.context import Context
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span

MAX_STEPS = 4000

TestKey = tuple[str, "Span", str]
"""A test: its file, its place, and what it says in terms of inputs."""


class Returned(msgspec.Struct, frozen=True):
    value: Value


class Raised(msgspec.Struct, frozen=True):
    pass


class Left(msgspec.Struct, frozen=True):
    """The rest of a block is not executed, for another reason."""


class Broken(msgspec.Struct, frozen=True):
    """A loop is left."""


class Continued(msgspec.Struct, frozen=True):
    """A round of a loop is over."""


End = Returned | Raised | Left | Broken | Continued | None
"""How a block ends its function; None where it goes on behind it."""


class Frame(msgspec.Struct):
    """A function that is being executed."""

    function: Function
    relevant: frozenset[int]
    needed: frozenset[str]
    locals: dict[str, Value] = msgspec.field(default_factory=dict)
    level: int = 0
    results: bool = True
    """Whether what it returns is wanted."""

    @property
    def file(self) -> File:
        return self.function.file

    @property
    def scope(self) -> int:
        return self.function.index


class Machine:
    """One execution. `given` are the inputs that are set, by the end of their dotted names; `assumed` are outcomes of
    tests that the inputs do not decide. `fields` is what the fields of all objects hold, by their paths.
    """

    def __init__(self, context: Context, given: Mapping[str, Known], assumed: Mapping[TestKey, bool] | None = None) -> None:
        self.context = context
        self.program = context.program
        self.inputs = Inputs(context, given)
        self.assumed = assumed or {}
        self.fields: dict[str, Value] = {}
        self.decisions: dict[TestKey, Decision] = {}
        self.settled = Settled()
        self.tested: set[str] = set()
        self.steps: list[Step] = []
        self.guards: list[Guard] = []
        self.raised: Guard | None = None
        self.reader = Reader(self)
        self.caller = Caller(self)
        self.loops = Loops(self)
        self._blocks: dict[str, dict[tuple[int, str], list[int]]] = {}

    def run(self, function: Function, target: str, arguments: Mapping[str, Value] | None = None) -> tuple[Frame, End]:
        """Execute a function as far as `target`, a local name or field, depends on it; `""` for what it returns.

        Parameters are inputs, but for those whose `arguments` are known.
        """
        names = frozenset({target}) if target else frozenset[str]()
        relevant, needed = self.context.relevance.of(function.file, function.index, names, not target)
        frame = Frame(function, relevant, needed, results=not target)
        for parameter in function.parameters:
            given = (arguments or {}).get(parameter.name)
            frame.locals[parameter.name] = given or self.inputs.parameter(function, parameter.name)
        return frame, self.body(frame)

    def body(self, frame: Frame) -> End:
        """Execute all of a function."""
        return self.block(frame, frame.file.outline.scopes[frame.scope].statement, "body")

    def decide(self, test: Value, file: File, statement: int, presumed: bool | None = None) -> bool:
        """The outcome of a test: by what is known, else as assumed, else as it usually is; then it is kept."""
        self.tested |= test.inputs
        truth = test.truth
        if truth is not None:
            return truth
        key = (file.path, test.expr.span, text_of(test.expr))
        if key in self.assumed:
            holds = self.assumed[key]
        else:
            follows = self.settled.outcome(test.expr)
            if follows is not None:
                return follows
            self.inputs.note_readings(test.expr)
            usual = presumption(test.expr, self.inputs.readings)
            holds = presumed if presumed is not None else bool(usual)
        self.decisions.setdefault(key, Decision(file, statement, test, holds))
        self.settled.assume(test.expr, holds)
        return holds

    # -- blocks -------------------------------------------------------------------------------------------------------

    def block(self, frame: Frame, parent: int, name: str) -> End:
        for index in self._inside(frame, parent, name):
            if index in frame.relevant:
                end = self._statement(frame, index)
                if end is not None:
                    return end
        return None

    def _inside(self, frame: Frame, parent: int, name: str) -> list[int]:
        key = f"{frame.file.path}:{frame.scope}"
        found = self._blocks.get(key)
        if found is None:
            found = self._blocks[key] = {}
            for index in frame.file.own_statements(frame.scope):
                row = frame.file.outline.statements[index]
                found.setdefault((row.parent, row.block), []).append(index)
        return found.get((parent, name), [])

    def _statement(self, frame: Frame, index: int) -> End:
        if len(self.steps) > MAX_STEPS:
            return Left()
        match frame.file.outline.statements[index].kind:
            case "if":
                return self._if(frame, index)
            case "return":
                return Returned(self._returned(frame, index))
            case "raise":
                return Raised()
            case "assert":
                return self._assert(frame, index)
            case "with" | "try":
                return self._plain_block(frame, index)
            case "while" | "for":
                return self.loops.run(frame, index)
            case "match":
                self.loops.forget(frame, index)
                return None
            case "continue":
                return Continued()
            case "break":
                return Broken()
        self._assign(frame, index)
        return None

    def _plain_block(self, frame: Frame, index: int) -> End:
        """The body of `with` and `try`: taken not to raise."""
        for binding in frame.file.statement(index).bindings:
            if isinstance(binding.target, ir.Name):
                name = binding.target.id
                frame.locals[name] = self.inputs.local(frame.function, name, frame.file, index, binding.target)
        for name in ("body", "orelse", "finally"):
            end = self.block(frame, index, name)
            if end is not None:
                return end
        return None

    def _if(self, frame: Frame, index: int) -> End:
        expr = frame.file.test(index)
        if expr is None:
            return None
        test = self.reader.read(expr, frame, index)
        raising = self._raise_in(frame, index, "body")
        presumed = False if raising is not None else True if self._raise_in(frame, index, "orelse") is not None else None
        if raising is not None:
            guard = Guard(frame.file, index, test, raising, True, test.truth)
            self.guards.append(guard)
            self.raised = self.raised or (guard if test.truth else None)
        holds = self.decide(test, frame.file, index, presumed)
        return self.block(frame, index, "body" if holds else "orelse")

    def _raise_in(self, frame: Frame, index: int, block: str) -> int | None:
        """The raise that ends a block of an `if`, if one does."""
        inside = self._inside(frame, index, block)
        last = inside[-1] if inside else -1
        return last if last >= 0 and frame.file.outline.statements[last].kind == "raise" else None

    def _assert(self, frame: Frame, index: int) -> End:
        expr = frame.file.test(index)
        if expr is None:
            return None
        test = self.reader.read(expr, frame, index)
        fails = None if test.truth is None else not test.truth
        guard = Guard(frame.file, index, test, index, False, fails)
        self.guards.append(guard)
        if fails:
            self.raised = self.raised or guard
            return Raised()
        return None

    # -- assignments --------------------------------------------------------------------------------------------------

    def _returned(self, frame: Frame, index: int) -> Value:
        values = frame.file.statement(index).values
        if not values or not frame.results:
            return self.inputs.nothing(frame.file.outline.statements[index].span)
        value = self.reader.read(values[0], frame, index)
        if frame.level and isinstance(values[0], ir.Const | ir.Name | ir.Attribute):
            return value
        return self.record(frame, index, f"{frame.function.name}()", value, values[0])

    def _assign(self, frame: Frame, index: int) -> None:
        statement = frame.file.statement(index)
        for binding in statement.bindings:
            if binding.value is None or binding.how not in ("assign", "annotate", "augment"):
                continue
            hint = binding.target.id if isinstance(binding.target, ir.Name) else ""
            value = self.reader.read(binding.value, frame, index, hint)
            node: Expr = binding.value
            if binding.how == "augment":
                old = self.reader.read(binding.target, frame, index)
                value = binary(statement.span, binding.operator or "+", old, value)
                node = ir.Binary(statement.span, binding.operator or "+", binding.target, binding.value)
            self._store(frame, index, binding.target, value, node)
        for value_node in statement.values:
            self.reader.read(value_node, frame, index)

    def bind(self, frame: Frame, index: int, target: Expr, value: Value) -> None:
        """Give the targets of a loop what one round has for them."""
        if isinstance(target, ir.Name):
            frame.locals[target.id] = value
        elif isinstance(target, ir.Collection):
            items = value.items
            for position, item in enumerate(target.items):
                part = items[position] if items is not None and position < len(items) else self._unpacked(frame, index, item)
                self.bind(frame, index, item, part)

    def _store(self, frame: Frame, index: int, target: Expr, value: Value, node: Expr) -> None:
        if isinstance(target, ir.Collection):
            for position, item in enumerate(target.items):
                items = value.items
                part = items[position] if items is not None and position < len(items) else None
                self._store(frame, index, item, part or self._unpacked(frame, index, item), node)
            return
        if isinstance(target, ir.Name):
            given = self.inputs.override(target.id, frame.file, index, node)
            value = given or self.record(frame, index, target.id, value, node)
            frame.locals[target.id] = value
        elif isinstance(target, ir.Attribute):
            path = self.reader.path_of(target, frame, index)
            if path is None:
                return
            self.reader.initial(target, path, frame, index)
            kept = self.inputs.override(path, frame.file, index, target) if not self.inputs.is_configured(path) else None
            self.fields[path] = kept or self.record(frame, index, dotted(target) or path, value, node)

    def _unpacked(self, frame: Frame, index: int, item: Expr) -> Value:
        """A part of something that is not known."""
        if isinstance(item, ir.Name):
            return self.inputs.local(frame.function, item.id, frame.file, index, item)
        text = dotted(item) or one_line(frame.file.source.slice(item.span))
        return self.inputs.opaque(text, frame.file, index, item)

    def record(self, frame: Frame, index: int, target: str, value: Value, node: Expr) -> Value:
        """Keep an assignment as a step. A value that is only handed on, as an object is, makes none."""
        if value.path is not None and isinstance(value.known, Unknown):
            return value
        arithmetic = self.reader.with_numbers(node)
        number = len(self.steps)
        self.steps.append(Step(frame.file, index, target, value, node, arithmetic, frame.level))
        return Value(value.expr, value.known, value.path, value.inputs, value.steps | {number})
