"""Which functions a call enters when the class of the receiver is known: one expansion of a call tree, not all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.program.entities import Class, Function, Local
from sgmem.program.files import dotted
from sgmem.program.sources import of_field, of_variable
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_TARGETS = 12


class Entered(msgspec.Struct, frozen=True):
    """A function that a call may enter, and the class of the object it then works on (None for plain functions)."""

    function: Function
    receiver: Class | None = None

    @property
    def name(self) -> str:
        """`module:Class.method` by the class that defines it; a constructor by the class that is built."""
        if self.function.name == "__init__" and self.receiver is not None:
            return self.receiver.qualified
        return self.function.qualified


class Targets:
    """Resolves calls of one program, given the class that `self` is an instance of."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of(
        self, call: ir.Call, file: File, function: Function, receiver: Class | None, *, by_name: bool = False
    ) -> tuple[tuple[Entered, ...], bool]:
        """The functions that a call in `function` may enter, and whether no other can be meant. `by_name` also takes methods of that
        name for an object of unknown type."""
        func = call.func
        if isinstance(func, ir.Attribute):
            own = self._on_self(func, function, receiver)
            if own is not None:
                return (own,), True
            exact = self._on_built(func, file, function, receiver)
            if exact:
                return exact, True
        return self._by_types(call, file, function, receiver, by_name)

    # -- self and super ---------------------------------------------------------------------------------------------------------

    def _on_self(self, func: ir.Attribute, function: Function, receiver: Class | None) -> Entered | None:
        """`self.method()` and `super().method()` on an object whose class is known."""
        if receiver is None:
            return None
        classes = self.program.classes
        if isinstance(func.base, ir.Call) and dotted(func.base.func) == "super":
            current = _class_around(function)
            method = classes.method_after(receiver, current, func.attr) if current is not None else None
        elif isinstance(func.base, ir.Name) and func.base.id == _receiver_name(function):
            method = classes.method(receiver, func.attr)
        else:
            return None
        return Entered(method, receiver) if method is not None and not method.is_property else None

    # -- objects that are seen to be built --------------------------------------------------------------------------------------

    def _on_built(self, func: ir.Attribute, file: File, function: Function, receiver: Class | None) -> tuple[Entered, ...]:
        """A method of a variable or field to which nothing but newly built objects are assigned."""
        found: dict[Entered, None] = {}
        for owner in self.built(func.base, file, function, receiver) or ():
            method = self.program.classes.method(owner, func.attr)
            if method is None or method.is_property:
                return ()
            found[Entered(method, owner)] = None
        return tuple(found)

    def built(self, base: Expr, file: File, function: Function, receiver: Class | None) -> tuple[Class, ...] | None:
        """The classes of the objects that an expression can hold, where every assignment is seen to build one."""
        names = self.program.names
        found: dict[Class, None] = {}
        if isinstance(base, ir.Attribute) and isinstance(base.base, ir.Name) and base.base.id == _receiver_name(function):
            owners = self.program.classes.mro(receiver) if receiver is not None else ()
            sources = [one for each in owners for one in of_field(self.program.classes, each, base.attr, ())]
        elif isinstance(base, ir.Name):
            entity = names.lookup(file, function.index, base.id)
            if not isinstance(entity, Local) or any(p.name == base.id for p in file.scope(entity.index).parameters):
                return None
            sources = list(of_variable(names, entity.file, entity.index, base.id, ()))
        else:
            return None
        for source in sources:
            if source.how == "annotation" or (isinstance(source.expr, ir.Const) and source.expr.value is None):
                continue
            if source.how != "value" or not isinstance(source.expr, ir.Call):
                return None
            built = self.program.values.callables(source.expr.func, source.file, source.scope)
            if not built or not all(one.certain and isinstance(one.target, Class) for one in built):
                return None
            found.update((one.target, None) for one in built if isinstance(one.target, Class))
        return tuple(found) or None

    # -- by types ---------------------------------------------------------------------------------------------------------------

    def _by_types(
        self, call: ir.Call, file: File, function: Function, receiver: Class | None, by_name: bool
    ) -> tuple[tuple[Entered, ...], bool]:
        found: dict[Entered, None] = {}
        certain = True
        for one in self.program.values.callables(call.func, file, function.index):
            certain = certain and one.certain
            target: Function | None
            around: Class | None
            if isinstance(one.target, Class):
                target, around = self.program.calls.constructor(one.target), one.target
            else:
                target, around = one.target, one.target.owner or None
                if around is None and one.target.scope.parent == function.index:
                    around = receiver  # a nested function works on what its closure holds
            if target is not None:
                found[Entered(target, around)] = None
        if not found:
            certain = False
        if not found and by_name:
            for entered, _, _ in self.program.calls.targets(call, file, function.index):
                if isinstance(entered, Function):
                    found[Entered(entered, entered.owner)] = None
        targets = tuple(found)
        return targets[:MAX_TARGETS], certain and len(targets) == 1


def _class_around(function: Function) -> Class | None:
    file, index = function.file, function.index
    while index > 0:
        parent = file.scope(index).parent
        if file.scope(parent).kind == "class":
            return Class(file, parent)
        index = parent
    return None


def _receiver_name(function: Function) -> str | None:
    """What a method, or the method around a nested function, calls its own object."""
    file, index = function.file, function.index
    while index > 0:
        one = Function(file, index)
        if one.owner is not None:
            return one.receiver
        index = file.scope(index).parent
    return None
