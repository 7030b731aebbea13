"""Calls: which argument fills which parameter, and where a function is called from."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.contexts import called, defined, held, occurs, positions
from sgmem.program.entities import Callable_, Class, External, Function, Module
from sgmem.program.files import File, Files, dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.program.classes import Classes
    from sgmem.program.names import Names
    from sgmem.program.values import Values
    from sgmem.syntax.ir import Argument, Expr
    from sgmem.syntax.outline import ParameterOutline

_BINDS_INSIDE = re.compile(r"\b(?:for|lambda)\b")
_MAX_ALIASES = 4
_COMMON = 60
"""A method name that more files than this mention is too common to be joined by name alone, or looked for where it is not set."""


class CallSite(msgspec.Struct, frozen=True):
    """One call expression, in its statement."""

    file: File
    statement: int
    call: ir.Call
    filled: int = 0
    """How many leading parameters are filled before the call's own arguments."""
    certain: bool = True
    partial: bool = False
    """`partial(f, ...)`: the first argument is the function itself."""

    @property
    def scope(self) -> int:
        return self.file.shape(self.statement).scope

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.call.args[1:] if self.partial else self.call.args


class Calls:
    """Call resolution in both directions; answers are memoised."""

    def __init__(self, files: Files, names: Names, classes: Classes, values: Values) -> None:
        self.files = files
        self.names = names
        self.classes = classes
        self.values = values
        self._targets: dict[ir.Call, tuple[tuple[Function | Class, int, bool], ...]] = {}
        self._callers: dict[Function | Class, tuple[CallSite, ...]] = {}
        self._spelled: dict[Function | Class, dict[str, list[File] | None]] = {}
        self._near: dict[tuple[File, Function | Class], tuple[CallSite, ...]] = {}

    def targets(self, call: ir.Call, file: File, scope: int) -> tuple[tuple[Function | Class, int, bool], ...]:
        """What a call may enter: functions, with the number of leading parameters filled and whether that is certain. A class is
        entered through its `__init__` (or a base's); a record without one stands for itself."""
        found = self._targets.get(call)
        if found is None:
            self._targets[call] = ()
            entered: dict[tuple[Function | Class, int, bool], None] = {}
            callables = self.values.callables(call.func, file, scope)
            if _is_partial(call) and call.args:
                callables = self.values.callables(call.args[0].value, file, scope)
            for one in callables or self._by_name(call, file):
                entered[self._entry(one)] = None
            found = self._targets[call] = tuple(entered)
        return found

    def _entry(self, one: Callable_) -> tuple[Function | Class, int, bool]:
        if isinstance(one.target, Function):
            return one.target, one.filled, one.certain
        constructor = self.constructor(one.target)
        if constructor is not None:
            return constructor, one.filled + 1, one.certain
        return one.target, one.filled, one.certain

    def constructor(self, owner: Class) -> Function | None:
        """The hand-written `__init__` that building an instance enters; records generate theirs."""
        return self.classes.method(owner, "__init__")

    def _by_name(self, call: ir.Call, file: File) -> tuple[Callable_, ...]:
        """An object of unknown type: join by method name where one or two classes define it and it is no everyday word."""
        func = call.func
        if not isinstance(func, ir.Attribute) or func.attr.startswith("__"):
            return ()
        if self.names.entity(func, file, 0) is not None:  # torch.empty and the like lead out of the program
            return ()
        if len(self.files.tree.mentioning(func.attr)) > _COMMON:
            return ()
        found: list[Callable_] = []
        for other in self.files.mentioning(func.attr, defined):
            for index in other.functions(func.attr):
                function = Function(other, index)
                if function.owner is not None and not function.is_property and _accepts(function, call):
                    found.append(Callable_(function, 0 if function.is_static else 1, False))
        return tuple(found) if len(found) <= 2 else ()

    def callers(self, target: Function | Class) -> tuple[CallSite, ...]:
        """Every call that may enter a function (for `__init__` and for a record, every construction of its class and subclasses)."""
        found = self._callers.get(target)
        if found is None:
            self._callers[target] = ()
            found = self._callers[target] = tuple(dict.fromkeys(self._find_callers(target)))
        return found

    def only_caller(self, target: Function | Class) -> CallSite | None:
        """The call that may enter a function where there is one only; the search ends at the second. Where an everyday name holds the
        function, many may call it."""
        names = self._spellings(target).keys() - {"cls", "__init__"}
        if any(len(self.files.tree.mentioning(name)) > _COMMON for name in names):
            return None
        found = self._callers.get(target)
        if found is None:
            self._callers[target] = ()
            found = tuple(islice(_distinct(self._find_callers(target)), 2))
            if len(found) < 2:
                self._callers[target] = found
            else:
                del self._callers[target]
        return found[0] if len(found) == 1 else None

    def callers_in(self, file: File, target: Function | Class) -> tuple[CallSite, ...]:
        """The calls in one file that may enter a function."""
        found = self._near.get((file, target))
        if found is None:
            names = [name for name, files in self._spellings(target).items() if files is None or file in files]
            sites = (site for name in names for site in self._calls_in(file, name, target))
            found = self._near[file, target] = tuple(dict.fromkeys(sites))
        return found

    def _find_callers(self, target: Function | Class) -> Iterator[CallSite]:
        for name, sources in self._spellings(target).items():
            for file in sources if sources is not None else self.files.mentioning(name, called):
                yield from self._calls_in(file, name, target)

    def _calls_in(self, file: File, name: str, target: Function | Class) -> Iterator[CallSite]:
        for index in file.mentions(name):
            scope = file.shape(index).scope
            text = file.own_text(index)
            if not occurs(text, name, called) or self._leads_out(text, name, file, scope):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call) and _spells(node, name):
                        partial = _is_partial(node)
                        for entered, filled, certain in self.targets(node, file, scope):
                            if entered == target or self._inherits(entered, target):
                                yield CallSite(file, index, node, filled, certain, partial)

    def _leads_out(self, text: str, name: str, file: File, scope: int) -> bool:
        """Whether every mention of a name in a statement is a call of what the program imports from elsewhere, `json.load(...)`, as far
        as the text tells: such a statement need not be lowered."""
        bases = re.findall(rf"(?<![\w.)\]])([A-Za-z_]\w*)\.(?:\w+\.)*{name}\(", text)
        if len(bases) != sum(1 for _ in positions(text, name)) or _BINDS_INSIDE.search(text) is not None:
            return False
        return all(isinstance(self.names.lookup(file, scope, base), External) for base in dict.fromkeys(bases))

    def _inherits(self, entered: Function | Class, target: Function | Class) -> bool:
        """Building a record builds the records it inherits from."""
        return isinstance(entered, Class) and isinstance(target, Class) and target in self.classes.mro(entered)

    def _spellings(self, target: Function | Class) -> dict[str, list[File] | None]:
        """The names under which a target may be called, each with the files to search (None: wherever it is mentioned)."""
        if target not in self._spelled:
            self._spelled[target] = self._find_spellings(target)
        return self._spelled[target]

    def _find_spellings(self, target: Function | Class) -> dict[str, list[File] | None]:
        if isinstance(target, Function) and target.name != "__init__":
            return {target.name: None, **self._aliases(target, target.name)}
        owner = target if isinstance(target, Class) else target.owner
        if owner is None:
            return {}
        spellings: dict[str, list[File] | None] = {}
        for each in (owner, *self.classes.subclasses(owner)):
            if each == owner or self.constructor(each) == self.constructor(owner):
                spellings[each.name] = None
                spellings.update(self._aliases(each, each.name))
                spellings.setdefault("cls", [])
                spellings["cls"] = [*(spellings["cls"] or []), each.file]
        if isinstance(target, Function):
            spellings["__init__"] = [each.file for each in self.classes.subclasses(owner)]
        spellings["cls"] = list(dict.fromkeys(spellings.get("cls") or []))
        return spellings

    def _aliases(self, target: Function | Class, name: str, depth: int = 0) -> dict[str, list[File] | None]:
        """Other names that hold the callable: `import ... as`, `factory = Record`, a dispatch table, a default parameter. One of an
        everyday name, `self.update = self._update_pages`, is looked for only in the files that set it."""
        found: dict[str, list[File] | None] = {}
        if depth >= _MAX_ALIASES:
            return found
        for file in self.files.mentioning(name, held):
            for bound in dict.fromkeys(row.bound for row in file.renamed(name)):
                files = found.setdefault(bound, [])
                if files is not None:
                    files.append(file)
            for index in file.mentions(name):
                if not occurs(file.own_text(index), name, held):
                    continue
                for alias, everywhere in self._held_by(file, index, name):
                    if alias != name:
                        known = found.get(alias, [])
                        anywhere = everywhere and len(self.files.tree.mentioning(alias)) <= _COMMON
                        found[alias] = None if anywhere or known is None else [*known, file]
        return found

    def _held_by(self, file: File, index: int, name: str) -> Iterator[tuple[str, bool]]:
        """The names that statement `index` gives the callable, each with whether it may be used outside the file."""
        row = file.outline.statements[index]
        if row.kind == "function":
            scope = file.scope_defined_by[index]
            for parameter in file.scope(scope).parameters:
                if parameter.default is not None and dotted(file.expression(parameter.default)) == name:
                    yield parameter.name, False
            return
        if row.kind not in ("assign", "annotate"):
            return
        for binding in file.statement(index).bindings:
            if binding.value is None or not _stands_as_value(binding.value, name):
                continue
            if isinstance(binding.target, ir.Attribute):
                yield binding.target.attr, True
            elif isinstance(binding.target, ir.Name):
                yield binding.target.id, file.scope(row.scope).kind != "function"

    def inside(self, file: File, statement: int) -> Function | None:
        """The function whose body holds a statement."""
        scope = file.shape(statement).scope
        while scope > 0 and file.scope(scope).kind != "function":
            scope = file.scope(scope).parent
        return Function(file, scope) if scope > 0 else None


