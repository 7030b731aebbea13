"""Which functions and classes a called expression may stand for: names, methods, super, partial, aliases, dispatch tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.entities import Class, Function, Global, Local
from sgmem.program.files import File, dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.values import Callable_, Values
    from sgmem.syntax.ir import Expr

_MAX_DEPTH = 7
_TRANSPARENT = {
    "staticmethod",
    "classmethod",
    "lru_cache",
    "cache",
    "jit",
    "compile",
    "wraps",
    "remote",
    "options",
    "no_grad",
}


def callables(values: Values, expr: Expr, file: File, scope: int, depth: int = 0) -> tuple[Callable_, ...]:
    """Resolve a called expression; empty where nothing is known."""
    if depth > _MAX_DEPTH:
        return ()
    found = dict.fromkeys(_resolve(values, expr, file, scope, depth + 1))
    return tuple(found)


def _resolve(values: Values, expr: Expr, file: File, scope: int, depth: int) -> list[Callable_]:
    from sgmem.program.values import Callable_

    match expr:
        case ir.Name() | ir.Attribute():
            entity = values.names.entity(expr, file, scope)
            if isinstance(entity, Class):
                return [Callable_(entity)]
            if isinstance(entity, Function):
                return [Callable_(entity, _filled_on_class(values, expr, entity, file, scope))]
            if isinstance(entity, Local | Global):
                found = _variable(values, entity, depth)
                if found or isinstance(expr, ir.Name):
                    return found
            if isinstance(expr, ir.Attribute):
                return _member(values, expr, file, scope, depth)
        case ir.Call():
            return _called(values, expr, file, scope, depth)
        case ir.Conditional():
            return [
                *_resolve(values, expr.body, file, scope, depth),
                *_resolve(values, expr.orelse, file, scope, depth),
            ]
        case ir.Boolean():
            return [one for value in expr.values for one in _resolve(values, value, file, scope, depth)]
        case ir.Subscript():
            return [
                one
                for value in _table(values, expr.base, expr.index, file, scope)
                for one in callables(values, *value, depth)
            ]
    return []


def _filled_on_class(values: Values, expr: Expr, function: Function, file: File, scope: int) -> int:
    """`Class.create(...)` fills `cls` of a class method; `Class.method(self, ...)` fills nothing."""
    return 1 if isinstance(expr, ir.Attribute) and function.owner is not None and function.is_class_method else 0


def _variable(values: Values, entity: Local | Global, depth: int) -> list[Callable_]:
    """A local or global holding a callable: through its assignments, or a class method's `cls`."""
    from sgmem.program.values import Callable_

    file, scope = entity.file, entity.index if isinstance(entity, Local) else 0
    row = file.scope(scope)
    if row.kind == "function":
        function = Function(file, scope)
        if function.is_class_method and function.receiver == entity.name and function.owner is not None:
            return [Callable_(function.owner)]
        parameter = function.parameter(entity.name)
        if parameter is not None and parameter.default is not None:
            return _resolve(values, file.expression(parameter.default), file, row.parent, depth)
    found: list[Callable_] = []
    for index in values.names.bindings(file, scope, entity.name):
        for binding in file.statement(index).bindings:
            if (
                isinstance(binding.target, ir.Name)
                and binding.value is not None
                and binding.how in ("assign", "annotate")
            ):
                found += callables(values, binding.value, file, scope, depth)
    return found


def _called(values: Values, call: ir.Call, file: File, scope: int, depth: int) -> list[Callable_]:
    """A call that yields a callable: partial, a transparent wrapper, `type(self)`, table.get(key), getattr by literal name."""
    from sgmem.program.values import Callable_

    last = (dotted(call.func) or "").rpartition(".")[2]
    if not last and isinstance(call.func, ir.Attribute):
        last = call.func.attr
    if last == "partial" and call.args:
        given = sum(1 for argument in call.args[1:] if argument.keyword is None and not argument.star)
        inner = callables(values, call.args[0].value, file, scope, depth)
        return [Callable_(one.target, one.filled + given, one.certain) for one in inner]
    if last == "type" and len(call.args) == 1:
        return [Callable_(owner) for owner in values.types(call.args[0].value, file, scope, depth)]
    if last == "get" and isinstance(call.func, ir.Attribute) and call.args:
        rows = _table(values, call.func.base, call.args[0].value, file, scope)
        defaults = [(argument.value, file, scope) for argument in call.args[1:2]]
        return [one for row in [*rows, *defaults] for one in callables(values, *row, depth)]
    if last in _TRANSPARENT:
        inner_calls = [one for argument in call.args for one in callables(values, argument.value, file, scope, depth)]
        if inner_calls:
            return inner_calls
        if isinstance(call.func, ir.Attribute):  # Actor.options(...).remote style wrappers
            return list(callables(values, call.func.base, file, scope, depth))
    if last == "getattr" and len(call.args) >= 2:
        key = call.args[1].value
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            return _member(values, ir.Attribute(call.span, call.args[0].value, key.value, key.span), file, scope, depth)
    return []


