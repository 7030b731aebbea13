"""Calls: which argument fills which parameter, and where a function is called from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgmem.program.aliases import Aliases, add
from sgmem.program.binding import Filled, accepts, bind
from sgmem.program.contexts import called, defined, occurs
from sgmem.program.entities import Callable_, Class, Function
from sgmem.program.files import File, Files, dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.aliases import Spellings
    from sgmem.program.classes import Classes
    from sgmem.program.names import Names
    from sgmem.program.values import Values
    from sgmem.syntax.ir import Argument

_OWN_CLASS = ("cls", "type", "__class__")
"""How a class is spelled in its own methods."""
_COMMON = 60
"""A method name that more files than this mention is too common to be joined by name alone."""


@dataclass(frozen=True, slots=True)
class CallSite:
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
        return self.file.outline.statements[self.statement].scope

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
        self.aliases = Aliases(files)
        self._targets: dict[ir.Call, tuple[tuple[Function | Class, int, bool], ...]] = {}
        self._callers: dict[Function | Class, tuple[CallSite, ...]] = {}

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
            for one in callables or self._by_name(call, file, scope):
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

    def _by_name(self, call: ir.Call, file: File, scope: int) -> tuple[Callable_, ...]:
        """An object of unknown type: join by method name where one or two classes define it and it is no everyday word."""
        func = call.func
        if not isinstance(func, ir.Attribute) or func.attr.startswith("__"):
            return ()
        if self.names.entity(func, file, scope) is not None:  # torch.empty and the like lead out of the program
            return ()
        if len(self.files.tree.mentioning(func.attr)) > _COMMON:
            return ()
        found: list[Callable_] = []
        for other in self.files.mentioning(func.attr, defined):
            for index, scope in enumerate(other.outline.scopes):
                if scope.name == func.attr and scope.kind == "function":
                    function = Function(other, index)
                    if function.owner is not None and not function.is_property and accepts(function, call):
                        found.append(Callable_(function, 0 if function.is_static else 1, False))
        return tuple(found) if len(found) <= 2 else ()

    def callers(self, target: Function | Class) -> tuple[CallSite, ...]:
        """Every call that may enter a function (for `__init__` and for a record, every construction of its class and subclasses)."""
        found = self._callers.get(target)
        if found is None:
            self._callers[target] = ()
            found = self._callers[target] = tuple(dict.fromkeys(self._find_callers(target)))
        return found

    def callers_in(self, file: File, target: Function | Class) -> tuple[CallSite, ...]:
        """The calls in one file that may enter a function."""
        names = [name for name, files in self._spellings(target).items() if files is None or file in files]
        return tuple(dict.fromkeys(site for name in names for site in self._calls_in(file, name, target)))

    def _find_callers(self, target: Function | Class) -> Iterator[CallSite]:
        for name, sources in self._spellings(target).items():
            for file in sources if sources is not None else self.files.mentioning(name, called):
                yield from self._calls_in(file, name, target)

    def _calls_in(self, file: File, name: str, target: Function | Class) -> Iterator[CallSite]:
        for index in file.mentions(name):
            if not occurs(file.own_text(index), name, called):
                continue
            scope = file.outline.statements[index].scope
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call) and _spells(node, name):
                        partial = _is_partial(node)
                        for entered, filled, certain in self.targets(node, file, scope):
                            if entered == target or self._inherits(entered, target):
                                yield CallSite(file, index, node, filled, certain, partial)

    def _inherits(self, entered: Function | Class, target: Function | Class) -> bool:
        """Building a record builds the records it inherits from."""
        return isinstance(entered, Class) and isinstance(target, Class) and target in self.classes.mro(entered)

    def _spellings(self, target: Function | Class) -> Spellings:
        """The names under which a target may be called, each with the files to search (None: wherever it is mentioned)."""
        owner = target if isinstance(target, Class) else target.owner
        if isinstance(target, Function) and (owner is None or target.name not in ("__init__", "__call__")):
            return self.aliases.of(target.name)
        assert owner is not None
        spellings: Spellings = {}
        below = self.classes.subclasses(owner)
        for each in (owner, *below):
            if isinstance(target, Function) and target.name == "__call__":
                if self.classes.method(each, "__call__") == target:
                    _merge(spellings, {each.name: None, **self.aliases.of_instances(each.name)})
            elif self.constructor(each) == self.constructor(owner):
                _merge(spellings, self.aliases.of(each.name))
        if isinstance(target, Function):
            _merge(spellings, {target.name: [each.file for each in below]})
        # From inside the class a name of it is not needed, and what stands there may be a subclass.
        inside = [each.file for each in (*self.classes.mro(owner), *below)]
        return _merge(spellings, dict.fromkeys(_OWN_CLASS, inside))

    def inside(self, file: File, statement: int) -> Function | None:
        """The function whose body holds a statement."""
        scope = file.outline.statements[statement].scope
        while scope > 0 and file.scope(scope).kind != "function":
            scope = file.scope(scope).parent
        return Function(file, scope) if scope > 0 else None


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


def _merge(spellings: Spellings, more: Spellings) -> Spellings:
    for name, files in more.items():
        for file in files if files is not None else (None,):
            add(spellings, name, file)
    return spellings


__all__ = ["CallSite", "Calls", "Filled", "bind"]
