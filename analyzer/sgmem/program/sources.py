"""Where the value of a variable, a parameter or a field comes from: the expressions that are assigned to it, and its annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.program.access import EACH, Path, literal_key, may_be, target_paths
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.program.classes import Classes
    from sgmem.program.entities import Class, Function
    from sgmem.program.files import File
    from sgmem.program.inner import Binder
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Binding, Expr

How = Literal["value", "annotation", "entered", "caught"]


class Source(msgspec.Struct, frozen=True):
    """An expression that gives a value, or with `path` a part of it.

    `how` says what is given: the value of the expression, an instance of what it names as an annotation, what entering it as a
    context manager gives, or an exception of the class it names.
    """

    expr: Expr
    file: File
    scope: int
    path: Path
    how: How = "value"


def inner_sources(name: ir.Name, binder: Binder, file: File, scope: int, path: Path) -> Iterator[Source]:
    """What gives the variable of a comprehension its value: the elements of what is iterated over; nothing known for a lambda."""
    if isinstance(binder, ir.Clause):
        for inside in target_paths(binder.target, lambda target: is_name(target, name.id)):
            yield Source(binder.iterable, file, scope, (EACH, *inside, *path))


def of_variable(names: Names, file: File, scope: int, name: str, path: Path) -> Iterator[Source]:
    """What the assignments of a scope give a variable, whatever their order."""
    for index in names.bindings(file, scope, name):
        statement = file.statement(index)
        if statement.annotation is not None:
            yield Source(statement.annotation, file, scope, path, "annotation")
        for binding in statement.bindings:
            yield from _of_binding(binding, lambda target: is_name(target, name), file, scope, path)
        for root in statement.expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Walrus) and node.target.id == name:
                    yield Source(node.value, file, scope, path)
    if path:
        yield from _of_items(file, scope, name, path)


def of_global(names: Names, file: File, name: str, path: Path) -> Iterator[Source]:
    """What a module and the functions that declare the name `global` give a module's variable."""
    yield from of_variable(names, file, 0, name, path)
    for index in file.mentions(name):
        row = file.shape(index)
        if row.kind == "global" and name in row.names and row.scope > 0:
            yield from of_variable(names, file, row.scope, name, path)


def of_parameter(function: Function, name: str, path: Path) -> Iterator[Source]:
    """A parameter's annotation and default."""
    parameter = function.parameter(name)
    if parameter is None:
        return
    file, around = function.file, function.scope.parent
    inside: Path | None = path
    if parameter.kind in ("star", "double-star"):  # the annotation is that of one argument
        inside = path[1:] if path and (parameter.kind == "star" or path[0] != EACH) else None
    if parameter.annotation is not None and inside is not None:
        yield Source(file.expression(parameter.annotation), file, around, inside, "annotation")
    if parameter.default is not None:
        yield Source(file.expression(parameter.default), file, around, path)


def of_field(classes: Classes, owner: Class, name: str, path: Path) -> Iterator[Source]:
    """What a class itself declares and stores as a field of its instances."""
    file = owner.file
    rows = [(index, file.outline.statements[index].scope) for _, index in classes.stores(owner, name)]
    declared = classes.declaration(owner, name)
    if declared is not None:
        rows.insert(0, (declared, owner.index))
    for index, scope in rows:
        statement = file.statement(index)
        if statement.annotation is not None:
            yield Source(statement.annotation, file, scope, path, "annotation")
        for binding in statement.bindings:
            yield from _of_binding(binding, lambda target: _is_field(target, name), file, scope, path)


def of_result(function: Function, path: Path) -> Iterator[Source]:
    """What a function returns: its annotation and the returned expressions."""
    file = function.file
    if function.scope.returns is not None:
        yield Source(file.expression(function.scope.returns), file, function.scope.parent, path, "annotation")
    for index in file.own_statements(function.index, "return"):
        for value in file.statement(index).values:
            yield Source(value, file, function.index, path)


def _of_binding(binding: Binding, wanted: Callable[[Expr], bool], file: File, scope: int, path: Path) -> Iterator[Source]:
    value = binding.value
    if value is None or binding.how in ("augment", "delete"):
        return
    for inside in target_paths(binding.target, wanted):
        whole = (*inside, *path)
        if binding.how == "iterate":
            yield Source(value, file, scope, (EACH, *whole))
        elif binding.how == "enter":
            yield Source(value, file, scope, whole, "entered")
        elif binding.how == "catch":
            yield Source(value, file, scope, whole, "caught")
        else:
            yield Source(value, file, scope, whole)


def _of_items(file: File, scope: int, name: str, path: Path) -> Iterator[Source]:
    """What is put into a container under a key: `table["k"] = value`."""
    for index in file.mentions_in(scope, name):
        if file.outline.statements[index].kind != "assign":
            continue
        for binding in file.statement(index).bindings:
            target = binding.target
            if isinstance(target, ir.Subscript) and is_name(target.base, name) and binding.value is not None:
                key = literal_key(target.index)
                if path[0] == EACH or may_be(path[0][1], key):
                    yield Source(binding.value, file, scope, path[1:])


def is_name(target: Expr, name: str) -> bool:
    return isinstance(target, ir.Name) and target.id == name


def _is_field(target: Expr, name: str) -> bool:
    return (isinstance(target, ir.Attribute) and target.attr == name) or is_name(target, name)
