"""Places (slots): where a value can rest. A value inside a container is a place with a path of keys."""

from __future__ import annotations

import msgspec

from sgmem.program.entities import Class, Function
from sgmem.program.files import File

Path = tuple[str | int, ...]
"""Keys from a container to the value, outermost first; "*" is an unknown key or element."""

ANY = "*"
CALLED = "()"
"""The key under which a function holds what calling it gives."""
MAX_PATH = 3
"""Longer paths are cut: what is nested deeper is reported as unresolved."""


class Field(msgspec.Struct, frozen=True):
    """A field of a class, shared by its hierarchy: `owner` is the topmost class that has it."""

    owner: Class
    name: str

    def __str__(self) -> str:
        return f"{self.owner.qualified}.{self.name}"


class LooseField(msgspec.Struct, frozen=True):
    """A field of objects whose class is unknown: joined by name only."""

    name: str

    def __str__(self) -> str:
        return f"?.{self.name}"


class Parameter(msgspec.Struct, frozen=True):
    function: Function
    name: str

    def __str__(self) -> str:
        return f"{self.function.qualified}.{self.name}"


class Variable(msgspec.Struct, frozen=True):
    """A local variable as one statement defines it."""

    file: File
    scope: int
    name: str
    definition: int

    def __str__(self) -> str:
        qualname = self.file.scope(self.scope).qualname
        return f"{self.file.module}:{qualname}.{self.name}" if qualname else f"{self.file.module}:{self.name}"


class GlobalVariable(msgspec.Struct, frozen=True):
    file: File
    name: str

    def __str__(self) -> str:
        return f"{self.file.module}:{self.name}"


class Result(msgspec.Struct, frozen=True):
    """What a function returns."""

    function: Function

    def __str__(self) -> str:
        return f"{self.function.qualified}()"


Place = Field | LooseField | Parameter | Variable | GlobalVariable | Result


def as_pair(name: str) -> str:
    """The key under which a list holds the value of a pair, `("size", 3)`: it says by which name the value goes."""
    return f"{name}="


def name_of_pair(path: Path) -> str | None:
    """The name by which a value goes that is the second of a pair."""
    return path[0][:-1] if path and isinstance(path[0], str) and path[0].endswith("=") else None


def is_name(key: str | int) -> bool:
    """Whether a key of a path is the name of a dict's entry."""
    return isinstance(key, str) and key not in (ANY, CALLED)
