"""What annotations say: the program's classes that they name, through unions, wrappers, quotes, aliases and containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.entities import Class, External, Global, Local
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.access import Path
    from sgmem.program.files import File
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Expr

_WRAPPERS = {
    "Optional",
    "Annotated",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "ReadOnly",
    "Awaitable",
    "InitVar",
}
_SEQUENCES = {
    "list", "List", "Sequence", "MutableSequence", "Collection", "Iterable", "Iterator", "AsyncIterable", "AsyncIterator",
    "Generator", "AsyncGenerator", "set", "Set", "frozenset", "FrozenSet", "AbstractSet", "deque", "Deque",
}  # fmt: skip
_TUPLES = {"tuple", "Tuple"}
_MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"}
_CLASSES = {"type", "Type"}
_MAX_DEPTH = 12

Named = tuple[Class, "Path"]
"""A class, and the steps into its instances that are still to be taken."""


class Annotations:
    """Reads annotations over one program."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def read(self, annotation: Expr, file: File, scope: int, path: Path = (), depth: int = 0) -> Iterator[Named]:
        """The classes that the value, or what `path` picks out of it, may be an instance of."""
        if depth > _MAX_DEPTH:
            return
        match annotation:
            case ir.Const() if isinstance(annotation.value, str) and annotation.text != "...":
                yield from self.read(self.names.quoted(annotation), file, scope, path, depth + 1)
            case ir.Binary() if annotation.operator == "|":
                yield from self.read(annotation.left, file, scope, path, depth + 1)
                yield from self.read(annotation.right, file, scope, path, depth + 1)
            case ir.Subscript():
                yield from self._subscript(annotation, file, scope, path, depth + 1)
            case ir.Name() | ir.Attribute():
                yield from self._name(annotation, file, scope, path, depth + 1)
            case ir.Call():
                yield from self._type_variable(annotation, file, scope, path, depth + 1)

    def _subscript(self, annotation: ir.Subscript, file: File, scope: int, path: Path, depth: int) -> Iterator[Named]:
        inner = annotation.index
        parts = inner.items if isinstance(inner, ir.Collection) and inner.kind == "tuple" else (inner,)
        last = self.generic(annotation.base, file, scope)
        if last == "Union":
            for part in parts:
                yield from self.read(part, file, scope, path, depth)
        elif last in _WRAPPERS:
            yield from self.read(parts[0], file, scope, path, depth)
        elif last == "Coroutine":
            yield from self.read(parts[-1], file, scope, path, depth)
        elif path and (picked := _picked(last, parts, path)) is not None:
            for part in picked:
                yield from self.read(part, file, scope, path[1:], depth)
        else:
            yield from self.read(annotation.base, file, scope, path, depth)

    def generic(self, base: Expr, file: File, scope: int) -> str:
        """The last part of a generic's name, under whatever alias it is used."""
        entity = self.names.entity(base, file, scope)
        if isinstance(entity, External):
            return entity.dotted.rpartition(".")[2]
        if isinstance(entity, Global):
            for value, where, _ in self._aliased(entity):
                target = self.names.entity(value, where, 0)
                if isinstance(target, External):
                    return target.dotted.rpartition(".")[2]
        return (dotted(base) or "").rpartition(".")[2] if entity is None else ""

    def _name(self, annotation: Expr, file: File, scope: int, path: Path, depth: int) -> Iterator[Named]:
        entity = self.names.entity(annotation, file, scope)
        if isinstance(entity, Class):
            yield entity, path
        elif isinstance(entity, Global | Local):
            for value, where, inner in self._aliased(entity):
                yield from self.read(value, where, inner, path, depth)

    def _aliased(self, entity: Global | Local) -> Iterator[tuple[Expr, File, int]]:
        """What a name is assigned that stands for a type."""
        scope = entity.index if isinstance(entity, Local) else 0
        for index in self.names.bindings(entity.file, scope, entity.name):
            for binding in entity.file.statement(index).bindings:
                single = isinstance(binding.target, ir.Name) and binding.how in ("assign", "annotate")
                if single and binding.value is not None:
                    yield binding.value, entity.file, scope

    def _type_variable(self, call: ir.Call, file: File, scope: int, path: Path, depth: int) -> Iterator[Named]:
        """`TypeVar("T", bound=A)`, `TypeVar("T", A, B)`, `NewType("N", A)`."""
        if (dotted(call.func) or "").rpartition(".")[2] in ("TypeVar", "NewType"):
            for position, argument in enumerate(call.args):
                if argument.keyword == "bound" or (argument.keyword is None and position > 0):
                    yield from self.read(argument.value, file, scope, path, depth)


def _picked(container: str, parts: tuple[Expr, ...], path: Path) -> tuple[Expr, ...] | None:
    """The parts of a container's annotation that the first step into it leads to; None for what is no known container."""
    how, key = path[0]
    if how == "class":
        return parts[:1] if container in _CLASSES else None
    if container in _SEQUENCES:
        return parts[:1]
    if container in _MAPPINGS:
        return parts[:1] if how == "each" else parts[1:2]
    if container in _TUPLES:
        if len(parts) == 2 and isinstance(parts[1], ir.Const) and parts[1].text == "...":
            return parts[:1]
        return parts[key : key + 1] if isinstance(key, int) and 0 <= key < len(parts) else parts
    return None
