"""What a size depends on, in the terms of the function that builds the object: `head_dim` of `model_config.head_dim`,
`get_num_kv_heads` of a call, and so on, whatever parameters and fields it went through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.estimate.construction import Activation
from sgmem.program.entities import Class, External, Function, Global, Module
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.domains.estimate.construction import Allocation
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 24
_TRANSPARENT = frozenset(
    {"int", "float", "max", "min", "len", "sum", "abs", "round", "ceil", "ceil_div", "prod", "tuple", "list", "Size", "_element_size"}
)
"""Functions whose result depends on nothing but their arguments, and says nothing that their arguments do not."""


class Factor(msgspec.Struct, frozen=True):
    """`name`, the last name of what a size depends on; `expression` in the function that builds, where it is handed on or used."""

    name: str
    expression: Expr
    activation: Activation


class Factors:
    """Traces sizes back through activations.

    With `calculated`, a local of the building function that is worked out there stands for what it is worked out from, else for
    itself; a mere other name of something never stands for itself.
    """

    def __init__(self, program: Program, calculated: bool = True) -> None:
        self.program = program
        self._calculated = calculated

    def dimensions(self, allocation: Allocation, sizes: Iterable[str | int]) -> list[dict[str, Factor]]:
        """The factors of each dimension that an allocation's shape spells."""
        return [self.of(dimension, allocation.activation) for dimension in shape(allocation.call, sizes)]

    def of(self, expr: Expr, activation: Activation) -> dict[str, Factor]:
        """The factors of a value, by name."""
        found: dict[str, Factor] = {}
        self._trace(expr, activation, found, set(), 0)
        return found

    def results(self, function: Function) -> set[str]:
        """The names that the results of a function are made of, constants of classes included."""
        at = Activation(function.file, function.index, constants=True)
        found: dict[str, Factor] = {}
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind == "return":
                for value in function.file.statement(index).values:
                    self._trace(value, at, found, set(), 0)
        return set(found)

    def _trace(self, expr: Expr, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        key = (id(expr), id(at))
        if key in seen or depth > MAX_DEPTH:
            return
        seen.add(key)

        def go(each: Expr, where: Activation = at) -> None:
            self._trace(each, where, found, seen, depth + 1)

        match expr:
            case ir.Name():
                self._name(expr, at, found, seen, depth)
            case ir.Attribute():
                self._attribute(expr, at, found, seen, depth)
            case ir.Call():
                self._call(expr, at, found, seen, depth)
            case ir.Binary(left=left, right=right):
                go(left)
                go(right)
            case ir.Unary(operand=operand):
                go(operand)
            case ir.Conditional(body=body, orelse=orelse):
                go(body)
                go(orelse)
            case ir.Boolean() | ir.Collection():
                for child in expr.children():
                    go(child)
            case ir.Starred() | ir.Walrus():
                go(expr.value)
            case ir.Subscript(base=base, index=index):
                if at.caller is None and isinstance(index, ir.Const) and isinstance(index.value, str):
                    found.setdefault(index.value, Factor(index.value, expr, at))
                else:
                    go(base)
            case ir.Comprehension():
                go(expr.clauses[0].iterable)

    # -- names ----------------------------------------------------------------------------------------------------------------

    def _name(self, expr: ir.Name, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        if at.file.binder(expr) is not None:
            return
        values = self._assigned(expr.id, at)
        if at.caller is None and not self._calculated and values and not _is_alias(values):
            found.setdefault(expr.id, Factor(expr.id, expr, at))
            return
        for value in values:
            self._trace(value, at, found, seen, depth + 1)
        if values:
            return
        row = at.file.scope(at.scope)
        parameter = next((p for p in row.parameters if p.name == expr.id), None)
        if parameter is None:
            return
        if at.caller is None:
            found.setdefault(expr.id, Factor(expr.id, expr, at))
            return
        for value, caller in at.given.get(expr.id, []):
            self._trace(value, caller, found, seen, depth + 1)

    def _assigned(self, name: str, at: Activation) -> list[Expr]:
        """What the assignments of a function give a local, whatever their order."""
        found: list[Expr] = []
        for index in self.program.names.bindings(at.file, at.scope, name):
            statement = at.file.statement(index)
            for binding in statement.bindings:
                if binding.value is not None and binding.how in ("assign", "annotate", "augment"):
                    found += _part(binding.target, binding.value, name)
            for root in statement.expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Walrus) and node.target.id == name:
                        found.append(node.value)
        return found

    # -- attributes -----------------------------------------------------------------------------------------------------------

    def _attribute(self, expr: ir.Attribute, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        entity = self.program.names.entity(expr, at.file, at.scope)
        if isinstance(entity, Class | Function | Module | External | Global):
            return
        owner = self.program.names.entity(expr.base, at.file, at.scope)
        if isinstance(owner, Class):
            if at.constants:
                found.setdefault(expr.attr, Factor(expr.attr, expr, at))
            return
        if expr.attr == "itemsize":
            self._trace(expr.base, at, found, seen, depth + 1)
            return
        if at.caller is None:
            found.setdefault(expr.attr, Factor(expr.attr, expr, at))
            return
        if isinstance(expr.base, ir.Name) and expr.base.id == at.receiver:
            self._field(expr.attr, at, found, seen, depth)
        else:
            self._trace(expr.base, at, found, seen, depth + 1)

    def _field(self, name: str, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        """What the object's constructor stored under a name; of a property what it returns."""
        built = at.built
        if built is None:
            return
        classes = self.program.classes
        for each in classes.mro(built.owner):
            for function, index in classes.stores(each, name):
                activation = built.activations.get(function)
                if activation is not None:
                    for binding in function.file.statement(index).bindings:
                        if binding.value is not None:
                            for value in _part(binding.target, binding.value, name):
                                self._trace(value, activation, found, seen, depth + 1)
        method = classes.method(built.owner, name)
        if method is not None and method.is_property:
            self._returned(method, at, found, seen, depth)

    def _returned(self, method: Function, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        if at.built is None:
            return
        inside = at.built.activations.get(method) or Activation(method.file, method.index, at, at.statement, None, at.built)
        at.built.activations.setdefault(method, inside)
        for index in method.file.own_statements(method.index):
            if method.file.outline.statements[index].kind == "return":
                for value in method.file.statement(index).values:
                    self._trace(value, inside, found, seen, depth + 1)

    # -- calls ----------------------------------------------------------------------------------------------------------------

    def _call(self, expr: ir.Call, at: Activation, found: dict[str, Factor], seen: set[tuple[int, int]], depth: int) -> None:
        func = expr.func
        last = func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else ""
        if last == "getattr" and len(expr.args) >= 2 and isinstance(expr.args[1].value, ir.Const):
            name = str(expr.args[1].value.value)
            if at.caller is None:
                found.setdefault(name, Factor(name, expr, at))
            else:
                self._trace(expr.args[0].value, at, found, seen, depth + 1)
            return
        if at.caller is None and last not in _TRANSPARENT:
            found.setdefault(last, Factor(last, expr, at))
            return
        own = isinstance(func, ir.Attribute) and isinstance(func.base, ir.Name) and func.base.id == at.receiver
        if own and at.built is not None:
            method = self.program.classes.method(at.built.owner, last)
            if method is not None:
                self._returned(method, at, found, seen, depth)
        for argument in expr.args:
            self._trace(argument.value, at, found, seen, depth + 1)


def _is_alias(values: list[Expr]) -> bool:
    return len(values) == 1 and isinstance(values[0], ir.Name | ir.Attribute)


def shape(call: ir.Call, sizes: Iterable[str | int]) -> list[Expr]:
    """The dimensions that an allocating call spells: the items of the tuple it is given, or the arguments themselves."""
    wanted = set(sizes)
    for position, argument in enumerate(call.args):
        if argument.keyword in wanted or (argument.keyword is None and position in wanted):
            value = argument.value
            if isinstance(value, ir.Collection):
                return list(value.items)
            if isinstance(value, ir.Binary) and value.operator == "+":
                return [
                    part for side in (value.left, value.right) for part in (side.items if isinstance(side, ir.Collection) else (side,))
                ]
            others = [each.value for each in call.args if each.keyword is None and each is not argument]
            return [value, *others]
    return []


def dtype(call: ir.Call) -> Expr | None:
    """The element type that an allocating call names."""
    return next((argument.value for argument in call.args if argument.keyword == "dtype"), None)


def _part(target: Expr, value: Expr, name: str) -> list[Expr]:
    """What an assignment gives `name`, a variable or a field: of a tuple the item at its place."""
    if isinstance(target, ir.Name):
        return [value] if target.id == name else []
    if isinstance(target, ir.Attribute):
        return [value] if target.attr == name else []
    if isinstance(target, ir.Collection):
        items = (
            value.items if isinstance(value, ir.Collection) and len(value.items) == len(target.items) else [value] * len(target.items)
        )
        return [part for inner, item in zip(target.items, items, strict=True) for part in _part(inner, item, name)]
    return []
