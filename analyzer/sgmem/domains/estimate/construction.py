"""What building an object runs: the activations of its constructor's call tree, with the arguments that each was given, and
the tensors that are allocated in them.

Methods are looked up on the class that is built, so that what a subclass overrides is what runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.flow.naming import call_names
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.pools import Construction
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 8
MAX_ACTIVATIONS = 80


class Built(msgspec.Struct, eq=False):
    """An object under construction."""

    owner: Class
    activations: dict[Function, Activation] = msgspec.field(default_factory=dict)


class Activation(msgspec.Struct, eq=False):
    """One run of a function. Without a `caller` it is the function in which an object is built: its own parameters are given by
    someone who is not looked at.

    `given` are the arguments, each with the activation in which it is evaluated; `extra` those that land in `**rest`.
    """

    file: File
    scope: int
    caller: Activation | None = None
    statement: int = -1
    call: ir.Call | None = None
    built: Built | None = None
    given: dict[str, list[tuple[Expr, Activation]]] = msgspec.field(default_factory=dict)
    extra: dict[str, list[tuple[Expr, Activation]]] = msgspec.field(default_factory=dict)
    constants: bool = False
    """Whether constants of classes count as something that a value depends on."""

    @property
    def receiver(self) -> str | None:
        return Function(self.file, self.scope).receiver if self.built is not None else None

    def chain(self) -> Iterator[Activation]:
        """Itself and its callers, itself first."""
        current: Activation | None = self
        while current is not None:
            yield current
            current = current.caller


class Allocation(msgspec.Struct, eq=False):
    """`call`, a tensor's allocation that an activation makes."""

    activation: Activation
    statement: int
    call: ir.Call


