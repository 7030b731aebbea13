"""Readings of memory gauges in a program: which expression is one, and what it measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.frames.frame import Frame, Measured, frame_of
from sgmem.flow.birth import unpacking
from sgmem.flow.order import ENTRY
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.birth import Birth
    from sgmem.flow.measurements import Measurements
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class Gauge(msgspec.Struct, frozen=True):
    """One reading: the measuring call in its place, and which of its values is meant."""

    measured: Measured
    location: Location
    frame: Frame


class Gauges:
    """Recognises readings, memoised per expression."""

    def __init__(self, program: Program, measurements: Measurements, order: Order) -> None:
        self.program = program
        self.measurements = measurements
        self.order = order
        self._found: dict[Expr, Gauge | None] = {}

    def of(self, expr: Expr, file: File, statement: int) -> Gauge | None:
        """The reading that an expression is: a measuring call, or a part of one, directly or through a local name."""
        if expr not in self._found:
            self._found[expr] = None
            self._found[expr] = self._find(expr, file, statement)
        return self._found[expr]

    def part(self, call: ir.Call, index: int | None, file: File, statement: int, attribute: str | None = None) -> Gauge | None:
        """The reading that one value of a measuring call is."""
        row = self.measurements.row(call, file, file.outline.statements[statement].scope)
        result = row.result(index, attribute) if row is not None else None
        if row is None or result is None:
            return None
        measured = Measured(call, row, result)
        frame = frame_of(measured, lambda of, name: self._argument(of, name, file, statement))
        return Gauge(measured, Location(file, statement, call.span), frame)

    def of_birth(self, birth: Birth) -> Gauge | None:
        """The reading that a value was born as; which value of the call it is tells the statement around it."""
        call = birth.expression
        if birth.kind != "measurement" or not isinstance(call, ir.Call):
            return None
        file, statement = birth.file, birth.statement
        found = self.part(call, None, file, statement)
        if found is not None:
            return found
        for root in file.statement(statement).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Subscript | ir.Attribute) and node.base is call:
                    return self.of(node, file, statement)
        for binding in file.statement(statement).bindings:
            for hop in reversed(birth.hops):
                if binding.value is call and hop.statement == statement and hop.file is file:
                    for path in unpacking(binding.target, hop.text):
                        if len(path) == 1 and isinstance(path[0], int):
                            return self.part(call, path[0], file, statement)
        return None

    def _find(self, expr: Expr, file: File, statement: int) -> Gauge | None:
        match expr:
            case ir.Call():
                return self.part(expr, None, file, statement)
            case ir.Attribute(base=ir.Call() as call):
                return self.part(call, None, file, statement, expr.attr)
            case ir.Subscript(base=ir.Call() as call, index=ir.Const(value=int(index))):
                return self.part(call, index, file, statement)
            case ir.Attribute(base=ir.Name() as name):
                held = self._held(name, file, statement)
                return self.part(held[0], None, file, held[1], expr.attr) if held is not None else None
            case ir.Subscript(base=ir.Name() as name, index=ir.Const(value=int(index))):
                held = self._held(name, file, statement)
                return self.part(held[0], index, file, held[1]) if held is not None else None
        return None

    def _held(self, name: ir.Name, file: File, statement: int) -> tuple[ir.Call, int] | None:
        """The call whose whole result a local name holds, with its statement."""
        scope = file.outline.statements[statement].scope
        definitions = self.order.reaching(file, scope, name.id, statement)
        if len(definitions) != 1 or ENTRY in definitions:
            return None
        index = next(iter(definitions))
        for binding in file.statement(index).bindings:
            if isinstance(binding.target, ir.Name) and binding.how == "assign" and isinstance(binding.value, ir.Call):
                return binding.value, index
        return None

    def _argument(self, call: ir.Call, name: str, file: File, statement: int) -> Expr | None:
        """What a call passes for a parameter: by keyword, by position where the callee is known, else its default."""
        given = next((argument.value for argument in call.args if argument.keyword == name), None)
        if given is not None:
            return given
        for target, filled, certain in self.program.calls.targets(call, file, file.outline.statements[statement].scope):
            if not isinstance(target, Function):
                continue
            site = CallSite(file, statement, call, filled, certain)
            for one in bind(site, target.parameters):
                if one.parameter == name and one.key is None:
                    return one.argument.value
            parameter = target.parameter(name)
            if parameter is not None and parameter.default is not None:
                return target.file.expression(parameter.default)
        return None
