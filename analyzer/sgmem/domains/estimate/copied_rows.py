"""Pools that keep copies of another pool's rows, and work out how long a row is from other fields than the other pool makes it of.

The device pool makes rows of `self.row_dim`, which is `rank + rope_dim` or something that was given; the host pool charges
`device_pool.rank + device_pool.rope_dim`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.ranks.groups import spelled
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.books import Books
    from sgmem.program.file import File
    from sgmem.syntax.ir import Expr

_ESTIMATE = re.compile(r"_?(?:get_)?(?:size|bytes)_per_token")
_TEXT = r"\b_?(?:get_)?(?:size|bytes)_per_token\b"


class CopiedRow(msgspec.Struct, frozen=True):
    """`estimate` of `owner` goes by `parts` of `source`, which makes its rows, at `buffer`, of `dimension`, decided at `decided`."""

    owner: str
    source: str
    parts: tuple[str, ...]
    dimension: str
    estimate: Location
    decided: Location
    buffer: Location


def copied_rows(books: Books) -> Iterator[CopiedRow]:
    """Every estimate of a class that copies, once."""
    for path in books.program.files.with_text(_TEXT, words=r"_per_token\b"):
        file = books.program.files.get(path)
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "function" and _ESTIMATE.fullmatch(scope.name):
                function = Function(file, index)
                if function.owner is not None:
                    yield from _of_estimate(books, function, function.owner)


def _of_estimate(books: Books, estimate: Function, owner: Class) -> Iterator[CopiedRow]:
    text = owner.file.source.slice(owner.scope.span)
    for held, source in _held(books, owner):
        parts = tuple(sorted(set(re.findall(rf"\bself\.{held}\.(\w+)", owner.file.source.slice(estimate.scope.span)))))
        for dimension, decided, buffer in _dimensions(books, source) if len(parts) > 1 else ():
            file, at, value = decided
            named = {spelled(node) for node in ir.walk(value)}
            known = tuple(part for part in parts if part in named)
            if len(known) > 1 and dimension not in text:
                place = _returned(estimate)
                if place is not None:
                    yield CopiedRow(owner.name, source.name, known, dimension, place, Location(file, at, value.span), buffer)
                    return


def _held(books: Books, owner: Class) -> Iterator[tuple[str, Class]]:
    """The pools that objects of a class hold, by the annotations of its body and of its constructor's parameters."""
    found: dict[str, ir.Span] = {}
    constructor = books.program.classes.method(owner, "__init__")
    if constructor is not None and constructor.file is owner.file:
        found |= {one.name: one.annotation for one in constructor.parameters if one.annotation is not None}
    for name, annotation in found.items():
        expr = owner.file.expression(annotation)
        entity = books.program.names.entity(expr, owner.file, owner.scope.parent)
        if isinstance(entity, Class) and name.endswith("pool"):
            yield name, entity


def _dimensions(books: Books, source: Class) -> Iterator[tuple[str, tuple[File, int, Expr], Location]]:
    """The dimensions of a pool's buffers that are fields with alternatives: where that is decided, and the buffer."""
    for each in books.program.classes.mro(source):
        for index in each.file.children(each.index).values():
            for statement in each.file.own_statements(index) if each.file.scope(index).kind == "function" else ():
                if "(self." not in each.file.own_text(statement).replace(" ", ""):
                    continue
                for root in each.file.statement(statement).expressions():
                    for node in ir.walk(root):
                        for one in _fields(books, node):
                            yield from _decided(books, source, one, Location(each.file, statement, node.span))


def _fields(books: Books, node: Expr) -> Iterator[str]:
    """The fields of the object among the dimensions that a call allocates, but the first."""
    if (
        isinstance(node, ir.Call)
        and node.args
        and any(row.kind == "tensor" for row in books.models.sinks.rows_for_name(last_name(node)))
    ):
        shape = node.args[0].value
        for one in shape.items[1:] if isinstance(shape, ir.Collection) else ():
            if isinstance(one, ir.Attribute) and isinstance(one.base, ir.Name) and one.base.id == "self":
                yield one.attr


def _decided(books: Books, source: Class, name: str, buffer: Location) -> Iterator[tuple[str, tuple[File, int, Expr], Location]]:
    for each in books.program.classes.mro(source):
        for method, index in books.program.classes.stores(each, name):
            for binding in method.file.statement(index).bindings:
                if isinstance(binding.value, ir.Conditional | ir.Boolean):
                    yield name, (method.file, index, binding.value), buffer


def _returned(estimate: Function) -> Location | None:
    """The product that an estimate returns."""
    for index in estimate.file.own_statements(estimate.index):
        if estimate.file.outline.statements[index].kind == "return" and "*" in estimate.file.own_text(index):
            return of_statement(estimate.file, index)
    return None
