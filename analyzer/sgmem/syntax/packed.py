"""Statements of the intermediate representation as bytes, and back: nodes that were one node are one node again.

A statement becomes a table of rows, parts before what they are parts of: the number of the node's class, then its fields, in
which other nodes are named by their row. So nothing here recurses, however deep an expression is.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.syntax import ir
from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.syntax.ir import Expr, Statement

_CLASSES: tuple[type[msgspec.Struct], ...] = (
    ir.Const, ir.Name, ir.Attribute, ir.Subscript, ir.Argument, ir.Call, ir.Binary, ir.Unary, ir.Boolean, ir.Compare, ir.Conditional,
    ir.Collection, ir.Dict, ir.Starred, ir.Lambda, ir.Clause, ir.Comprehension, ir.Walrus, ir.Await, ir.Yield, ir.Format, ir.Slice,
    ir.Opaque, ir.Binding, ir.Statement,
)  # fmt: skip


class Unpackable(Exception):
    """A value that has no spelling in bytes (an imaginary number, an integer of hundreds of digits), or bytes that are no node."""


def packed(root: Expr | Statement) -> bytes:
    """The bytes of a statement or expression. Raises `Unpackable`."""
    numbers: dict[int, int] = {}
    rows: list[list[Any]] = []
    for node in _parts_first(root):
        code = _CODES[type(node)]
        values = (getattr(node, name) for name in node.__struct_fields__)
        rows.append([code, *(field.pack(value, numbers) for field, value in zip(_FIELDS[code], values, strict=True))])
        numbers[id(node)] = len(rows) - 1
    try:
        return _ENCODER.encode(rows)
    except (TypeError, OverflowError, UnicodeEncodeError, NotImplementedError) as error:
        raise Unpackable(str(error)) from None


def unpacked(data: bytes | msgspec.Raw) -> Expr | Statement:
    """The statement or expression that `packed` made bytes of. Raises `Unpackable`."""
    nodes: list[Any] = []
    try:
        for code, *values in _DECODER.decode(data):
            fields = _FIELDS[code]
            nodes.append(_CLASSES[code](*(field.unpack(value, nodes) for field, value in zip(fields, values, strict=True))))
        root: Expr | Statement = nodes[-1]
    except (msgspec.DecodeError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise Unpackable(str(error)) from None
    if not isinstance(root, ir.Expr | ir.Statement):
        raise Unpackable("neither a statement nor an expression")
    return root


def _parts_first(root: Any) -> Iterator[Any]:
    """Every node below `root` once, each after the nodes that it holds."""
    seen: set[int] = set()
    pending = [(root, False)]
    while pending:
        node, parts_done = pending.pop()
        if parts_done:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            pending.append((node, True))
            for name, field in zip(node.__struct_fields__, _FIELDS[_CODES[type(node)]], strict=True):
                pending.extend((part, False) for part in field.parts(getattr(node, name)))


class _Field(msgspec.Struct, frozen=True):
    """How the values of one kind of field are taken apart and put together; `numbers` are the rows by identity."""

    parts: Callable[[Any], tuple[Any, ...]]
    pack: Callable[[Any, dict[int, int]], Any]
    unpack: Callable[[Any, list[Any]], Any]


_PLAIN = _Field(lambda _: (), lambda value, _: value, lambda value, _: value)
_SPAN = _Field(lambda _: (), lambda span, _: (span.line, span.column, span.end_line, span.end_column), lambda value, _: Span(*value))
_WORDS = _Field(lambda _: (), lambda value, _: value, lambda value, _: tuple(value))
_NODE = _Field(lambda node: (node,), lambda node, numbers: numbers[id(node)], lambda row, nodes: nodes[row])
_OPTIONAL = _Field(
    lambda node: () if node is None else (node,),
    lambda node, numbers: None if node is None else numbers[id(node)],
    lambda row, nodes: None if row is None else nodes[row],
)
_NODES = _Field(
    lambda held: held,
    lambda held, numbers: [numbers[id(node)] for node in held],
    lambda rows, nodes: tuple([nodes[row] for row in rows]),
)
_PAIRS = _Field(
    lambda pairs: tuple(node for pair in pairs for node in pair if node is not None),
    lambda pairs, numbers: [(None if key is None else numbers[id(key)], numbers[id(value)]) for key, value in pairs],
    lambda rows, nodes: tuple([(None if key is None else nodes[key], nodes[value]) for key, value in rows]),
)
_BY_ANNOTATION = {
    "Span": _SPAN,
    "Expr": _NODE,
    "Name": _NODE,
    "Expr | None": _OPTIONAL,
    "tuple[Expr, ...]": _NODES,
    "tuple[Argument, ...]": _NODES,
    "tuple[Clause, ...]": _NODES,
    "tuple[Binding, ...]": _NODES,
    "tuple[tuple[Expr | None, Expr], ...]": _PAIRS,
    "tuple[str, ...]": _WORDS,
}


def _fields_of(structure: type[msgspec.Struct]) -> tuple[_Field, ...]:
    annotations: dict[str, str] = {}
    for base in reversed(structure.__mro__):
        annotations |= inspect.get_annotations(base)
    return tuple(_BY_ANNOTATION.get(annotations[name], _PLAIN) for name in structure.__struct_fields__)


_CODES = {structure: code for code, structure in enumerate(_CLASSES)}
_FIELDS = tuple(map(_fields_of, _CLASSES))
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(list[list[Any]])