def _table(values: Values, base: Expr, index: Expr, file: File, scope: int) -> list[tuple[Expr, File, int]]:
    """The entries of a dict or list display that a subscript may pick: by literal key, else all of them."""
    rows: list[tuple[Expr, File, int]] = []
    for display, where, inner in _displays(values, base, file, scope):
        if isinstance(display, ir.Collection):
            rows += [(item, where, inner) for item in display.items]
        elif isinstance(display, ir.Dict):
            literal = index.value if isinstance(index, ir.Const) else None
            exact = [
                v for k, v in display.items if literal is not None and isinstance(k, ir.Const) and k.value == literal
            ]
            rows += [(v, where, inner) for v in exact or [v for _, v in display.items]]
    return rows


def _displays(values: Values, base: Expr, file: File, scope: int) -> list[tuple[Expr, File, int]]:
    if isinstance(base, ir.Dict | ir.Collection):
        return [(base, file, scope)]
    found: list[tuple[Expr, File, int]] = []
    entity = values.names.entity(base, file, scope)
    if isinstance(entity, Local | Global):
        index = entity.index if isinstance(entity, Local) else 0
        for statement in values.names.bindings(entity.file, index, entity.name):
            for binding in entity.file.statement(statement).bindings:
                if isinstance(binding.value, ir.Dict | ir.Collection):
                    found.append((binding.value, entity.file, index))
    elif isinstance(base, ir.Attribute):
        for owner in values.types(base.base, file, scope):
            for each in values.classes.mro(owner):
                declared = values.classes.declaration(each, base.attr)
                rows = [(s, f.index) for f, s in values.classes.stores(each, base.attr)]
                for statement, inner in [*rows, *([(declared, each.index)] if declared is not None else [])]:
                    for binding in each.file.statement(statement).bindings:
                        if isinstance(binding.value, ir.Dict | ir.Collection):
                            found.append((binding.value, each.file, inner))
    return found


def _member(values: Values, expr: ir.Attribute, file: File, scope: int, depth: int) -> list[Callable_]:
    """`object.name(...)`: super, methods with overrides, fields that hold a callable, `__getattr__` forwarding."""
    from sgmem.program.values import Callable_

    if isinstance(expr.base, ir.Call) and dotted(expr.base.func) == "super":
        return [Callable_(method, 1) for method in _super(values, expr.attr, file, scope)]
    owners = values.types(expr.base, file, scope, depth)
    if not owners and isinstance(expr.base, ir.Name):
        owners = _class_receiver(values, expr.base, file, scope)
    found: list[Callable_] = []
    for owner in owners:
        method = values.classes.method(owner, expr.attr)
        if method is not None and not method.is_property:
            filled = 0 if method.is_static else 1
            found.append(Callable_(method, filled))
            found += [Callable_(other, filled, False) for other in values.classes.overrides(owner, expr.attr)]
        elif method is None:
            found += _mixed_in(values, owner, expr.attr) or _held(values, owner, expr.attr, depth)
            for behind in values.proxied(owner, expr.attr, depth):
                forwarded = values.classes.method(behind, expr.attr)
                if forwarded is not None:
                    found.append(Callable_(forwarded, 1, False))
    return found


def _class_receiver(values: Values, name: ir.Name, file: File, scope: int) -> frozenset[Class]:
    entity = values.names.lookup(file, scope, name.id)
    if isinstance(entity, Local) and entity.file.scope(entity.index).kind == "function":
        function = Function(entity.file, entity.index)
        if function.is_class_method and function.receiver == name.id and function.owner is not None:
            return frozenset({function.owner})
    return frozenset()


def _super(values: Values, name: str, file: File, scope: int) -> list[Function]:
    """`super().name`: the next definition for the class itself and, in a mixin, for each class that mixes it in."""
    index = scope
    while index > 0 and file.scope(file.scope(index).parent).kind != "class":
        index = file.scope(index).parent
    if index <= 0:
        return []
    current = Class(file, file.scope(index).parent)
    found: dict[Function, None] = {}
    for owner in (current, *values.classes.subclasses(current)):
        method = values.classes.method_after(owner, current, name)
        if method is not None:
            found[method] = None
    return list(found)


def _mixed_in(values: Values, owner: Class, name: str) -> list[Callable_]:
    """A mixin may call what only the classes that mix it in define."""
    from sgmem.program.values import Callable_

    found: dict[Function, None] = {}
    for below in values.classes.subclasses(owner):
        method = values.classes.method(below, name)
        if method is not None and not method.is_property:
            found[method] = None
    return [Callable_(method, 0 if method.is_static else 1, False) for method in found]


def _held(values: Values, owner: Class, name: str, depth: int) -> list[Callable_]:
    """A field that holds a class or function: `factory: type[Record] = Record`, `self.build = build`."""
    found: list[Callable_] = []
    for each in values.classes.mro(owner):
        declared = values.classes.declaration(each, name)
        rows = [(s, each.file.outline.statements[s].scope) for _, s in values.classes.stores(each, name)]
        for statement, scope in [*rows, *([(declared, each.index)] if declared is not None else [])]:
            for binding in each.file.statement(statement).bindings:
                if binding.value is not None:
                    found += callables(values, binding.value, each.file, scope, depth)
    return found
