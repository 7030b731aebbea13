"""Tables of a pool that are addressed by the numbers its base class hands out, and have as many rows as there are of something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import given, spelled
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.file import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_ALLOCATES = frozenset({"zeros", "ones", "empty", "full"})
_TAKES = r"super\(\)\.alloc\w*\("


class ForeignRows(msgspec.Struct, frozen=True):
    """`rows` of `table`, which are `counted`, are addressed at `indexed` by numbers below `handed_out`, given to the base class."""

    table: str
    counted: str
    handed_out: str
    rows: Location
    indexed: Location
    size: Location


def foreign_rows(program: Program) -> Iterator[ForeignRows]:
    """Every such table, once."""
    for path in program.files.with_text(_TAKES, begins=("super().alloc",)):
        file = program.files.get(path)
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "class" and re.search(_TAKES, file.source.slice(scope.span)):
                yield from _of_class(program, Class(file, index))


def _of_class(program: Program, owner: Class) -> Iterator[ForeignRows]:
    file = owner.file
    constructor = program.classes.method(owner, "__init__")
    base = _size_of_base(constructor) if constructor is not None and constructor.file is file else None
    if constructor is None or base is None:
        return
    seen: set[str] = set()
    for name, scope in file.children(owner.index).items():
        if file.scope(scope).kind == "function":
            for table, indexed in _indexed(file, Function(file, scope)):
                made = _made(program, owner, table) if table not in seen else None
                counted = _counted(program, owner, constructor, made[0], made[1]) if made is not None and name else None
                if made is not None and counted is not None and counted != base[0]:
                    seen.add(table)
                    yield ForeignRows(table, counted, base[0], Location(file, made[2], made[1].span), indexed, base[1])


def _size_of_base(constructor: Function) -> tuple[str, Location] | None:
    """The parameter that a constructor hands to its base class as the size."""
    file = constructor.file
    for index in file.own_statements(constructor.index):
        if "super().__init__(" not in file.own_text(index):
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and last_name(node) == "__init__":
                    for argument in node.args:
                        if argument.keyword == "size" and isinstance(argument.value, ir.Name):
                            return argument.value.id, Location(file, index, argument.value.span)
    return None


def _indexed(file: File, method: Function) -> Iterator[tuple[str, Location]]:
    """The tables of the object that a method addresses by what the base class handed out."""
    taken: set[str] = set()
    for index in file.own_statements(method.index):
        lowered = file.statement(index) if re.search(rf"{_TAKES}|self\.\w+\[", file.own_text(index)) else None
        for binding in lowered.bindings if lowered is not None else ():
            if isinstance(binding.value, ir.Call) and last_name(binding.value).startswith("alloc") and _is_super(binding.value.func):
                taken |= {one.id for one in assigned(binding.target) if isinstance(one, ir.Name)}
        for root in lowered.expressions() if lowered is not None and taken else ():
            for node in ir.walk(root):
                if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Name) and node.index.id in taken:
                    if isinstance(node.base, ir.Attribute) and spelled(node.base.base) == method.receiver:
                        yield node.base.attr, Location(file, index, node.span)


def _is_super(func: Expr) -> bool:
    return isinstance(func, ir.Attribute) and isinstance(func.base, ir.Call) and last_name(func.base) == "super"


def _made(program: Program, owner: Class, table: str) -> tuple[Function, ir.Name, int] | None:
    """The method that makes a table, the local that is its first dimension, and the statement."""
    for method, index in program.classes.stores(owner, table):
        for binding in method.file.statement(index).bindings:
            for node in ir.walk(binding.value) if binding.value is not None else ():
                if isinstance(node, ir.Call) and last_name(node) in _ALLOCATES and node.args:
                    shape = node.args[0].value
                    first = shape.items[0] if isinstance(shape, ir.Collection) and shape.items else shape
                    if isinstance(first, ir.Name):
                        return method, first, index
    return None


def _counted(program: Program, owner: Class, constructor: Function, method: Function, rows: ir.Name) -> str | None:
    """The constructor's parameter that a number of rows is, itself or handed to the method that makes the table."""
    if method.parameter(rows.id) is None or any(given(rows.id, method.file, at) for at in _assignments(program, method, rows.id)):
        return None
    if method == constructor:
        return rows.id
    for index in constructor.file.own_statements(constructor.index):
        if f"self.{method.name}(" not in constructor.file.own_text(index):
            continue
        for root in constructor.file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and last_name(node) == method.name:
                    for argument in node.args:
                        if argument.keyword == rows.id and isinstance(argument.value, ir.Name):
                            known = constructor.parameter(argument.value.id)
                            return argument.value.id if known is not None else None
    return None


def _assignments(program: Program, method: Function, name: str) -> list[int]:
    return [at for at in program.names.bindings(method.file, method.index, name) if method.file.outline.statements[at].kind == "assign"]