def _distinct(sites: Iterable[CallSite]) -> Iterator[CallSite]:
    seen: set[CallSite] = set()
    for site in sites:
        if site not in seen:
            seen.add(site)
            yield site


def _is_partial(call: ir.Call) -> bool:
    return (dotted(call.func) or "").rpartition(".")[2] == "partial"


def _spells(call: ir.Call, name: str) -> bool:
    """Whether the called expression, or a partial's function, ends in `name` or looks it up in a table of that name."""
    func = call.args[0].value if _is_partial(call) and call.args else call.func
    return any(
        (isinstance(node, ir.Attribute) and node.attr == name)
        or (isinstance(node, ir.Name) and node.id == name)
        or (isinstance(node, ir.Const) and node.value == name)
        for node in ir.walk(func)
    )


def _stands_as_value(value: Expr, name: str) -> bool:
    """Whether `name` itself, not a call of it, is (part of) the value."""
    pending = [value]
    while pending:
        node = pending.pop()
        if (isinstance(node, ir.Name) and node.id == name) or (isinstance(node, ir.Attribute) and node.attr == name):
            return True
        if isinstance(node, ir.Call):
            pending += [argument.value for argument in node.args]
        elif isinstance(node, ir.Conditional):
            pending += [node.body, node.orelse]
        elif isinstance(node, ir.Dict | ir.Collection | ir.Boolean):
            pending += node.children()
    return False


