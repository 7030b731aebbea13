"""Functions that store all of their keywords, or the items of a dict, as the fields of those names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.named_writes import NamedWrites
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_MAX_HANDED_ON = 3
"""How many functions a dict of fields is followed through to where it is stored."""


class StoredItems:
    """Finds what functions store by name; answers are memoised."""

    def __init__(self, program: Program, writes: NamedWrites) -> None:
        self.program = program
        self.writes = writes
        self._stored: dict[tuple[Function, str], tuple[Class | str, ...]] = {}

    def stored(self, site: CallSite, function: Function, parameter: str) -> tuple[Class, ...]:
        """The classes whose fields a call writes by the names of what it puts into a parameter that holds fields by name."""
        found: dict[Class, None] = {}
        for holder, classes in self.program.idioms.writers(function):
            if holder == parameter:
                found.update(dict.fromkeys(classes))
        if not found:
            for onto in self.stores(function, parameter):
                if isinstance(onto, Class):
                    found[onto] = None
                    continue
                given = _given(site, function, onto)
                if given is not None:
                    types = self.program.values.types(given, site.file, site.scope)
                    found.update(dict.fromkeys(types or self.program.spelling.classes(given)))
                elif onto == function.receiver and function.owner is not None:
                    found[function.owner] = None
        return tuple(found)

    def picks(self, function: Function, parameter: str) -> bool:
        """Whether a function asks a parameter that holds fields by name for some of them: `fields["size"]`, `fields.pop("size")`."""
        pattern = re.compile(rf"\b{re.escape(parameter)}(?:\[|\.(?:get|pop|setdefault)\()\s*['\"]")
        return any(pattern.search(function.file.own_text(i)) for i in function.file.mentions_in(function.index, parameter))

    def stores(self, function: Function, parameter: str, depth: int = 0) -> tuple[Class | str, ...]:
        """Onto what a function stores the items of a parameter by name: classes, or the names of parameters that hold the object."""
        key = (function, parameter)
        found = self._stored.get(key)
        if found is None:
            self._stored[key] = ()
            onto = dict.fromkeys(self._looped(function, parameter))
            if depth < _MAX_HANDED_ON:
                onto.update(dict.fromkeys(self._handed_on(function, parameter, depth)))
            found = self._stored[key] = tuple(onto)
        return found

    def _looped(self, function: Function, parameter: str) -> Iterator[Class | str]:
        """`for name, value in fields.items(): setattr(record, name, value)`, in the same function."""
        running = _items_of(function, parameter)
        if not running:
            return
        for write in self.writes.inside(function):
            if (dotted(write.key), dotted(write.value)) in running:
                yield from self._onto(write.target, function)

    def _onto(self, target: Expr, function: Function) -> Iterator[Class | str]:
        name = dotted(target)
        if name is not None and (function.parameter(name) is not None or name == function.receiver):
            yield name
        else:
            types = self.program.values.types(target, function.file, function.index)
            yield from types or self._of_setter(target, function)

    def _of_setter(self, target: Expr, function: Function) -> Iterator[Class]:
        """The class whose setting method is called on an object of unknown type."""
        for write in self.writes.inside(function):
            if write.target is target:
                for entered, _, _ in self.program.calls.targets(write.call, function.file, function.index):
                    if isinstance(entered, Function) and entered.owner is not None:
                        yield entered.owner

    def _handed_on(self, function: Function, parameter: str, depth: int) -> Iterator[Class | str]:
        """`apply(record, fields)`, `apply(record, **fields)`: another function stores them."""
        for index in function.file.mentions_in(function.index, parameter):
            for node in (node for root in function.file.statement(index).expressions() for node in ir.walk(root)):
                if isinstance(node, ir.Call):
                    yield from self._through(node, index, function, parameter, depth)

    def _through(self, call: ir.Call, index: int, function: Function, parameter: str, depth: int) -> Iterator[Class | str]:
        for argument in call.args:
            if dotted(argument.value) != parameter or argument.star == "*":
                continue
            for target, filled, certain in self.program.calls.targets(call, function.file, function.index):
                if not isinstance(target, Function) or target == function:
                    continue
                site = CallSite(function.file, index, call, filled, certain)
                given = bind(site, target.parameters)
                rest = next((p.name for p in target.parameters if p.kind == "double-star"), None)
                into = rest if argument.star == "**" else next((one.parameter for one in given if one.argument is argument), None)
                for onto in self.stores(target, into, depth + 1) if into is not None else ():
                    if isinstance(onto, Class):
                        yield onto
                        continue
                    held = _given(site, target, onto)
                    if held is not None:
                        yield from self._onto(held, function)


def _given(site: CallSite, function: Function, parameter: str) -> Expr | None:
    """What a call gives a parameter; the receiver is what its method is called on."""
    for one in bind(site, function.parameters):
        if one.parameter == parameter and one.key is None:
            return one.argument.value
    called = site.call.func
    return called.base if parameter == function.receiver and site.filled and isinstance(called, ir.Attribute) else None


def _items_of(function: Function, parameter: str) -> set[tuple[str | None, str | None]]:
    """The (name, value) variables of the loops of a function over the items of a parameter."""
    found = set()
    for index in function.file.mentions_in(function.index, parameter):
        for binding in function.file.statement(index).bindings:
            value = binding.value
            over_items = isinstance(value, ir.Call) and isinstance(value.func, ir.Attribute) and value.func.attr == "items"
            if binding.how == "iterate" and over_items and isinstance(binding.target, ir.Collection) and len(binding.target.items) == 2:
                assert isinstance(value, ir.Call) and isinstance(value.func, ir.Attribute)
                if dotted(value.func.base) == parameter:
                    found.add((dotted(binding.target.items[0]), dotted(binding.target.items[1])))
    return found
