"""What a name can stand for: modules, classes, functions, globals, and what lies outside the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.syntax.outline import ParameterOutline, ScopeOutline

_CLASS_METHODS = {"__new__", "__init_subclass__", "__class_getitem__"}


class Module(msgspec.Struct, frozen=True):
    file: File


class Definition(msgspec.Struct, frozen=True):
    """A `class` or `def`: a scope of its file's outline."""

    file: File
    index: int

    @property
    def scope(self) -> ScopeOutline:
        return self.file.outline.scopes[self.index]

    @property
    def name(self) -> str:
        return self.scope.name

    @property
    def qualified(self) -> str:
        """`package.module:Outer.Inner`."""
        return f"{self.file.module}:{self.scope.qualname}"

    @property
    def order(self) -> tuple[str, int]:
        """Where it stands: to walk a set of definitions in an order that does not depend on how the set came about."""
        return self.file.path, self.index


class Class(Definition, frozen=True):
    pass


class Function(Definition, frozen=True):
    @property
    def owner(self) -> Class | None:
        """The class whose body defines this function, if any."""
        parent = self.scope.parent
        return Class(self.file, parent) if self.file.outline.scopes[parent].kind == "class" else None

    @property
    def parameters(self) -> tuple[ParameterOutline, ...]:
        return self.scope.parameters

    def parameter(self, name: str) -> ParameterOutline | None:
        return next((p for p in self.scope.parameters if p.name == name), None)

    def decorator_names(self) -> tuple[str, ...]:
        """The last part of each decorator's name: `property`, `setter`, `staticmethod`, `lru_cache`."""
        names = []
        for span in self.scope.decorators:
            node = self.file.expression(span)
            node = node.func if isinstance(node, ir.Call) else node
            names.append(node.attr if isinstance(node, ir.Attribute) else node.id if isinstance(node, ir.Name) else "")
        return tuple(names)

    @property
    def is_static(self) -> bool:
        return "staticmethod" in self.decorator_names()

    @property
    def is_class_method(self) -> bool:
        return self.name in _CLASS_METHODS or "classmethod" in self.decorator_names()

    @property
    def is_property(self) -> bool:
        return any(name in ("property", "cached_property") for name in self.decorator_names())

    @property
    def receiver(self) -> str | None:
        """The name of the first parameter of a method (`self`, `cls`), None for functions and static methods."""
        if self.owner is None or self.is_static or not self.parameters:
            return None
        first = self.parameters[0]
        return first.name if first.kind in ("positional", "normal") else None


class Global(msgspec.Struct, frozen=True):
    """A module-level variable."""

    file: File
    name: str


class Local(msgspec.Struct, frozen=True):
    """A parameter or local variable of a function (or a name of a class body)."""

    file: File
    index: int
    name: str


class External(msgspec.Struct, frozen=True):
    """A name that leads out of the program: `torch.cuda.mem_get_info`, a builtin such as `int`."""

    dotted: str


class Callable_(msgspec.Struct, frozen=True):
    """A callable value: a function or class, and how many leading parameters are filled already (a bound receiver, a partial)."""

    target: Class | Function
    filled: int = 0
    certain: bool = True


Entity = Module | Class | Function | Global | Local | External
