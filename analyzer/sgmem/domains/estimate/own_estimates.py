"""Pools that say themselves what a token takes, and allocate a dimension that they do not say: the class's own method or field of bytes
per token, beside the shapes of the class's own buffers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.estimate.made_of import MadeOf
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.books import Books
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_WORD = r"_?(?:get_)?(?:size|bytes)_per_token"
_DEFINED = re.compile(rf"\bdef\s+({_WORD})\(|\bself\.({_WORD})\s*=[^=]")
_COUNT = re.compile(r"(?:^|_)(?:size|page_num|num_pages|num_tokens|max_tokens)$")
_GRANULE = re.compile(r"(?:^|_)page_size$")
_ALLOCATES = re.compile(r"^_?alloc")


class OwnUncharged(msgspec.Struct, frozen=True):
    """Objects of `owner` allocate `buffer` with the dimension `name`; their own `estimate`, which knows `charged`, leaves it out."""

    owner: str
    name: str
    charged: tuple[str, ...]
    estimate: Location
    buffer: Location


def own_uncharged(books: Books) -> Iterator[OwnUncharged]:
    """Every such dimension of a program, once for each estimate."""
    seen: set[tuple[Location, str]] = set()
    for path in books.program.files.with_text(r"\b_?(?:get_)?(?:size|bytes)_per_token\b", words=r"_per_token\b"):
        file = books.program.files.get(path)
        names = {a or b for a, b in _DEFINED.findall(file.source.text)} if file is not None else set()
        for index, scope in enumerate(file.outline.scopes) if file is not None and names else ():
            if file is not None and scope.kind == "class":
                for found in _of_class(books, Class(file, index), names):
                    if (found.estimate, found.name) not in seen:
                        seen.add((found.estimate, found.name))
                        yield found


def _of_class(books: Books, owner: Class, names: set[str]) -> Iterator[OwnUncharged]:
    """What the class, and the classes derived from it, allocate beyond an estimate that it defines."""
    own = [name for name in sorted(names) if _defines(books, owner, name)]
    own = [name for name in own if _estimate(books, MadeOf(books.program, owner), owner, name)[0] is not None]
    for each in (owner, *books.program.classes.subclasses(owner)) if own else ():
        for name in own:
            yield from _compared(books, each, name)


def _defines(books: Books, owner: Class, name: str) -> bool:
    return owner.file.child(owner.index, name) is not None or bool(books.program.classes.stores(owner, name))


def _compared(books: Books, owner: Class, name: str) -> Iterator[OwnUncharged]:
    made = MadeOf(books.program, owner)
    at, charged = _estimate(books, made, owner, name)
    if at is None or made.opaque or not charged:
        return
    for buffer, dimensions in _buffers(books, owner):
        shape = [(leaf, made.names(leaf, buffer.file, buffer.file.outline.statements[buffer.statement].scope)) for leaf in dimensions]
        counts = [leaf for leaf, of in shape if _is_count(leaf, of)]
        known = {one for _, of in shape for one in of if one in charged}
        if not counts or not known or made.opaque:
            continue
        for leaf, of in shape:
            word = _last(leaf)
            if leaf not in counts and not _GRANULE.search(word) and of and not of & charged:
                yield OwnUncharged(owner.name, word, tuple(sorted(known)), at, buffer)


def _estimate(books: Books, made: MadeOf, owner: Class, name: str) -> tuple[Location | None, set[str]]:
    """Where the bytes of a token are worked out for an object of a class, and all that they are made of."""
    values: list[tuple[File, int, Expr]] = []
    method = books.program.classes.method(owner, name)
    if method is not None:
        file = method.file
        values = [
            (file, index, value)
            for index in file.own_statements(method.index)
            if file.outline.statements[index].kind == "return"
            for value in file.statement(index).values
        ]
    else:
        for each in books.program.classes.mro(owner):
            for _, index in books.program.classes.stores(each, name):
                values += [(each.file, index, b.value) for b in each.file.statement(index).bindings if b.value is not None]
    found: set[str] = set()
    place: Location | None = None
    for file, index, value in values:
        found |= made.names(value, file, file.outline.statements[index].scope)
        if any(isinstance(node, ir.Binary) and node.operator == "*" for node in ir.walk(value)):
            place = of_statement(file, index)
    return place, found


def _buffers(books: Books, owner: Class) -> Iterator[tuple[Location, list[Expr]]]:
    """What an object's own methods allocate: the place, and the names and attributes that the shape is made of."""
    for each in books.program.classes.mro(owner):
        for name, index in each.file.children(each.index).items():
            function = Function(each.file, index)
            if each.file.scope(index).kind != "function" or books.program.classes.method(owner, name) != function:
                continue
            for statement in each.file.own_statements(index):
                if "dtype" in each.file.own_text(statement):  # as it says of every tensor that is looked at
                    yield from _allocated(books, function, statement)


def _allocated(books: Books, function: Function, statement: int) -> Iterator[tuple[Location, list[Expr]]]:
    file = function.file
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            if not isinstance(node, ir.Call) or not node.args or not _is_allocation(books, node):
                continue
            for shape in _shapes(books, function, node.args[0].value):
                leaves = [leaf for item in shape.items for leaf in _leaves(item)]
                yield Location(file, file.statement_at(shape.span.line, shape.span.column), shape.span), leaves


def _is_allocation(books: Books, call: ir.Call) -> bool:
    last = last_name(call)
    typed = any(argument.keyword == "dtype" for argument in call.args)
    return typed and (_ALLOCATES.match(last) is not None or any(row.kind == "tensor" for row in books.models.sinks.rows_for_name(last)))


def _shapes(books: Books, function: Function, given: Expr) -> Iterator[ir.Collection]:
    """The tuples that a shape is given by: itself, or those that the function's local may hold."""
    if isinstance(given, ir.Collection):
        yield given
    elif isinstance(given, ir.Name):
        for index in books.program.names.bindings(function.file, function.index, given.id):
            for binding in function.file.statement(index).bindings:
                if isinstance(binding.value, ir.Collection):
                    yield binding.value


def _leaves(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, ir.Name | ir.Attribute):
        yield expr
    elif isinstance(expr, ir.Binary):
        yield from _leaves(expr.left)
        if expr.operator not in ("//", "/", "%"):
            yield from _leaves(expr.right)


def _is_count(leaf: Expr, of: set[str]) -> bool:
    word = _last(leaf)
    return (_COUNT.search(word) is not None and not _GRANULE.search(word)) or any(one.endswith("_per_token") for one in of)


def _last(leaf: Expr) -> str:
    return leaf.attr if isinstance(leaf, ir.Attribute) else leaf.id if isinstance(leaf, ir.Name) else ""
