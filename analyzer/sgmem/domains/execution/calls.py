"""Calls in a symbolic execution: functions that are entered, builtins, copies and views of objects, keyword stores."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import last_name
from sgmem.domains.algebra import arithmetic
from sgmem.domains.execution.inputs import first_statement
from sgmem.domains.execution.operations import builtin
from sgmem.domains.execution.values import UNKNOWN, Unknown, Value
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function
from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sgmem.domains.execution.execute import Frame, Machine
    from sgmem.syntax.ir import Expr

MAX_LEVEL = 6
LONGEST_CONDITION = 80
MAX_STATEMENTS = 250
_SAME_OBJECT = frozenset({"copy", "deepcopy", "cast", "item", "clone"})
_COMMON = 80
"""A function whose name more files than this mention is an everyday word; what it gives is an input."""


class Caller:
    """Executes calls for a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._active: list[Function] = []

    def call(self, expr: ir.Call, frame: Frame, statement: int, hint: str) -> Value:
        """What a call gives."""
        read = self.machine.reader.read
        name = last_name(expr)
        if isinstance(expr.func, ir.Name) and name == "getattr" and len(expr.args) >= 2:
            return self._getattr(expr, frame, statement, hint)
        plain = all(argument.keyword is None and not argument.star for argument in expr.args)
        if isinstance(expr.func, ir.Name | ir.Attribute) and plain:
            found = self._builtin(expr, name, frame, statement)
            if found is not None:
                return found
        given = self.machine.inputs.override(dotted(expr.func) or name, frame.file, statement, expr) if name else None
        if given is not None:
            return given
        if name in _SAME_OBJECT and len(expr.args) >= 1:
            return read(expr.args[-1 if name == "cast" else 0].value, frame, statement, hint)
        if name in _SAME_OBJECT and isinstance(expr.func, ir.Attribute):
            return read(expr.func.base, frame, statement, hint)
        scope = frame.file.outline.statements[statement].scope
        if self.machine.context.facts.gauges.measurements.row(expr, frame.file, scope) is not None:
            return self.machine.inputs.reading(frame.function, frame.file, statement, expr, hint)
        if name == "get" and not expr.args and isinstance(expr.func, ir.Attribute):
            default = self.machine.context.literals.wrapped(expr.func.base, frame.file, statement)
            if not isinstance(default, Unknown):
                path = f"{dotted(expr.func.base) or name}.get"
                return self.machine.inputs.opaque(path, frame.file, statement, expr, default)
        viewed = self._view(expr, frame, statement)
        if viewed is not None:
            return viewed
        return self._entered(expr, frame, statement, hint)

    def _builtin(self, expr: ir.Call, name: str, frame: Frame, statement: int) -> Value | None:
        if name not in ("int", "float", "round", "min", "max", "sum", "abs", "floor", "ceil") and not isinstance(expr.func, ir.Name):
            return None
        if name not in _BUILTINS:
            return None
        arguments = [self.machine.reader.read(argument.value, frame, statement) for argument in expr.args]
        return builtin(expr, name, arguments)

    def _getattr(self, expr: ir.Call, frame: Frame, statement: int, hint: str) -> Value:
        key = expr.args[1].value
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            base = expr.args[0].value
            value = self.machine.reader.read(ir.Attribute(expr.span, base, key.value, key.span), frame, statement)
            if isinstance(value.known, Unknown) and len(expr.args) > 2 and value.path is not None:
                return Value(value.expr, UNKNOWN, None, value.inputs, value.steps)
            return value
        return self.machine.reader.opaque(expr, frame, statement, hint)

    def _view(self, expr: ir.Call, frame: Frame, statement: int) -> Value | None:
        """A call that gives a stand-in for its argument: an object whose class forwards all attributes elsewhere."""
        if not expr.args or expr.args[0].star:
            return None
        program, scope = self.machine.program, frame.file.outline.statements[statement].scope
        for owner in program.values.types(expr, frame.file, scope):
            if program.classes.method(owner, "__getattr__") is not None:
                value = self.machine.reader.read(expr.args[0].value, frame, statement)
                return value if value.path is not None else None
        return None

    # -- functions of the program -------------------------------------------------------------------------------------

    def _entered(self, expr: ir.Call, frame: Frame, statement: int, hint: str) -> Value:
        scope = frame.file.outline.statements[statement].scope
        targets = self.machine.program.calls.targets(expr, frame.file, scope)
        functions = [(target, filled) for target, filled, _ in targets if isinstance(target, Function)]
        if len(targets) != 1 or not functions or functions[0][0].name == "__init__":
            return self._unknown(expr, frame, statement, hint, any(isinstance(t, Class) for t, _, _ in targets))
        function, filled = functions[0]
        self._keyword_stores(expr, function, frame, statement)
        site = CallSite(frame.file, statement, expr, filled)
        given: dict[str, Value] = {}
        for one in bind(site, function.parameters):
            if one.parameter is not None and one.key is None:
                given[one.parameter] = self.machine.reader.read(one.argument.value, frame, statement)
        receiver: list[Value] = []
        if filled and isinstance(expr.func, ir.Attribute) and function.receiver is not None:
            receiver = [self.machine.reader.read(expr.func.base, frame, statement)]
        value = self.entered(function, receiver, given, frame, expr)
        hint = "" if hint in frame.locals else hint
        return value if value is not None else self.machine.reader.opaque(expr, frame, statement, hint)

    def entered(
        self, function: Function, receiver: Sequence[Value], given: Mapping[str, Value], frame: Frame, expr: Expr
    ) -> Value | None:
        """What a function returns for these arguments; None where it is not entered."""
        from sgmem.domains.execution.execute import Frame as NewFrame
        from sgmem.domains.execution.execute import Returned

        machine = self.machine
        if not self._may_enter(function, frame):
            return None
        relevant, needed = machine.context.relevance.of(function.file, function.index, frame.needed, True)
        inner = NewFrame(function, relevant, needed, level=frame.level + 1)
        for position, parameter in enumerate(function.parameters):
            inner.locals[parameter.name] = self._argument(function, parameter.name, position, receiver, given)
        before, settled = set(machine.decisions), machine.settled.copy()
        self._active.append(function)
        try:
            end = machine.body(inner)
        finally:
            self._active.pop()
        if not isinstance(end, Returned):
            return machine.inputs.nothing(expr.span) if end is None else None
        value = end.value
        assumed = [key for key in machine.decisions if key not in before]
        if assumed and not _calculates(value.expr) and not isinstance(value.known, Fraction | tuple):
            # Which flag or object it gives hangs on what is not known: the name of the function says more.
            for key in assumed:
                del machine.decisions[key]
            machine.settled.restore(settled)
            return None
        return value if _tells(value) else None

    def _argument(self, function: Function, name: str, position: int, receiver: Sequence[Value], given: Mapping[str, Value]) -> Value:
        machine = self.machine
        if position < len(receiver):
            return receiver[position]
        value = given.get(name)
        row = function.parameter(name)
        leaf = ir.Name(row.span if row is not None else function.scope.span, name)
        statement = first_statement(function)
        if value is not None:
            known = isinstance(value.known, Unknown) and value.path is not None
            return (machine.inputs.override(name, function.file, statement, leaf) if known else None) or value
        if row is not None and row.default is not None:
            default = function.file.expression(row.default)
            known_default = machine.context.literals.of(default, function.file, statement)
            if not isinstance(known_default, Unknown):
                return Value(default, known_default)
        return machine.inputs.opaque(f"{function.name}.{name}", function.file, statement, leaf)

    def _may_enter(self, function: Function, frame: Frame) -> bool:
        row = function.scope
        rows = row.last - row.first
        if frame.level >= MAX_LEVEL or rows > MAX_STATEMENTS or row.is_async or function in self._active:
            return False
        if len(self.machine.program.files.tree.mentioning(function.name)) > _COMMON:
            return False
        return not any(
            isinstance(node, ir.Yield)
            for index in function.file.own_statements(function.index)
            if "yield" in function.file.own_text(index)
            for root in function.file.statement(index).expressions()
            for node in ir.walk(root)
        )

    def _keyword_stores(self, expr: ir.Call, function: Function, frame: Frame, statement: int) -> None:
        """A function that takes `**fields` for an object: its keywords are what the object's fields become."""
        stars = {parameter.name for parameter in function.parameters if parameter.kind == "double-star"}
        if not stars or not expr.args or expr.args[0].keyword is not None or expr.args[0].star:
            return
        target = self.machine.reader.read(expr.args[0].value, frame, statement)
        if target.path is None:
            return
        named = {parameter.name for parameter in function.parameters}
        for argument in expr.args:
            if argument.keyword and argument.keyword not in named:
                path = f"{target.path}.{argument.keyword}"
                value = self.machine.reader.read(argument.value, frame, statement)
                place = ir.Attribute(argument.span, expr.args[0].value, argument.keyword, argument.span)
                self.machine.reader.initial(place, path, frame, statement)
                self.machine.fields[path] = self.machine.record(frame, statement, path, value, argument.value)

    def _unknown(self, expr: ir.Call, frame: Frame, statement: int, hint: str, builds: bool) -> Value:
        value = self.machine.reader.opaque(expr, frame, statement, hint)
        if not builds or not isinstance(value.known, Unknown):
            return value
        return Value(value.expr, value.known, f"{dotted(expr.func) or hint}()", value.inputs)


def _tells(value: Value) -> bool:
    """Whether what a function returns says more than its name: a number, a known value, an object, a short condition."""
    if not isinstance(value.known, Unknown) or value.path is not None or _calculates(value.expr):
        return True
    return len(text_of(value.expr)) <= LONGEST_CONDITION


def _calculates(expr: Expr) -> bool:
    if isinstance(expr, ir.Conditional):
        return _calculates(expr.body) or _calculates(expr.orelse)
    if isinstance(expr, ir.Call):
        return arithmetic.function_name(expr) is not None
    return isinstance(expr, ir.Binary | ir.Unary) and expr.operator != "not"


_BUILTINS = frozenset(
    {"int", "float", "round", "min", "max", "sum", "abs", "floor", "ceil", "len", "list", "tuple", "sorted", "set"}
    | {"reversed", "range", "bool"}
)
