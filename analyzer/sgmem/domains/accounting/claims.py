"""What a program says of the unit of a value, apart from the value: the name it is stored under, the parameter it is handed to,
the label it is printed with, the function it is returned from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.algebra import arithmetic
from sgmem.domains.units.evidence import Evidence, Strength, suffix_evidence
from sgmem.domains.units.labels import UNIT_WORDS, labelled
from sgmem.domains.units.unit import parse_unit
from sgmem.flow.naming import call_names
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

ClaimKind = Literal["name", "parameter", "size", "label", "result", "docstring"]
ELEMENTS = parse_unit("elements")


class Claim(msgspec.Struct, frozen=True):
    """`value` is said to be in the unit of `evidence` by `subject`: a name, a parameter, a label, a function."""

    kind: ClaimKind
    value: ir.Expr
    evidence: Evidence
    subject: str
    at: Location


class Claims:
    """Finds the claims of single statements."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models

    def of(self, file: File, statement: int) -> Iterator[Claim]:
        """The claims that a statement makes of the values in it."""
        lowered = file.statement(statement)
        for binding in lowered.bindings:
            if binding.value is not None and binding.how in ("assign", "annotate"):
                yield from _stored(binding.target, binding.value, file, statement)
        if lowered.kind == "return":
            for value in lowered.values:
                yield from self._returned(value, file, statement)
        has_label = UNIT_WORDS.search(file.own_text(statement)) is not None
        for root in lowered.expressions():
            for node in ir.walk(root):
                if has_label:
                    for found in labelled(node):
                        yield Claim("label", found.value, found.label, found.word, Location(file, statement, found.value.span))
                if isinstance(node, ir.Call):
                    yield from self._handed(node, file, statement)
                elif isinstance(node, ir.Dict):
                    yield from _keyed(node, file, statement)

    def _handed(self, call: ir.Call, file: File, statement: int) -> Iterator[Claim]:
        if arithmetic.function_name(call) is not None:
            return
        for argument in call.args:
            evidence = suffix_evidence(argument.keyword, argument.span) if argument.keyword else None
            if evidence is not None and argument.keyword:
                yield Claim("parameter", argument.value, evidence, argument.keyword, Location(file, statement, argument.value.span))
        yield from self._placed(call, file, statement)
        if self.models.sinks.rows_for_name(last_name(call)):
            yield from self._sized(call, file, statement)

    def _placed(self, call: ir.Call, file: File, statement: int) -> Iterator[Claim]:
        """Positional arguments: the callee says what it calls them. Only amounts that show are worth looking the callee up."""
        if not any(one.keyword is None and not one.star and _may_be_amount(one.value) for one in call.args):
            return
        for target, filled, certain in self.program.calls.targets(call, file, file.outline.statements[statement].scope):
            if not certain or not isinstance(target, Function):
                continue
            for one in bind(CallSite(file, statement, call, filled, certain), target.parameters):
                if one.argument.keyword is None and one.parameter is not None and one.key is None:
                    evidence = suffix_evidence(one.parameter, one.argument.span)
                    if evidence is not None:
                        where = Location(file, statement, one.argument.value.span)
                        yield Claim("parameter", one.argument.value, evidence, f"{target.name}({one.parameter})", where)

    def _sized(self, call: ir.Call, file: File, statement: int) -> Iterator[Claim]:
        """A tensor's shape counts elements; where they are bytes it may be an amount, in bytes and in nothing larger."""
        scope = file.outline.statements[statement].scope
        row = next((row for name in call_names(self.program, call, file, scope) if (row := self.models.sinks.find(name))), None)
        if row is None or row.kind != "tensor":
            return
        why = Evidence(ELEMENTS, Strength.FUNCTION, row.why, call.func.span)
        for place, argument in enumerate(call.args):
            named = argument.keyword in row.sizes if argument.keyword else place in row.sizes
            if named and not argument.star:
                sizes = argument.value.items if isinstance(argument.value, ir.Collection) else (argument.value,)
                for size in sizes:
                    yield Claim("size", size, why, last_name(call), Location(file, statement, size.span))

    def _returned(self, value: Expr, file: File, statement: int) -> Iterator[Claim]:
        scope = file.outline.statements[statement].scope
        row = file.scope(scope)
        if row.kind != "function" or isinstance(value, ir.Collection | ir.Const):
            return
        where = Location(file, statement, value.span)
        qualified = f"{file.module}:{row.qualname}"
        measurement = self.models.measurements.find(qualified) if self.models.measurements.rows_for_name(row.name) else None
        modelled = measurement.result() if measurement is not None else None
        unit, why = (modelled.unit, measurement.why) if modelled is not None and measurement is not None else (None, "")
        if unit is None and self.models.units.rows_for_name(row.name):
            rows = [one for one in self.models.units.find_all(qualified) if one.kind == "result" and not one.hint]
            unit, why = (rows[0].unit, rows[0].why) if rows else (None, "")
        if unit is not None:
            yield Claim("result", value, Evidence(parse_unit(unit), Strength.FUNCTION, why, value.span), f"{row.name}()", where)
            return
        evidence = suffix_evidence(row.name, value.span)
        if evidence is not None:
            yield Claim("result", value, evidence, f"{row.name}()", where)


def _stored(target: Expr, value: Expr, file: File, statement: int) -> Iterator[Claim]:
    if isinstance(target, ir.Collection) and isinstance(value, ir.Collection) and len(target.items) == len(value.items):
        for one, given in zip(target.items, value.items, strict=True):
            yield from _stored(one, given, file, statement)
        return
    name = _spelling(target)
    evidence = suffix_evidence(name, target.span) if name else None
    if evidence is not None and name:
        yield Claim("name", value, evidence, name, Location(file, statement, value.span))


def _keyed(node: ir.Dict, file: File, statement: int) -> Iterator[Claim]:
    for key, value in node.items:
        name = key.value if isinstance(key, ir.Const) and isinstance(key.value, str) else None
        evidence = suffix_evidence(name, key.span) if name and key is not None else None
        if evidence is not None and name:
            yield Claim("name", value, evidence, name, Location(file, statement, value.span))


def _spelling(target: Expr) -> str | None:
    match target:
        case ir.Name(id=name):
            return name
        case ir.Attribute(attr=name):
            return name
        case ir.Subscript(index=ir.Const(value=str(name))):
            return name
    return None


def _may_be_amount(value: Expr) -> bool:
    """Whether an argument shows that it may be an amount: a name with a unit, or a conversion."""
    for node in ir.walk(value):
        match node:
            case ir.Name(id=name) | ir.Attribute(attr=name) if suffix_evidence(name) is not None:
                return True
            case ir.Binary(operator="*" | "/" | "//" | "<<"):
                return True
    return False