class Constructing:
    """Follows constructors."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        words = sorted(word for word in models.sinks.words if word.isidentifier())
        self._allocates = re.compile(rf"\b(?:{'|'.join(words)})\(") if words else re.compile(r"(?!)")
        self._count = 0

    def allocations(self, one: Construction) -> list[Allocation]:
        """The tensors that building an object allocates."""
        self._count = 0
        found: list[Allocation] = []
        root = Activation(one.file, one.scope)
        self._build(one.owner, root, one.statement, one.call, found)
        return found

    def _build(self, owner: Class, caller: Activation, statement: int, call: ir.Call, found: list[Allocation]) -> None:
        constructor = self.program.calls.constructor(owner)
        if constructor is not None:
            self._enter(constructor, Built(owner), caller, statement, call, 1, found)

    def _enter(
        self, function: Function, built: Built | None, caller: Activation, statement: int, call: ir.Call, filled: int,
        found: list[Allocation],
    ) -> None:  # fmt: skip
        chain = list(caller.chain())
        if len(chain) > MAX_DEPTH or self._count > MAX_ACTIVATIONS:
            return
        if any(each.file is function.file and each.scope == function.index and each.built is built for each in chain):
            return
        self._count += 1
        activation = Activation(function.file, function.index, caller, statement, call, built)
        self._bind(activation, function, filled)
        if built is not None:
            built.activations.setdefault(function, activation)
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind in ("function", "class") or "(" not in function.file.own_text(index):
                continue
            for root in function.file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call):
                        self._call(node, activation, index, found)

    def _bind(self, activation: Activation, function: Function, filled: int) -> None:
        caller, call = activation.caller, activation.call
        if caller is None or call is None:
            return
        rest = next((p.name for p in function.parameters if p.kind == "double-star"), None)
        names = {p.name for p in function.parameters if p.kind in ("normal", "keyword")}
        for one in bind(CallSite(caller.file, activation.statement, call, filled), function.parameters):
            if one.parameter is not None and one.parameter != rest:
                activation.given.setdefault(one.parameter, []).append((one.argument.value, caller))
            elif isinstance(one.key, str):
                activation.extra.setdefault(one.key, []).append((one.argument.value, caller))
            elif one.argument.star == "**":
                for key, entry in self._spread(one.argument.value, caller):
                    side = activation.given if key in names else activation.extra
                    side.setdefault(key, []).append(entry)

    def _spread(self, value: Expr, caller: Activation) -> Iterator[tuple[str, tuple[Expr, Activation]]]:
        """The entries of a dict that is spread into a call: the caller's own rest, or one that it fills itself."""
        if not isinstance(value, ir.Name):
            yield from ((key, (item, caller)) for key, item in _entries(value))
            return
        function = Function(caller.file, caller.scope)
        parameter = function.parameter(value.id) if caller.file.scope(caller.scope).kind == "function" else None
        if parameter is not None and parameter.kind == "double-star":
            yield from ((key, entry) for key, entries in caller.extra.items() for entry in entries)
        for index in caller.file.mentions_in(caller.scope, value.id):
            if caller.file.outline.statements[index].kind in ("assign", "annotate"):
                for binding in caller.file.statement(index).bindings:
                    if binding.value is not None:
                        yield from ((key, (item, caller)) for key, item in _stored(binding.target, binding.value, value.id))

    def _call(self, call: ir.Call, activation: Activation, statement: int, found: list[Allocation]) -> None:
        if self._is_tensor(call, activation):
            found.append(Allocation(activation, statement, call))
            return
        for target, built, filled in self._targets(call, activation):
            if isinstance(target, Class):
                self._build(target, activation, statement, call, found)
            else:
                self._enter(target, built, activation, statement, call, filled, found)

    def _is_tensor(self, call: ir.Call, activation: Activation) -> bool:
        last = call.func.attr if isinstance(call.func, ir.Attribute) else call.func.id if isinstance(call.func, ir.Name) else ""
        if not any(row.kind == "tensor" for row in self.models.sinks.rows_for_name(last)):
            return False
        names = call_names(self.program, call, activation.file, activation.scope)
        return any(row.kind == "tensor" for name in names for row in self.models.sinks.find_all(name))

    def _targets(self, call: ir.Call, activation: Activation) -> Iterator[tuple[Function | Class, Built | None, int]]:
        """What a call enters that is worth following: the object's own methods, and what allocates itself."""
        func, built, classes = call.func, activation.built, self.program.classes
        receiver = activation.receiver
        if isinstance(func, ir.Attribute) and built is not None and receiver is not None:
            own = Function(activation.file, activation.scope).owner
            if isinstance(func.base, ir.Name) and func.base.id == receiver:
                method = classes.method(built.owner, func.attr)
                if method is not None:
                    yield method, built, 0 if method.is_static else 1
                    return
            if isinstance(func.base, ir.Call) and dotted(func.base.func) == "super" and own is not None:
                named = self.program.names.entity(func.base.args[0].value, activation.file, activation.scope) if func.base.args else own
                method = classes.method_after(built.owner, named, func.attr) if isinstance(named, Class) else None
                if method is not None:
                    yield method, built, 1
                return
            entity = self.program.names.entity(func.base, activation.file, activation.scope)
            first = call.args[0].value if call.args else None
            if isinstance(entity, Class) and isinstance(first, ir.Name) and first.id == receiver:
                method = classes.method(entity, func.attr)
                if method is not None:
                    yield method, built, 0
                return
        for target in self._others(func, activation):
            file, scope = target.file, target.scope
            if self._allocates.search(file.source.slice(scope.span)) or isinstance(target, Class):
                yield target, None, 0

    def _others(self, func: Expr, activation: Activation) -> Iterator[Class | Function]:
        """Functions and classes outside the object, those that were handed in as an argument included."""
        given = activation.given.get(func.id, []) if isinstance(func, ir.Name) else []
        asked = [(expr, by.file, by.scope) for expr, by in given] or [(func, activation.file, activation.scope)]
        for expr, file, scope in asked:
            for one in self.program.values.callables(expr, file, scope):
                target = one.target
                worth = self._worth_building(target) if isinstance(target, Class) else target.owner is None
                if worth:
                    yield target

    def _worth_building(self, owner: Class) -> bool:
        mro = self.program.classes.mro(owner)
        return any(self._allocates.search(each.file.source.slice(each.scope.span)) for each in mro) or any(
            row.kind == "pool" for each in mro for row in self.models.sinks.find_all(f"{each.qualified}.__init__")
        )


def _entries(value: Expr) -> Iterator[tuple[str, Expr]]:
    """The entries of a dict display or a `dict(...)` call that are named by strings."""
    if isinstance(value, ir.Dict):
        for key, item in value.items:
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                yield key.value, item
    elif isinstance(value, ir.Call) and dotted(value.func) == "dict":
        for argument in value.args:
            if argument.keyword is not None:
                yield argument.keyword, argument.value


def _stored(target: Expr, value: Expr, name: str) -> Iterator[tuple[str, Expr]]:
    """What an assignment puts into the dict `name`: the whole of it, or one entry."""
    if isinstance(target, ir.Name) and target.id == name:
        yield from _entries(value)
    elif isinstance(target, ir.Subscript) and isinstance(target.base, ir.Name) and target.base.id == name:
        if isinstance(target.index, ir.Const) and isinstance(target.index.value, str):
            yield target.index.value, value
