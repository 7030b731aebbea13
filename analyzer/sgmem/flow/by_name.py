"""Fields read and written by computed names: `setattr(target, name, value)`, a method that does it, a function that stores all of
its keywords, a loop that copies every field of a record onto another object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function, Local
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_SETTING = re.compile(r"\b(?:setattr|__setattr__)\(\s*[\w.]+\s*,\s*[\w.]+\s*,")
_SETTERS = {"setattr", "__setattr__"}
_MAX_HANDED_ON = 3
"""How many functions a dict of fields is followed through to where it is stored."""


@dataclass(frozen=True, slots=True)
class NamedWrite:
    """A statement that writes the field of `target` whose name is in `key`."""

    file: File
    statement: int
    call: ir.Call
    target: Expr
    key: Expr
    value: Expr


class ByName:
    """Finds reads and writes by computed names; answers are memoised."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._stored: dict[tuple[Function, str], tuple[Class | str, ...]] = {}
        self._asked: dict[Function, tuple[str, str] | None] = {}

    # -- writes ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def writes(self) -> tuple[NamedWrite, ...]:
        """Every write by a computed name in the program: by setattr itself, and by calls of methods that do nothing but that."""
        setters: dict[Function, tuple[int, int]] = {}
        found: list[NamedWrite] = []
        paths = dict.fromkeys(path for word in sorted(_SETTERS) for path in self.program.files.tree.mentioning(word))
        for path in paths:
            source = self.program.files.source(path)
            if source is not None and "setattr" in source.text and _SETTING.search(source.text):
                file = self.program.files.get(path)
                for one in self._set_in(file) if file is not None else ():
                    setter = self._setter(one)
                    if setter is not None:
                        setters[setter[0]] = setter[1:]
                    found.append(one)
        for function, places in setters.items():
            found += self._calls_of(function, *places)
        return tuple(found)

    def _set_in(self, file: File) -> Iterator[NamedWrite]:
        indices = sorted({index for word in _SETTERS for index in file.mentions(word)})
        for index in indices:
            if _SETTING.search(file.own_text(index)):
                for root in file.statement(index).expressions():
                    for node in ir.walk(root):
                        if (
                            isinstance(node, ir.Call)
                            and (dotted(node.func) or "").rpartition(".")[2] in _SETTERS
                            and len(node.args) == 3
                        ):
                            target, key, value = (argument.value for argument in node.args)
                            if not isinstance(key, ir.Const):
                                yield NamedWrite(file, index, node, target, key, value)

    def _setter(self, write: NamedWrite) -> tuple[Function, int, int] | None:
        """The method whose receiver, key and value the write takes, with the positions of key and value among the arguments."""
        function = self.program.calls.inside(write.file, write.statement)
        if function is None or function.receiver is None or dotted(write.target) != function.receiver or function.name == "__setattr__":
            return None
        names = [parameter.name for parameter in function.parameters]
        key, value = dotted(write.key), dotted(write.value)
        if key not in names or value not in names:
            return None
        return function, names.index(key) - 1, names.index(value) - 1

    def _calls_of(self, setter: Function, key: int, value: int) -> Iterator[NamedWrite]:
        for site in self.program.calls.callers(setter):
            if isinstance(site.call.func, ir.Attribute) and len(site.call.args) > max(key, value):
                given = [argument.value for argument in site.call.args]
                if not isinstance(given[key], ir.Const):
                    yield NamedWrite(site.file, site.statement, site.call, site.call.func.base, given[key], given[value])

    # -- reads ----------------------------------------------------------------------------------------------------------------

    def source(self, write: NamedWrite) -> Expr | None:
        """The object whose field of the same name a write stores: of `setattr(a, name, getattr(b, name))` it is `b`."""
        scope = write.file.outline.statements[write.statement].scope
        for value in self._values(write.value, write.file, scope):
            read = self._read(value, write.file, scope)
            if read is not None and dotted(read[1]) is not None and dotted(read[1]) == dotted(write.key):
                return read[0]
        return None

    def _values(self, value: Expr, file: File, scope: int) -> Iterator[Expr]:
        """An expression; of a local variable what is assigned to it."""
        yield value
        if isinstance(value, ir.Name) and isinstance(self.program.names.lookup(file, scope, value.id), Local):
            for index in self.program.names.bindings(file, scope, value.id):
                for binding in file.statement(index).bindings:
                    if binding.how == "assign" and binding.value is not None and dotted(binding.target) == value.id:
                        yield binding.value

    def _read(self, value: Expr, file: File, scope: int) -> tuple[Expr, Expr] | None:
        """The object and the name of a read by name: `getattr(record, name)`, or a call of a function that answers with it."""
        if not isinstance(value, ir.Call):
            return None
        if dotted(value.func) == "getattr" and len(value.args) >= 2:
            return value.args[0].value, value.args[1].value
        for target, filled, _ in self.program.calls.targets(value, file, scope):
            asked = self._asks(target) if isinstance(target, Function) else None
            if asked is not None and isinstance(target, Function):
                names = [parameter.name for parameter in target.parameters][filled:]
                given = {names[i]: argument.value for i, argument in enumerate(value.args) if not argument.star and i < len(names)}
                given.update({argument.keyword: argument.value for argument in value.args if argument.keyword is not None})
                if asked[0] in given and asked[1] in given:
                    return given[asked[0]], given[asked[1]]
        return None

    def _asks(self, function: Function) -> tuple[str, str] | None:
        """The parameters (object, name) of a function that returns the field of that name."""
        if function not in self._asked:
            self._asked[function] = self._find_asked(function)
        return self._asked[function]

    def _find_asked(self, function: Function) -> tuple[str, str] | None:
        names = {parameter.name for parameter in function.parameters}
        for index in function.file.mentions_in(function.index, "getattr"):
            if function.file.outline.statements[index].kind != "return":
                continue
            for node in (node for root in function.file.statement(index).values for node in ir.walk(root)):
                if isinstance(node, ir.Call) and dotted(node.func) == "getattr" and len(node.args) >= 2:
                    record, key = dotted(node.args[0].value), dotted(node.args[1].value)
                    if record in names and key in names and record is not None and key is not None:
                        return record, key
        return None

    # -- functions that store all of their keywords ---------------------------------------------------------------------------

    def stored(self, site: CallSite, function: Function, parameter: str) -> tuple[Class, ...]:
        """The classes whose fields a call writes by the names of what it puts into a parameter that holds fields by name."""
        found: dict[Class, None] = {}
        for holder, classes in self.program.idioms.writers(function):
            if holder == parameter:
                found.update(dict.fromkeys(classes))
        if not found:
            for onto in self._stores(function, parameter):
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

    def _stores(self, function: Function, parameter: str, depth: int = 0) -> tuple[Class | str, ...]:
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
        for write in self._writes_in(function):
            if (dotted(write.key), dotted(write.value)) in running:
                yield from self._onto(write.target, function)

    def _writes_in(self, function: Function) -> Iterator[NamedWrite]:
        row = function.scope
        for write in self.writes:
            if write.file is function.file and row.first <= write.statement < row.last:
                yield write

    def _onto(self, target: Expr, function: Function) -> Iterator[Class | str]:
        name = dotted(target)
        if name is not None and (function.parameter(name) is not None or name == function.receiver):
            yield name
        else:
            types = self.program.values.types(target, function.file, function.index)
            yield from types or self._of_setter(target, function)

    def _of_setter(self, target: Expr, function: Function) -> Iterator[Class]:
        """The class whose setting method is called on an object of unknown type."""
        for write in self._writes_in(function):
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
                for onto in self._stores(target, into, depth + 1) if into is not None else ():
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