def _accepts(function: Function, call: ir.Call) -> bool:
    """Whether the call's arguments fit the function's parameters in number and name."""
    parameters = function.parameters[0 if function.is_static else 1 :]
    if any(argument.star for argument in call.args):
        return True
    names = {p.name for p in parameters if p.kind != "positional"}
    open_names = any(p.kind == "double-star" for p in parameters)
    open_places = any(p.kind == "star" for p in parameters)
    given = [argument for argument in call.args if argument.keyword is None]
    places = [p for p in parameters if p.kind in ("positional", "normal")]
    return (open_places or len(given) <= len(places)) and all(
        argument.keyword is None or argument.keyword in names or open_names for argument in call.args
    )


class Filled(msgspec.Struct, frozen=True):
    """An argument with the parameter that it fills: by name, as element `key` of a star parameter, or, for a spread (`*x`, `**x`),
    unknown (`parameter` None)."""

    argument: Argument
    parameter: str | None
    key: str | int | None = None


def bind(site: CallSite, parameters: tuple[ParameterOutline, ...]) -> list[Filled]:
    """Match a call's arguments with a function's parameters, as Python does."""
    filled: list[Filled] = []
    places = [p for p in parameters if p.kind in ("positional", "normal")]
    star = next((p.name for p in parameters if p.kind == "star"), None)
    rest = next((p.name for p in parameters if p.kind == "double-star"), None)
    by_name = {p.name for p in parameters if p.kind in ("normal", "keyword")}
    position = site.filled
    for argument in site.arguments:
        if argument.star == "**":
            filled.append(Filled(argument, None))
        elif argument.star == "*":
            filled.append(Filled(argument, None, position))
            position = len(places) + 1000  # later positions are unknown
        elif argument.keyword is not None:
            if argument.keyword in by_name:
                filled.append(Filled(argument, argument.keyword))
            elif rest is not None:
                filled.append(Filled(argument, rest, argument.keyword))
        else:
            if position < len(places):
                filled.append(Filled(argument, places[position].name))
            elif star is not None and position < len(places) + 1000:
                filled.append(Filled(argument, star, position - len(places)))
            position += 1
    return filled


__all__ = ["CallSite", "Calls", "Filled", "Module", "bind"]
