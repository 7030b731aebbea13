"""Forward type tracking, as light as it can be: what instances an expression may hold, and which callables it may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgmem.program.entities import Class, Entity, External, Function, Global, Local
from sgmem.program.files import File, dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.program.classes import Classes
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Expr

_DEPTH = 9
_WRAPPERS = {"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Awaitable", "A"}
_SAME_TYPE = {"copy", "deepcopy", "replace", "cast"}
_SEQUENCES = {"list", "List", "Sequence", "Iterable", "Iterator", "tuple", "Tuple", "set", "Set", "deque", "Deque"}


@dataclass(frozen=True, slots=True)
class Callable_:
    """A callable value: a function or class, and how many leading parameters are filled already (a bound receiver, a partial)."""

    target: Class | Function
    filled: int = 0
    certain: bool = True


class Values:
    """Types of instances and callable values. Empty sets mean unknown."""

    def __init__(self, names: Names, classes: Classes) -> None:
        self.names = names
        self.classes = classes
        self._types: dict[Expr, frozenset[Class]] = {}
        self._fields: dict[tuple[Class, str], frozenset[Class]] = {}
        self._returns: dict[Function, frozenset[Class]] = {}
        self._parameters: dict[tuple[Function, str], frozenset[Class]] = {}

    def types(self, expr: Expr, file: File, scope: int, depth: int = 0) -> frozenset[Class]:
        """The classes of which `expr` may hold an instance."""
        if expr in self._types:
            return self._types[expr]
        if depth > _DEPTH:
            return frozenset()
        self._types[expr] = frozenset()  # cuts cycles
        found = frozenset(self._infer(expr, file, scope, depth + 1))
        self._types[expr] = found
        return found

    def _infer(self, expr: Expr, file: File, scope: int, depth: int) -> Iterable[Class]:
        match expr:
            case ir.Name():
                return self._name(expr, file, scope, depth)
            case ir.Attribute():
                return self._attribute(expr, file, scope, depth)
            case ir.Call():
                return self._call(expr, file, scope, depth)
            case ir.Conditional():
                return self.types(expr.body, file, scope, depth) | self.types(expr.orelse, file, scope, depth)
            case ir.Boolean():
                return frozenset().union(*(self.types(value, file, scope, depth) for value in expr.values))
            case ir.Walrus() | ir.Await():
                return self.types(expr.value, file, scope, depth)
            case ir.Subscript():
                return self._element(expr.base, file, scope, depth)
        return ()

    def _name(self, expr: ir.Name, file: File, scope: int, depth: int) -> Iterable[Class]:
        entity = self.names.lookup(file, scope, expr.id)
        if isinstance(entity, Local):
            return self._local(entity, depth)
        if isinstance(entity, Global):
            return self._bound(entity.file, 0, entity.name, depth)
        return ()

    def _local(self, local: Local, depth: int) -> frozenset[Class]:
        row = local.file.scope(local.index)
        if row.kind == "function" and any(parameter.name == local.name for parameter in row.parameters):
            found = self.parameter_types(Function(local.file, local.index), local.name, depth)
            if found:
                return found
        return frozenset(self._bound(local.file, local.index, local.name, depth))

    def _bound(self, file: File, scope: int, name: str, depth: int) -> set[Class]:
        """The union over the assignments of a variable, whatever their order."""
        found: set[Class] = set()
        for index in self.names.bindings(file, scope, name):
            statement = file.statement(index)
            if statement.annotation is not None:
                found |= self.annotated(statement.annotation, file, scope, depth)
            for binding in statement.bindings:
                if isinstance(binding.target, ir.Name) and binding.target.id == name and binding.value is not None:
                    if binding.how == "iterate":
                        found |= set(self._element(binding.value, file, scope, depth))
                    else:
                        found |= self.types(binding.value, file, scope, depth)
        if not found and scope == 0:
            found |= self._written_globals(file, name, depth)
        return found

    def _written_globals(self, file: File, name: str, depth: int) -> set[Class]:
        found: set[Class] = set()
        for index in file.mentions(name):
            row = file.outline.statements[index]
            if row.kind == "global" and name in row.names:
                found |= self._bound(file, row.scope, name, depth)
        return found

    def parameter_types(self, function: Function, name: str, depth: int = 0) -> frozenset[Class]:
        """By annotation; the receiver by its annotation or its class."""
        key = (function, name)
        if key in self._parameters:
            return self._parameters[key]
        self._parameters[key] = frozenset()
        parameter = function.parameter(name)
        found: frozenset[Class] = frozenset()
        if parameter is not None and parameter.annotation is not None:
            annotation = function.file.expression(parameter.annotation)
            found = frozenset(self.annotated(annotation, function.file, function.scope.parent, depth))
        owner = function.owner
        if not found and owner is not None and name == function.receiver and not function.is_class_method:
            found = frozenset({owner})
        self._parameters[key] = found
        return found

    def annotated(self, annotation: Expr, file: File, scope: int, depth: int = 0) -> set[Class]:
        """The program's classes that an annotation names as the value itself (containers' elements aside)."""
        if depth > _DEPTH + 4:
            return set()
        match annotation:
            case ir.Const() if isinstance(annotation.value, str):
                return self.annotated(self.names.quoted(annotation), file, scope, depth + 1)
            case ir.Binary() if annotation.operator == "|":
                return self.annotated(annotation.left, file, scope, depth) | self.annotated(
                    annotation.right, file, scope, depth
                )
            case ir.Subscript():
                last = (dotted(annotation.base) or "").rpartition(".")[2]
                inner = annotation.index
                parts = inner.items if isinstance(inner, ir.Collection) and inner.kind == "tuple" else (inner,)
                if last == "Union":
                    return set().union(*(self.annotated(part, file, scope, depth + 1) for part in parts))
                if last in _WRAPPERS:
                    return self.annotated(parts[0], file, scope, depth + 1)
                return set()
            case ir.Name() | ir.Attribute():
                entity = self.names.entity(annotation, file, scope)
                return {entity} if isinstance(entity, Class) else set()
        return set()

    def _element(self, container: Expr, file: File, scope: int, depth: int) -> Iterable[Class]:
        """The element type of a container whose annotation or display names it."""
        if isinstance(container, ir.Collection):
            return set().union(*(self.types(item, file, scope, depth) for item in container.items), set())
        found: set[Class] = set()
        for annotation, where, inner in self._annotations(container, file, scope, depth):
            if isinstance(annotation, ir.Subscript):
                last = (dotted(annotation.base) or "").rpartition(".")[2]
                parts = annotation.index.items if isinstance(annotation.index, ir.Collection) else (annotation.index,)
                if last in _SEQUENCES:
                    found |= self.annotated(parts[0], where, inner, depth)
                elif last in ("dict", "Dict", "Mapping") and len(parts) == 2:
                    found |= self.annotated(parts[1], where, inner, depth)
        return found

    def _annotations(self, expr: Expr, file: File, scope: int, depth: int) -> list[tuple[Expr, File, int]]:
        """The annotations that tell what a container holds: of a variable, a field, a function's result."""
        if isinstance(expr, ir.Call):
            functions = [
                one.target for one in self.callables(expr.func, file, scope, depth) if isinstance(one.target, Function)
            ]
            spans = [(function, function.scope.returns) for function in functions]
            return [(f.file.expression(span), f.file, f.scope.parent) for f, span in spans if span is not None]
        if isinstance(expr, ir.Name):
            entity = self.names.lookup(file, scope, expr.id)
            if isinstance(entity, Local | Global):
                index = entity.index if isinstance(entity, Local) else 0
                rows = [
                    (entity.file.statement(i).annotation, entity.file, index)
                    for i in self.names.bindings(entity.file, index, expr.id)
                ]
                if isinstance(entity, Local):
                    given = [p.annotation for p in entity.file.scope(index).parameters if p.name == expr.id]
                    rows += [(entity.file.expression(s), entity.file, index) for s in given if s is not None]
                return [(a, f, s) for a, f, s in rows if a is not None]
        if isinstance(expr, ir.Attribute):
            rows = []
            for owner in self.types(expr.base, file, scope, depth):
                for each in self.classes.mro(owner):
                    for function, index in self.classes.stores(each, expr.attr):
                        statement = each.file.statement(index)
                        rows.append((statement.annotation, each.file, function.index))
                        for binding in statement.bindings:
                            if binding.value is not None and depth < _DEPTH:
                                rows += self._annotations(binding.value, each.file, function.index, depth + 1)
                    declared = self.classes.declaration(each, expr.attr)
                    if declared is not None:
                        rows.append((each.file.statement(declared).annotation, each.file, each.index))
            return [(a, f, s) for a, f, s in rows if a is not None]
        return []

    def _attribute(self, expr: ir.Attribute, file: File, scope: int, depth: int) -> Iterable[Class]:
        entity = self.names.entity(expr, file, scope)
        if isinstance(entity, Global):
            return self._bound(entity.file, 0, entity.name, depth)
        found: set[Class] = set()
        for owner in self.types(expr.base, file, scope, depth):
            found |= self.field_types(owner, expr.attr, depth)
        return found

    def field_types(self, owner: Class, name: str, depth: int = 0) -> frozenset[Class]:
        """The types of attribute `name` of an instance: declared, property, or by the assignments in its class's methods."""
        key = (owner, name)
        if key in self._fields:
            return self._fields[key]
        self._fields[key] = frozenset()
        found: set[Class] = set()
        method = self.classes.method(owner, name)
        if method is not None and method.is_property:
            found |= self.return_types(method, depth)
        for each in self.classes.mro(owner) + self.classes.subclasses(owner)[:20]:
            if found:
                break
            found |= self._own_field_types(each, name, depth)
        if not found and method is None:
            found |= self._forwarded(owner, name, depth)
        self._fields[key] = frozenset(found)
        return self._fields[key]

    def _own_field_types(self, owner: Class, name: str, depth: int) -> set[Class]:
        found: set[Class] = set()
        declared = self.classes.declaration(owner, name)
        if declared is not None:
            statement = owner.file.statement(declared)
            if statement.annotation is not None:
                found |= self.annotated(statement.annotation, owner.file, owner.index, depth)
            elif statement.bindings and statement.bindings[0].value is not None:
                found |= self.types(statement.bindings[0].value, owner.file, owner.index, depth)
        for function, index in self.classes.stores(owner, name):
            statement = owner.file.statement(index)
            if statement.annotation is not None:
                found |= self.annotated(statement.annotation, owner.file, function.index, depth)
            for binding in statement.bindings:
                if (
                    isinstance(binding.target, ir.Attribute)
                    and binding.target.attr == name
                    and binding.value is not None
                ):
                    found |= self.types(binding.value, owner.file, owner.file.outline.statements[index].scope, depth)
        return found

    def proxied(self, owner: Class, name: str, depth: int = 0) -> frozenset[Class]:
        """Where `__getattr__` forwards an attribute that the class itself has not: the classes of the object it asks instead."""
        if self.classes.owners(owner, name) or self.classes.method(owner, name) is not None:
            return frozenset()
        forward = self.classes.method(owner, "__getattr__")
        if forward is None or len(forward.parameters) < 2:
            return frozenset()
        asked = forward.parameters[1].name
        found: set[Class] = set()
        for index in forward.file.own_statements(forward.index):
            if forward.file.outline.statements[index].kind != "return":
                continue
            for value in forward.file.statement(index).values:
                if (
                    isinstance(value, ir.Call)
                    and dotted(value.func) == "getattr"
                    and len(value.args) >= 2
                    and isinstance(value.args[1].value, ir.Name)
                    and value.args[1].value.id == asked
                ):
                    found |= self.types(value.args[0].value, forward.file, forward.index, depth)
        return frozenset(found - {owner})

    def _forwarded(self, owner: Class, name: str, depth: int) -> set[Class]:
        found: set[Class] = set()
        for each in self.proxied(owner, name, depth):
            found |= self.field_types(each, name, depth + 1)
        return found

    def _call(self, expr: ir.Call, file: File, scope: int, depth: int) -> Iterable[Class]:
        name = dotted(expr.func) or ""
        last = name.rpartition(".")[2]
        if name == "super" and not expr.args:
            return ()
        found: set[Class] = set()
        for callable_ in self.callables(expr.func, file, scope, depth):
            if isinstance(callable_.target, Class):
                found.add(callable_.target)
            else:
                found |= self._returned(callable_.target, expr, file, scope, depth)
        if not found and expr.args:
            if last in _SAME_TYPE:
                position = 1 if last == "cast" and len(expr.args) > 1 else 0
                if last == "cast":
                    found |= self.annotated(expr.args[0].value, file, scope, depth)
                return found or self.types(expr.args[position].value, file, scope, depth)
            if last == "getattr" and len(expr.args) >= 2:
                key = expr.args[1].value
                if isinstance(key, ir.Const) and isinstance(key.value, str):
                    for owner in self.types(expr.args[0].value, file, scope, depth):
                        found |= self.field_types(owner, key.value, depth)
        return found

    def _returned(self, function: Function, call: ir.Call, file: File, scope: int, depth: int) -> frozenset[Class]:
        if function.is_class_method and isinstance(call.func, ir.Attribute):
            # `Derived.create()` builds a Derived where create returns cls(...).
            entity = self.names.entity(call.func.base, file, scope)
            found = self.return_types(function, depth)
            if isinstance(entity, Class) and function.owner in found:
                return (found - {function.owner}) | {entity}
            return found
        return self.return_types(function, depth)

    def return_types(self, function: Function, depth: int = 0) -> frozenset[Class]:
        """By annotation, else by the returned expressions."""
        if function in self._returns:
            return self._returns[function]
        self._returns[function] = frozenset()
        found: set[Class] = set()
        if function.scope.returns is not None:
            annotation = function.file.expression(function.scope.returns)
            found |= self.annotated(annotation, function.file, function.scope.parent, depth)
        if not found and depth < _DEPTH:
            for index in function.file.own_statements(function.index):
                if function.file.outline.statements[index].kind == "return":
                    for value in function.file.statement(index).values:
                        found |= self.types(value, function.file, function.index, depth + 1)
        self._returns[function] = frozenset(found)
        return self._returns[function]

    def callables(self, expr: Expr, file: File, scope: int, depth: int = 0) -> tuple[Callable_, ...]:
        """The functions and classes that a called expression may stand for."""
        from sgmem.program.callables import callables

        return callables(self, expr, file, scope, depth)


def entity_callable(entity: Entity | None) -> Class | Function | None:
    return entity if isinstance(entity, Class | Function) else None


__all__ = ["Callable_", "External", "Values", "entity_callable"]
