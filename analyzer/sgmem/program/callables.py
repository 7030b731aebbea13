"""Which functions and classes a called expression may stand for: names, methods, super, partial, aliases, dispatch tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from sgmem.program.access import CLASS, Path, call_members, display_members, item, literal_key, looked_up
from sgmem.program.entities import Callable_, Class, Function, Global, Local, Module
from sgmem.program.files import dotted
from sgmem.program.sources import inner_sources, of_field, of_global, of_parameter, of_result, of_variable
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.program.files import File
    from sgmem.program.sources import Source
    from sgmem.program.values import Values
    from sgmem.syntax.ir import Expr

_MAX_SUBCLASSES = 20
_TRANSPARENT = {
    "staticmethod", "classmethod", "lru_cache", "cache", "jit", "compile", "wraps", "remote", "options", "no_grad",
}  # fmt: skip
"""Functions and methods that hand on the callable they wrap or belong to."""


def resolve(values: Values, expr: Expr, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    """Resolve a called expression, or what `path` picks out of it; nothing where nothing is known.

    Brackets pick from a container; behind a function or class itself they say how it is to run: `kernel[grid](...)`, `Pool[int](...)`.
    """
    found = False
    for one in _resolve(values, expr, file, scope, depth, path):
        found = True
        yield one
    if not found:
        yield from _instances(values, expr, file, scope, depth, path)


def _resolve(values: Values, expr: Expr, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    match expr:
        case ir.Name() | ir.Attribute():
            yield from _named(values, expr, file, scope, depth, path)
        case ir.Call():
            yield from _called(values, expr, file, scope, depth, path)
        case ir.Subscript():
            picked = values.callables(expr.base, file, scope, depth, (item(literal_key(expr.index)), *path))
            yield from picked or (_resolve(values, expr.base, file, scope, depth, ()) if not path else ())
        case ir.Conditional():
            yield from _each(values, (expr.body, expr.orelse), file, scope, depth, path)
        case ir.Boolean():
            yield from _each(values, expr.values, file, scope, depth, path)
        case ir.Walrus():
            yield from values.callables(expr.value, file, scope, depth, path)
        case ir.Collection() | ir.Dict() | ir.Comprehension() if path:
            yield from _each(values, display_members(expr, path[0]), file, scope, depth, path[1:])


def _each(values: Values, exprs: Iterable[Expr], file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    for each in exprs:
        yield from values.callables(each, file, scope, depth, path)


def _instances(values: Values, expr: Expr, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    """An object whose class has a `__call__`."""
    for owner in sorted(values.types(expr, file, scope, depth, path), key=lambda one: one.order):
        method = values.classes.method(owner, "__call__")
        if method is not None:
            yield Callable_(method, 0 if method.is_static else 1)


def _from(values: Values, sources: Iterable[Source], depth: int) -> Iterator[Callable_]:
    """What the sources of a value give: of an annotation, the class that it says is held (`type[A]`)."""
    for source in sources:
        if source.how == "value":
            yield from values.callables(source.expr, source.file, source.scope, depth, source.path)
        elif source.how == "annotation":
            named = values.annotations.read(source.expr, source.file, source.scope, (*source.path, CLASS))
            yield from (Callable_(owner) for owner, rest in named if not rest)


def _named(values: Values, expr: ir.Name | ir.Attribute, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    if isinstance(expr, ir.Name):
        binder = file.binder(expr)
        if binder is not None:
            yield from _from(values, inner_sources(expr, binder, file, scope, path), depth)
            return
    entity = values.names.entity(expr, file, scope)
    if isinstance(entity, Class | Function):
        if not path:
            yield Callable_(entity, _filled_on_class(expr, entity))
    elif isinstance(entity, Global):
        yield from _from(values, of_global(values.names, entity.file, entity.name, path), depth)
    elif isinstance(entity, Local):
        yield from _local(values, entity, depth, path)
    if isinstance(expr, ir.Attribute) and (entity is None or isinstance(entity, Local)):
        yield from _member(values, expr, file, scope, depth, path)


def _filled_on_class(expr: Expr, entity: Class | Function) -> int:
    """`Class.create(...)` fills `cls` of a class method; `Class.method(self, ...)` fills nothing."""
    if not isinstance(expr, ir.Attribute) or isinstance(entity, Class):
        return 0
    return 1 if entity.owner is not None and entity.is_class_method else 0


def _local(values: Values, entity: Local, depth: int, path: Path) -> Iterator[Callable_]:
    """A local holding a callable: through its assignments, its default, its annotation, or a class method's `cls`."""
    file, scope = entity.file, entity.index
    if file.scope(scope).kind == "function":
        function = Function(file, scope)
        if function.is_class_method and function.receiver == entity.name and function.owner is not None and not path:
            yield Callable_(function.owner)
            return
        yield from _from(values, of_parameter(function, entity.name, path), depth)
    yield from _from(values, of_variable(values.names, file, scope, entity.name, path), depth)


