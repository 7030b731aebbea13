"""What a size is made of, for an object of one class: the last names of all that it is worked out from.

The object's fields and methods are followed through the class and its ancestors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.classes import assigned
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_STEPS = 400
_TRANSPARENT = frozenset(
    {"int", "float", "max", "min", "len", "sum", "abs", "round", "ceil", "ceil_div", "prod", "element_size", "getattr"}
)
"""Functions whose result depends on nothing but their arguments."""


class MadeOf:
    """Asked for one class. `opaque` is set once something was met that cannot be followed, so that nothing may be called missing."""

    def __init__(self, program: Program, owner: Class) -> None:
        self.program = program
        self.owner = owner
        self.opaque = False
        self._steps = 0
        self._known: dict[str, set[str]] = {}

    def names(self, expr: Expr, file: File, scope: int) -> set[str]:
        """The names behind a value that stands in a function's scope."""
        found: set[str] = set()
        self._follow(expr, file, scope, found, set())
        return found

    def _follow(self, expr: Expr, file: File, scope: int, found: set[str], seen: set[str]) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            self.opaque = True
            return
        if isinstance(expr, ir.Name):
            self._local(expr, file, scope, found, seen)
        elif isinstance(expr, ir.Attribute):
            found.add(expr.attr)
            if self._is_own(expr, file, scope):
                self._field(expr.attr, found, seen)
            elif expr.attr == "itemsize":
                self._follow(expr.base, file, scope, found, seen)
        elif isinstance(expr, ir.Call):
            self._call(expr, file, scope, found, seen)
        elif isinstance(expr, ir.Comprehension | ir.Lambda | ir.Subscript):
            self.opaque = True
        else:
            for child in expr.children():
                self._follow(child, file, scope, found, seen)

    def _is_own(self, expr: ir.Attribute, file: File, scope: int) -> bool:
        row = file.scope(scope)
        receiver = Function(file, scope).receiver if row.kind == "function" else None
        return isinstance(expr.base, ir.Name) and expr.base.id == receiver

    def _local(self, name: ir.Name, file: File, scope: int, found: set[str], seen: set[str]) -> None:
        found.add(name.id)
        key = f"{file.path}:{scope}:{name.id}"
        if key in seen:
            return
        seen.add(key)
        for index in self.program.names.bindings(file, scope, name.id):
            for binding in file.statement(index).bindings:
                if binding.value is not None and binding.how in ("assign", "annotate", "augment"):
                    self._follow(binding.value, file, scope, found, seen)

    def _field(self, name: str, found: set[str], seen: set[str]) -> None:
        key = f".{name}"
        if key in seen:
            return
        seen.add(key)
        for each in self.program.classes.mro(self.owner):
            for function, index in self.program.classes.stores(each, name):
                for binding in each.file.statement(index).bindings:
                    mine = any(isinstance(one, ir.Attribute) and one.attr == name for one in assigned(binding.target))
                    if binding.value is not None and mine:
                        self._follow(binding.value, each.file, function.index, found, seen)
        method = self.program.classes.method(self.owner, name)
        if method is not None and method.is_property:
            self._returned(method, found, seen)

    def _call(self, call: ir.Call, file: File, scope: int, found: set[str], seen: set[str]) -> None:
        func = call.func
        last = func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else ""
        method: Function | None = None
        if isinstance(func, ir.Attribute) and self._is_own(func, file, scope):
            method = self.program.classes.method(self.owner, last)
        elif isinstance(func, ir.Attribute) and isinstance(func.base, ir.Call) and isinstance(func.base.func, ir.Name):
            own = Function(file, scope).owner
            if func.base.func.id == "super" and own is not None:
                method = self.program.classes.method_after(self.owner, own, last)
        if method is not None:
            self._returned(method, found, seen)
        elif last not in _TRANSPARENT:
            self.opaque = True
        for argument in call.args:
            self._follow(argument.value, file, scope, found, seen)
            if last == "getattr" and isinstance(argument.value, ir.Const) and isinstance(argument.value.value, str):
                found.add(argument.value.value)

    def _returned(self, method: Function, found: set[str], seen: set[str]) -> None:
        key = f"{method.file.path}:{method.index}()"
        if key in seen:
            return
        seen.add(key)
        for index in method.file.own_statements(method.index):
            if method.file.outline.statements[index].kind == "return":
                for value in method.file.statement(index).values:
                    self._follow(value, method.file, method.index, found, seen)
