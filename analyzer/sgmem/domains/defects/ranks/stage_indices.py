"""Numbers of layers in the whole model that address what one pipeline stage holds: the stage's first layer is not taken off, where
other methods of the class do so, or is taken off a number that the stage itself counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import spelled
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr, Statement

_FIRST = r"(?:start|first)_layer|layer_(?:start|offset|begin)"
_TAKEN_OFF = rf"-\s*self\.(?:{_FIRST})\b"
_HOLDS = ("start_layer", "first_layer", "layer_start", "layer_offset", "layer_begin")
_IS_FIRST = re.compile(_FIRST)
_COUNTS = re.compile(r"(?:^|_)(?:layer_num|num_layers|n_layers)$")


class StageIndex(msgspec.Struct, frozen=True):
    """`layer`, a number in the whole model at `off`, where `first` is taken off it, addresses this stage's `table` at `plain` as it is;
    or, `counted`, is a number from 0 on at `plain`.
    """

    table: str
    layer: str
    first: str
    method: str
    plain: Location
    off: Location
    counted: bool = False


class _Use(msgspec.Struct, frozen=True):
    """A method addresses `table` by its parameter `layer`, `first` taken off it or nothing."""

    table: str
    layer: str
    first: str
    method: Function
    place: Location


def stage_indices(program: Program) -> Iterator[StageIndex]:
    """Every table that methods of a class address so, once, and every method that counts so."""
    for path in program.files.with_text(_TAKEN_OFF, holds=_HOLDS):
        file = program.files.get(path)
        classes = (
            [Class(file, index) for index, scope in enumerate(file.outline.scopes) if scope.kind == "class"] if file is not None else []
        )
        uses = {one: list(_uses(one)) for one in classes if re.search(_TAKEN_OFF, one.file.source.slice(one.scope.span))}
        for owner in classes:
            known = [use for each in program.classes.mro(owner) for use in uses.get(each, ()) if use.first]
            if known:
                yield from _plain(uses[owner] if owner in uses else list(_uses(owner)), known)
                yield from _walked(owner, known)


def _plain(own: list[_Use], known: list[_Use]) -> Iterator[StageIndex]:
    told: set[str] = set()
    for use in own:
        off = next((one for one in known if (one.table, one.layer) == (use.table, use.layer)), None)
        if not use.first and off is not None and use.table not in told:
            told.add(use.table)
            yield StageIndex(use.table, use.layer, off.first, use.method.name, use.place, off.place)


def _uses(owner: Class) -> Iterator[_Use]:
    for method in _methods(owner):
        file = method.file
        for index in file.own_statements(method.index):
            if not re.search(r"self\.\w+\[\s*\w*layer", file.own_text(index)):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Subscript) and isinstance(node.base, ir.Attribute) and spelled(node.base.base) == "self":
                        first = node.index.items[0] if isinstance(node.index, ir.Collection) and node.index.items else node.index
                        layer, off = _taken_off(first)
                        if method.parameter(layer) is not None and not _is_changed(method, layer):
                            yield _Use(node.base.attr, layer, off, method, Location(file, index, node.span))


def _taken_off(index: Expr) -> tuple[str, str]:
    """The number that an index is, and what is taken off it."""
    match index:
        case ir.Name(id=name):
            return name, ""
        case ir.Binary(operator="-", left=ir.Name(id=name), right=ir.Attribute(attr=first)) if _IS_FIRST.fullmatch(first):
            return name, first
    return "", ""


def _is_changed(method: Function, name: str) -> bool:
    """Whether a method gives its parameter another value."""
    return any(
        spelled(binding.target) == name
        for index in method.file.mentions_in(method.index, name)
        for binding in method.file.statement(index).bindings
    )


def _walked(owner: Class, known: list[_Use]) -> Iterator[StageIndex]:
    """Where a method hands numbers from 0 on to another one, which takes the stage's first layer off."""
    taken = {use.method.name: use for use in known}
    for method in _methods(owner) if taken else ():
        file = method.file
        for index in file.own_statements(method.index):
            text = file.own_text(index)
            found = (
                _counted(file.statement(index), taken) if "range(" in text and any(f"self.{name}(" in text for name in taken) else None
            )
            if found is not None:
                use = taken[last_name(found)]
                yield StageIndex(
                    use.table, use.layer, use.first, method.name, Location(file, index, found.span), use.place, counted=True
                )
                break


def _counted(statement: Statement, taken: dict[str, _Use]) -> ir.Call | None:
    """The first call in a comprehension that hands such a number on."""
    for root in statement.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Comprehension):
                counted = {name for clause in node.clauses if (name := _from_zero(clause.target, clause.iterable))}
                for call in ir.walk(node):
                    if isinstance(call, ir.Call) and _hands(call, counted, taken):
                        return call
    return None


def _from_zero(target: Expr, iterable: Expr) -> str | Literal[False]:
    """The variable that counts the stage's layers from 0 on."""
    if isinstance(iterable, ir.Call) and last_name(iterable) == "range" and len(iterable.args) == 1:
        return spelled(target) if _COUNTS.search(spelled(iterable.args[0].value)) else False
    return False


def _hands(call: ir.Call, counted: set[str], taken: dict[str, _Use]) -> bool:
    if last_name(call) not in taken or not isinstance(call.func, ir.Attribute):
        return False
    use = taken[last_name(call)]
    names = [one.name for one in use.method.parameters if one.name != use.method.receiver]
    for place, argument in enumerate(call.args):
        filled = argument.keyword or (names[place] if place < len(names) else "")
        if filled == use.layer and spelled(argument.value) in counted and spelled(call.func.base) == "self":
            return True
    return False


def _methods(owner: Class) -> Iterator[Function]:
    for index in owner.file.children(owner.index).values():
        if owner.file.scope(index).kind == "function":
            yield Function(owner.file, index)