# -- members ------------------------------------------------------------------------------------------------------------------


def _member(values: Values, expr: ir.Attribute, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    """`object.name`: super, methods with overrides, fields that hold a callable, `__getattr__` forwarding."""
    if isinstance(expr.base, ir.Call) and dotted(expr.base.func) == "super":
        yield from (Callable_(method, 1) for method in _super(values, expr.attr, file, scope) if not path)
        return
    on_class = _class_itself(values, expr.base, file, scope)
    owners = {on_class} if on_class is not None else values.types(expr.base, file, scope, depth)
    if expr.attr == "__class__" and not path:
        yield from (Callable_(owner) for owner in owners)
        return
    found = False
    for owner in sorted(owners, key=lambda one: one.order):
        for one in _member_of(values, owner, expr.attr, on_class is not None, depth, path):
            found = True
            yield one
    if not found and expr.attr in _TRANSPARENT:
        yield from values.callables(expr.base, file, scope, depth, path)


def _class_itself(values: Values, base: Expr, file: File, scope: int) -> Class | None:
    """The class that an expression names, or that a class method's receiver is."""
    entity = values.names.entity(base, file, scope)
    if isinstance(entity, Class):
        return entity
    if isinstance(entity, Local) and entity.file.scope(entity.index).kind == "function":
        function = Function(entity.file, entity.index)
        if function.is_class_method and function.receiver == entity.name:
            return function.owner
    return None


def _member_of(values: Values, owner: Class, name: str, on_class: bool, depth: int, path: Path) -> Iterator[Callable_]:
    method = values.classes.method(owner, name)
    if method is None:
        yield from _held(values, owner, name, depth, path)
    elif method.is_property:
        yield from _from(values, of_result(method, path), depth)
    elif not path:
        filled = _filled(method, on_class)
        yield Callable_(method, filled)
        for other in values.classes.overrides(owner, name):
            if not on_class or method.is_class_method:
                yield Callable_(other, filled, False)


def _filled(method: Function, on_class: bool) -> int:
    """Whether access on an instance, or on the class, fills the receiver."""
    return 0 if method.is_static or (on_class and not method.is_class_method) else 1


def _held(values: Values, owner: Class, name: str, depth: int, path: Path) -> Iterator[Callable_]:
    """A field that holds a class or function: `factory: type[Record] = Record`, `self.build = build`; else what a subclass defines,
    since a mixin uses what only the classes that mix it in have; else what a proxy forwards to."""
    found = False
    for each in values.classes.mro(owner):
        for one in _from(values, of_field(values.classes, each, name, path), depth):
            found = True
            yield one
    for below in values.classes.subclasses(owner)[:_MAX_SUBCLASSES]:
        yield from _below(values, below, owner, name, found, depth, path)
    for behind in values.proxied(owner, name, depth):
        forwarded = values.classes.method(behind, name)
        if forwarded is not None and not path:
            yield Callable_(forwarded, _filled(forwarded, False), False)


def _below(values: Values, below: Class, owner: Class, name: str, found: bool, depth: int, path: Path) -> Iterator[Callable_]:
    """What a subclass has under a name; if the class itself has it too, only what the subclass puts in its place."""
    method = values.classes.method(below, name)
    if method is not None:
        if not method.is_property and not path:
            yield Callable_(method, _filled(method, False), False)
        return
    above = values.classes.mro(owner)
    for each in values.classes.mro(below)[: 1 if found else None]:
        if each not in above:
            for one in _from(values, of_field(values.classes, each, name, path), depth):
                yield Callable_(one.target, one.filled, False)


def _super(values: Values, name: str, file: File, scope: int) -> list[Function]:
    """`super().name`: the next definition for the class itself and, in a mixin, for each class that mixes it in."""
    index = scope
    while index > 0 and file.scope(file.scope(index).parent).kind != "class":
        index = file.scope(index).parent
    if index <= 0:
        return []
    current = Class(file, file.scope(index).parent)
    owners = (current, *values.classes.subclasses(current))
    found = (values.classes.method_after(owner, current, name) for owner in owners)
    return list(dict.fromkeys(method for method in found if method is not None))


# -- calls --------------------------------------------------------------------------------------------------------------------


def _called(values: Values, call: ir.Call, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    """A call that yields a callable: partial, a transparent wrapper, `type(self)`, table.get(key), getattr by literal name, a
    function that returns one."""
    func = call.func
    last = func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else ""
    if last == "partial" and call.args and not path:
        given = sum(1 for argument in call.args[1:] if argument.keyword is None and not argument.star)
        for one in values.callables(call.args[0].value, file, scope, depth):
            yield Callable_(one.target, one.filled + given, one.certain)
    elif last == "type" and len(call.args) == 1 and not path:
        yield from (Callable_(owner) for owner in values.types(call.args[0].value, file, scope, depth))
    elif last == "getattr" and len(call.args) >= 2:
        yield from _by_literal_name(values, call, file, scope, depth, path)
    else:
        yield from _results(values, call, file, scope, depth, path)
        for value, inside in call_members(call, path):
            yield from values.callables(value, file, scope, depth, inside)
        if last in _TRANSPARENT:
            yield from _each(values, (argument.value for argument in call.args), file, scope, depth, path)
            if isinstance(func, ir.Attribute):  # Actor.options(...)
                yield from values.callables(func.base, file, scope, depth, path)


def _by_literal_name(values: Values, call: ir.Call, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    base, key = call.args[0].value, literal_key(call.args[1].value)
    if not isinstance(key, str):
        return
    entity = values.names.entity(base, file, scope)
    if isinstance(entity, Module):
        member = values.names.member(entity, key)
        if isinstance(member, Class | Function) and not path:
            yield Callable_(member)
        return
    attribute = ir.Attribute(call.span, base, key, call.args[1].value.span)
    yield from _member(values, attribute, file, scope, depth, path)


def _results(values: Values, call: ir.Call, file: File, scope: int, depth: int, path: Path) -> Iterator[Callable_]:
    """What the functions that a call enters return."""
    for one in values.callables(call.func, file, scope, depth):
        if isinstance(one.target, Function):
            sources = (_asked(source, one, call) for source in of_result(one.target, path))
            yield from _from(values, sources, depth)


def _asked(source: Source, one: Callable_, call: ir.Call) -> Source:
    """Of a function that looks up in a table what its caller asks for, `return TABLE[kind]`, the entry that this call names."""
    lookup = looked_up(source.expr)
    if lookup is None or source.how != "value" or not isinstance(one.target, Function):
        return source
    table, name = lookup
    places = [parameter.name for parameter in one.target.parameters if parameter.kind in ("positional", "normal")]
    positional = [argument.value for argument in call.args if argument.keyword is None and not argument.star]
    given = dict(zip(places[one.filled :], positional, strict=False))
    given |= {argument.keyword: argument.value for argument in call.args if argument.keyword is not None}
    key = literal_key(given[name]) if name in given and one.target.parameter(name) is not None else None
    return source if key is None else structs.replace(source, expr=table, path=(item(key), *source.path))
