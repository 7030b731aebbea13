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

_SETTING = re.compile(r"setattr(?:__)?\(\s*[\w.]+\s*,\s*[\w.]+\s*,")
_COPYING = re.compile(r"setattr(?:__)?\(\s*[\w.]+\s*,\s*([\w.]+)\s*,\s*(?:(\w+)\s*,?\s*\)|[\w.]+\([\s\S]{0,200}?\b\1\b)")
_OWN = re.compile(r"setattr(?:__)?\(\s*self\s*,\s*(\w+)\s*,\s*(\w+)\s*,?\s*\)")
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
        self._sets: dict[str, tuple[NamedWrite, ...]] = {}
        self._stored: dict[tuple[Function, str], tuple[Class | str, ...]] = {}
        self._asked: dict[Function, tuple[str, str] | None] = {}

    # -- writes ---------------------------------------------------------------------------------------------------------------

    def copies(self, words: frozenset[str] | None) -> list[tuple[NamedWrite, Expr]]:
        """The writes by a computed name that store what they read by the same name, each with the object that is read, in the files
        that mention one of `words` (None: in any).

        What can be told by the text alone is: few of the many files that set attributes by name are parsed.
        """
        files = self.program.files
        mentioned = files.paths if words is None else frozenset(path for word in words for path in files.tree.mentioning(word))
        candidates = [write for path in self._seeming if path in mentioned for write in self._direct(path)]
        for setter in self.setters:
            candidates += self._calls_of(*setter, mentioned)
        pairs = ((write, self.source(write)) for write in candidates)
        return [(write, source) for write, source in pairs if source is not None]

    @cached_property
    def _seeming(self) -> dict[str, list[int]]:
        """The places in each file where setattr seems to store what is read by the same name."""
        found = {}
        for path, text in self._setting_files:
            places = [match.start() for match in _COPYING.finditer(text) if match[2] is None or _read_before(text, match[1], match[2])]
            if places:
                found[path] = places
        return found

    def _direct(self, path: str) -> tuple[NamedWrite, ...]:
        known = self._sets.get(path)
        if known is None:
            file = self.program.files.get(path)
            places = self._seeming[path] if file is not None else []
            indices = sorted({file.statement_at(*file.source.position(at)) for at in places} if file is not None else ())
            known = tuple(write for index in indices if file is not None and index >= 0 for write in _sets(file, index))
            self._sets[path] = known
        return known

    @cached_property
    def _setting_files(self) -> tuple[tuple[str, str], ...]:
        """The files that set attributes by computed names, with their text."""
        paths = dict.fromkeys(path for word in sorted(_SETTERS) for path in self.program.files.tree.mentioning(word))
        texts = ((path, source.text) for path in paths if (source := self.program.files.source(path)) is not None)
        return tuple((path, text) for path, text in texts if _SETTING.search(text))

    @cached_property
    def setters(self) -> tuple[tuple[Function, int, int], ...]:
        """The methods that do nothing with a name and a value but set that attribute, with the positions of both arguments."""
        found: dict[Function, tuple[int, int]] = {}
        for path, text in self._setting_files:
            offsets = [match.start() for match in _OWN.finditer(text) if _takes_both(text, match[1], match[2])]
            file = self.program.files.get(path) if offsets else None
            for index in {file.statement_at(*file.source.position(at)) for at in offsets} if file is not None else ():
                for write in _sets(file, index) if file is not None and index >= 0 else ():
                    setter = self._setter(write)
                    if setter is not None:
                        found[setter[0]] = setter[1:]
        return tuple((function, *places) for function, places in found.items())

    def _setter(self, write: NamedWrite) -> tuple[Function, int, int] | None:
        function = self.program.calls.inside(write.file, write.statement)
        if function is None or function.receiver is None or dotted(write.target) != function.receiver or function.name == "__setattr__":
            return None
        names = [parameter.name for parameter in function.parameters]
        key, value = dotted(write.key), dotted(write.value)
        if key not in names or value not in names:
            return None
        return function, names.index(key) - 1, names.index(value) - 1

    def _calls_of(self, setter: Function, key: int, value: int, paths: frozenset[str]) -> Iterator[NamedWrite]:
        """The calls of a setting method with a computed name, in those of the files that mention its class."""
        assert setter.owner is not None
        tree = self.program.files.tree
        spelled = re.compile(rf"\.{re.escape(setter.name)}\(\s*[\w.]+\s*,")
        for path in sorted(paths.intersection(tree.mentioning(setter.name), tree.mentioning(setter.owner.name))):
            source = self.program.files.source(path)
            places = [match.start() for match in spelled.finditer(source.text)] if source is not None else []
            file = self.program.files.get(path) if places else None
            for index in sorted({file.statement_at(*file.source.position(at)) for at in places} if file is not None else ()):
                if file is not None and index >= 0:
                    yield from self._calls_at(file, index, setter, key, value)

    def _calls_at(self, file: File, index: int, setter: Function, key: int, value: int) -> Iterator[NamedWrite]:
        for node in (node for root in file.statement(index).expressions() for node in ir.walk(root)):
            if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attribute) or node.func.attr != setter.name:
                continue
            given = [argument.value for argument in node.args]
            if len(given) <= max(key, value) or isinstance(given[key], ir.Const):
                continue
            targets = self.program.calls.targets(node, file, file.outline.statements[index].scope)
            if any(target == setter for target, _, _ in targets):
                yield NamedWrite(file, index, node, node.func.base, given[key], given[value])

    # -- reads ----------------------------------------------------------------------------------------------------------------

    def source(self, write: NamedWrite) -> Expr | None:
        """The object whose field of the same name a write stores: of `setattr(a, name, getattr(b, name))` it is `b`."""
        scope = write.file.outline.statements[write.statement].scope
        for value in self._values(write.value, write.file, scope):
            if not isinstance(value, ir.Call) or dotted(write.key) not in [dotted(argument.value) for argument in value.args]:
                continue
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

    def _read(self, value: ir.Call, file: File, scope: int) -> tuple[Expr, Expr] | None:
        """The object and the name of a read by name: `getattr(record, name)`, or a call of a function that answers with it."""
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
        for write in self._writes_in(function):
            if (dotted(write.key), dotted(write.value)) in running:
                yield from self._onto(write.target, function)

    def _writes_in(self, function: Function) -> Iterator[NamedWrite]:
        """The writes by computed names in a function, those by setting methods included."""
        file, row = function.file, function.scope
        for index in sorted({index for word in _SETTERS for index in file.mentions(word)}):
            if row.first <= index < row.last and _SETTING.search(file.own_text(index)):
                yield from _sets(file, index)
        for setter in self.setters:
            if setter[0].name in file.source.text:
                yield from (
                    write for write in self._calls_of(*setter, frozenset((file.path,))) if row.first <= write.statement < row.last
                )

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
                for onto in self.stores(target, into, depth + 1) if into is not None else ():
                    if isinstance(onto, Class):
                        yield onto
                        continue
                    held = _given(site, target, onto)
                    if held is not None:
                        yield from self._onto(held, function)


def _sets(file: File, index: int) -> Iterator[NamedWrite]:
    """The calls of setattr with a computed name in one statement."""
    for node in (node for root in file.statement(index).expressions() for node in ir.walk(root)):
        if isinstance(node, ir.Call) and (dotted(node.func) or "").rpartition(".")[2] in _SETTERS and len(node.args) == 3:
            target, key, value = (argument.value for argument in node.args)
            if not isinstance(key, ir.Const):
                yield NamedWrite(file, index, node, target, key, value)


def _read_before(text: str, key: str, value: str) -> bool:
    """Whether a text gives a variable what a call with the key returns: `value = getattr(record, key)`."""
    return re.search(rf"\b{re.escape(value)}\s*=\s*[\w.]+\([\s\S]{{0,200}}?\b{re.escape(key)}\b", text) is not None


def _takes_both(text: str, key: str, value: str) -> bool:
    """Whether a text defines a method with these parameters, in this order."""
    return re.search(rf"def\s+\w+\(\s*self\s*,[^)]*\b{re.escape(key)}\b[^)]*\b{re.escape(value)}\b", text) is not None


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
