"""Reads expressions in a symbolic execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import one_line
from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.render import number_text
from sgmem.domains.execution.literals import literal_of
from sgmem.domains.execution.operations import binary, comparison, inverted, negative
from sgmem.domains.execution.slice import names_in
from sgmem.domains.execution.values import UNKNOWN, Known, Unknown, Value, constant
from sgmem.flow.places import Field
from sgmem.program.entities import Global
from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from sgmem.domains.execution.execute import Frame, Machine
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 60
MAX_LOOPS = 5000
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "<<", ">>"})


class Reader:
    """Gives expressions their values. Remembers the last value of each, for showing the arithmetic."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.seen: dict[Expr, Value] = {}
        self._depth = 0

    def read(self, expr: Expr, frame: Frame, statement: int, hint: str = "") -> Value:
        """The value of an expression; `hint` names an input that it may turn out to be."""
        if self._depth > MAX_DEPTH:
            return self.opaque(expr, frame, statement, hint)
        self._depth += 1
        try:
            value = self._read(expr, frame, statement, hint)
        finally:
            self._depth -= 1
        self.seen[expr] = value
        return value

    def _read(self, expr: Expr, frame: Frame, statement: int, hint: str) -> Value:
        match expr:
            case ir.Const():
                known = literal_of(expr)
                return Value(expr, known)
            case ir.Name():
                return self._name(expr, frame, statement)
            case ir.Attribute():
                if self._measures(expr.base, frame, statement):
                    return self.machine.inputs.reading(frame.function, frame.file, statement, expr, hint)
                return self._attribute(expr, frame, statement)
            case ir.Binary(operator=operator) if operator in _ARITHMETIC:
                left, right = self.read(expr.left, frame, statement), self.read(expr.right, frame, statement)
                return binary(expr.span, operator, left, right)
            case ir.Unary(operator="not"):
                return inverted(expr.span, self.read(expr.operand, frame, statement))
            case ir.Unary():
                return negative(expr.span, expr.operator, self.read(expr.operand, frame, statement))
            case ir.Boolean():
                return self._boolean(expr, frame, statement)
            case ir.Compare():
                operands = [self.read(operand, frame, statement) for operand in expr.operands]
                return comparison(expr.span, expr.operators, operands)
            case ir.Conditional():
                return self._conditional(expr, frame, statement, hint)
            case ir.Walrus():
                value = self.read(expr.value, frame, statement, expr.target.id)
                frame.locals[expr.target.id] = value
                return value
            case ir.Await():
                return self.read(expr.value, frame, statement, hint)
            case ir.Collection() if not any(isinstance(item, ir.Starred) for item in expr.items):
                items = tuple(self.read(item, frame, statement) for item in expr.items)
                return Value(expr, items).after(*items)
            case ir.Comprehension():
                return self._comprehension(expr, frame, statement, hint)
            case ir.Subscript():
                return self._subscript(expr, frame, statement, hint)
            case ir.Call():
                return self.machine.caller.call(expr, frame, statement, hint)
        return self.opaque(expr, frame, statement, hint)

    # -- names and fields ---------------------------------------------------------------------------------------------

    def _name(self, expr: ir.Name, frame: Frame, statement: int) -> Value:
        held = frame.locals.get(expr.id)
        if held is not None:
            return held
        file, scope = frame.file, frame.file.outline.statements[statement].scope
        entity = self.machine.program.names.lookup(file, scope, expr.id)
        if isinstance(entity, Global):
            known = self.machine.context.literals.of(expr, file, statement)
            if not isinstance(known, Unknown):
                return constant(expr.span, known)
        return self.machine.inputs.opaque(expr.id, file, statement, expr)

    def path_of(self, expr: Expr, frame: Frame, statement: int) -> str | None:
        """The path of a place: attributes of an object that is known by its own path."""
        if isinstance(expr, ir.Name):
            held = frame.locals.get(expr.id)
            return held.path if held is not None else expr.id
        if isinstance(expr, ir.Attribute):
            base = self.read(expr.base, frame, statement)
            return f"{base.path}.{expr.attr}" if base.path is not None else None
        return self.read(expr, frame, statement).path

    def _attribute(self, expr: ir.Attribute, frame: Frame, statement: int) -> Value:
        if _root(expr) not in frame.locals:
            known = self.machine.context.literals.of(expr, frame.file, statement)
            if not isinstance(known, Unknown):
                return constant(expr.span, known)
        path = self.path_of(expr, frame, statement)
        if path is None:
            return self.opaque(expr, frame, statement, "")
        held = self.machine.fields.get(path)
        return held if held is not None else self.initial(expr, path, frame, statement)

    def initial(self, expr: ir.Attribute, path: str, frame: Frame, statement: int) -> Value:
        """What a field holds before the function sets it: as given, as its property computes it, or by default."""
        inputs = self.machine.inputs
        found = inputs.initials.get(path)
        if found is not None:
            return found
        file = frame.file
        default: Known = UNKNOWN
        computed: Value | None = None
        place = self._option(expr, path, frame, statement)
        if place is not None:
            inputs.configured(path)
            default = inputs.default_of(place)
        given = inputs.override(path, file, statement, expr)
        if given is None and isinstance(default, Unknown):
            computed = self._property(expr, frame, statement)
        value = given or computed or inputs.opaque(path, file, statement, expr, default)
        if computed is None:
            inputs.initials[path] = value
        return value

    def _option(self, expr: ir.Attribute, path: str, frame: Frame, statement: int) -> Field | None:
        """The option that a field is: by the type of its object, else by what the object is called.

        A record that gets its fields at run time has none of its own: then the one option of that name is meant.
        """
        occurrences, options = self.machine.context.facts.occurrences, self.machine.context.options
        scope = frame.file.outline.statements[statement].scope
        named = ir.Name(expr.base.span, path.split(".")[-2]) if "." in path else expr.base
        for base in (expr.base, named):
            for place, _ in occurrences.fields(base, expr.attr, frame.file, scope)[:1]:
                if isinstance(place, Field) and options.is_option(place):
                    return place
        if self.machine.program.spelling.classes(named):
            found = self.machine.context.options_named(expr.attr)
            return found[0] if len(found) == 1 else None
        return None

    def _property(self, expr: ir.Attribute, frame: Frame, statement: int) -> Value | None:
        """What a property computes, where there is only one that it may be."""
        program = self.machine.program
        scope = frame.file.outline.statements[statement].scope
        owners = program.values.types(expr.base, frame.file, scope)
        methods = {method for owner in owners if (method := program.classes.method(owner, expr.attr)) is not None}
        if len(methods) != 1:
            return None
        method = next(iter(methods))
        if not method.is_property:
            return None
        return self.machine.caller.entered(method, [self.read(expr.base, frame, statement)], {}, frame, expr)

    def opaque(self, expr: Expr, frame: Frame, statement: int, hint: str) -> Value:
        """An expression that is not taken apart, as an input."""
        text = dotted(expr) or one_line(frame.file.source.slice(expr.span))
        return self.machine.inputs.opaque(text, frame.file, statement, expr, hint=hint)

    # -- choices ------------------------------------------------------------------------------------------------------

    def _conditional(self, expr: ir.Conditional, frame: Frame, statement: int, hint: str) -> Value:
        test = self.read(expr.test, frame, statement)
        guarded = _is_none(expr.orelse) or (_is_value(expr.test) and names_in(expr.test) <= names_in(expr.body))
        holds = self.machine.decide(test, frame.file, statement, True if guarded else None)
        return self.read(expr.body if holds else expr.orelse, frame, statement, hint).after(_aside(test))

    def _boolean(self, expr: ir.Boolean, frame: Frame, statement: int) -> Value:
        """`and` and `or`: operands that cannot be the result are left out, those behind a decided one are not read."""
        stops = expr.operator == "or"
        kept: list[Value] = []
        dropped: list[Value] = []
        for operand in expr.values:
            value = self.read(operand, frame, statement)
            if value.truth is None or value.truth is stops:
                kept.append(value)
                if value.truth is stops:
                    break
            else:
                dropped.append(value)
        aside = [_aside(value) for value in dropped]
        if not kept:
            return dropped[-1].after(*aside)
        if len(kept) == 1:
            return kept[0].after(*aside)
        outcome = stops if kept[-1].truth is stops else None
        known: Known = stops if outcome is not None and isinstance(kept[-1].known, bool) else UNKNOWN
        whole = ir.Boolean(expr.span, expr.operator, tuple(value.expr for value in kept))
        return Value(whole, known, outcome=outcome).after(*kept, *aside)

    def _measures(self, expr: Expr, frame: Frame, statement: int) -> bool:
        """Whether an expression is a call that reads a gauge."""
        scope = frame.file.outline.statements[statement].scope
        measurements = self.machine.context.facts.gauges.measurements
        return isinstance(expr, ir.Call) and measurements.row(expr, frame.file, scope) is not None

    def _subscript(self, expr: ir.Subscript, frame: Frame, statement: int, hint: str) -> Value:
        if self._measures(expr.base, frame, statement):
            return self.machine.inputs.reading(frame.function, frame.file, statement, expr, hint)
        base = self.read(expr.base, frame, statement)
        items = base.items
        if items is not None and isinstance(expr.index, ir.Const | ir.Unary):
            index = self.read(expr.index, frame, statement).number
            if index is not None and index.denominator == 1 and -len(items) <= index < len(items):
                return items[int(index)]
        return self.opaque(expr, frame, statement, hint)

    def _comprehension(self, expr: ir.Comprehension, frame: Frame, statement: int, hint: str) -> Value:
        """A list built from a known one with one loop; anything else is not taken apart."""
        clause = expr.clauses[0]
        if len(expr.clauses) != 1 or expr.kind == "dict" or not isinstance(clause.target, ir.Name):
            return self.opaque(expr, frame, statement, hint)
        source = self.read(clause.iterable, frame, statement)
        if source.items is None or len(source.items) > MAX_LOOPS:
            return self.opaque(expr, frame, statement, hint)
        name, kept, tests = clause.target.id, list[Value](), list[Value]()
        outer = frame.locals.get(name)
        for item in source.items:
            frame.locals[name] = item
            truths = [self.read(condition, frame, statement) for condition in clause.conditions]
            tests += truths
            if any(test.truth is None for test in truths):
                kept.clear()
                break
            if all(test.truth for test in truths):
                kept.append(self.read(expr.element, frame, statement))
        else:
            self._restore(frame, name, outer)
            inputs = frozenset().union(*(test.inputs for test in tests)) if tests else frozenset[str]()
            return Value(expr, tuple(kept), None, inputs).after(source)
        self._restore(frame, name, outer)
        return self.opaque(expr, frame, statement, hint)

    def _restore(self, frame: Frame, name: str, outer: Value | None) -> None:
        if outer is None:
            frame.locals.pop(name, None)
        else:
            frame.locals[name] = outer

    # -- text ---------------------------------------------------------------------------------------------------------

    def with_numbers(self, node: Expr) -> str:
        """An expression with the numbers that its parts had, as far as they are known."""

        def shown(part: Expr) -> str | None:
            value = self.seen.get(part)
            number = value.number if value is not None else None
            if number is None or _keeps_shape(part):
                return None
            text = number_text(number)
            return f"({text})" if number < 0 or " " in text else text

        return text_of(node, shown)


def _root(expr: Expr) -> str | None:
    while isinstance(expr, ir.Attribute):
        expr = expr.base
    return expr.id if isinstance(expr, ir.Name) else None


def _keeps_shape(part: Expr) -> bool:
    """Whether an expression is arithmetic to be shown with the numbers of its operands."""
    if isinstance(part, ir.Call):
        return arithmetic.function_name(part) is not None
    return isinstance(part, ir.Binary | ir.Unary | ir.Conditional | ir.Boolean | ir.Collection | ir.Const)


def _is_none(expr: Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def _is_value(test: Expr) -> bool:
    """Whether a test asks a value whether it is there: `a // b if b else 0` is for the case that it is."""
    return isinstance(test, ir.Name | ir.Attribute)


def _aside(test: Value) -> Value:
    """A test that chose a value: the value depends on its inputs, but its steps are another story."""
    return Value(test.expr, test.known, None, test.inputs)
