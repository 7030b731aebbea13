"""Records that a call makes: `Plan = NamedTuple("Plan", [("size", int)])`, `make_dataclass`, `create_model` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.entities import Global
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr, Span

_LISTED = frozenset({"NamedTuple", "namedtuple", "make_dataclass", "defstruct", "TypedDict"})
_BY_KEYWORD = frozenset({"create_model"})

Declared = tuple[str, "Span"]
"""A field's name, and where it is listed."""


def declared_fields(call: Expr | None) -> tuple[Declared, ...]:
    """The fields of the record that a call makes, in order; none where it makes none, or lists them elsewhere."""
    if not isinstance(call, ir.Call):
        return ()
    factory = (dotted(call.func) or "").rpartition(".")[2]
    if factory in _BY_KEYWORD:
        return tuple((a.keyword, a.span) for a in call.args if a.keyword is not None and not a.keyword.startswith("_"))
    positional = [argument.value for argument in call.args if argument.keyword is None and not argument.star]
    return tuple(_listed(positional[1])) if factory in _LISTED and len(positional) > 1 else ()


def _listed(fields: Expr) -> Iterator[Declared]:
    if isinstance(fields, ir.Const) and isinstance(fields.value, str):
        yield from ((name, fields.span) for name in fields.value.replace(",", " ").split())
    elif isinstance(fields, ir.Dict):
        yield from ((key.value, key.span) for key, _ in fields.items if isinstance(key, ir.Const) and isinstance(key.value, str))
    elif isinstance(fields, ir.Collection):
        for item in fields.items:
            if isinstance(item, ir.Const) and isinstance(item.value, str):
                yield item.value, item.span
            elif isinstance(item, ir.Collection) and item.items:
                name = item.items[0]
                if isinstance(name, ir.Const) and isinstance(name.value, str):
                    yield name.value, item.span


def made_by(program: Program, variable: Global) -> tuple[str, ...]:
    """The fields, in order, of the record that a module's variable holds; none where it holds another thing."""
    found: list[str] = []
    for index in program.names.bindings(variable.file, 0, variable.name):
        for binding in variable.file.statement(index).bindings:
            if dotted(binding.target) == variable.name:
                found += [name for name, _ in declared_fields(binding.value)]
    return tuple(found)


def field_given(call: ir.Call, argument: ir.Argument, fields: tuple[str, ...]) -> str | None:
    """The field that an argument of a record's constructor sets."""
    if argument.keyword is not None:
        return argument.keyword if argument.keyword in fields else None
    given = [one for one in call.args if one.keyword is None]
    if any(one.star for one in given):
        return None
    position = given.index(argument)
    return fields[position] if position < len(fields) else None
