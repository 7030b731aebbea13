"""How values get out of containers: one by one, by position, by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.syntax.ir import Expr

Key = str | int | None
"""A literal key or position; None where it is not known."""
Access = tuple[Literal["each", "item", "class"], Key]
"""One step into a container: the values it yields when iterated over, or what a subscript picks; or from `type[A]` to `A`."""
Path = tuple[Access, ...]

EACH: Access = ("each", None)
CLASS: Access = ("class", None)
SOME: Access = ("item", None)
MAX_PATH = 4


def item(key: Key) -> Access:
    """What `container[key]` is."""
    return ("item", key)


def literal_key(index: Expr) -> Key:
    """The key that an index spells, None where it is computed."""
    if isinstance(index, ir.Const) and isinstance(index.value, str | int) and index.text != "...":
        return index.value
    return None


def target_paths(target: Expr, wanted: Callable[[Expr], bool]) -> Iterator[Path]:
    """Where in a value the part stands that an assignment target gives to what is wanted: `a` in `(b, (a, c))` is at 1, 0."""
    if wanted(target):
        yield ()
    elif isinstance(target, ir.Collection):
        stars = [position for position, part in enumerate(target.items) if isinstance(part, ir.Starred)]
        for position, part in enumerate(target.items):
            if not isinstance(part, ir.Starred):
                key = position if not stars or position < stars[0] else None
                yield from ((item(key), *path) for path in target_paths(part, wanted))


def display_members(display: ir.Collection | ir.Dict | ir.Comprehension, access: Access) -> list[Expr]:
    """The expressions of a display that a step into it may yield."""
    how, key = access
    if isinstance(display, ir.Dict):
        if how == "each":
            return [each for each, _ in display.items if each is not None]
        exact = [value for each, value in display.items if key is not None and each is not None and literal_key(each) == key]
        return exact or [value for _, value in display.items]
    if isinstance(display, ir.Comprehension):
        keyed = display.kind == "dict" and how == "item" and display.value is not None
        return [display.value] if keyed and display.value is not None else [display.element]
    plain = not any(isinstance(each, ir.Starred) for each in display.items)
    if isinstance(key, int) and plain and -len(display.items) <= key < len(display.items):
        return [display.items[key]]
    return [each for each in display.items if not isinstance(each, ir.Starred)]


_SAME_ELEMENTS = {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "deque"}
_PICKING = {"get", "pop", "popleft", "setdefault"}


def call_members(call: ir.Call, path: Path) -> list[tuple[Expr, Path]]:
    """Where a call of a container's method or of a builtin takes its value from: `d.get("k")` is `d` at "k"."""
    if isinstance(call.func, ir.Attribute):
        return _method_members(call, call.func, path)
    if not isinstance(call.func, ir.Name) or not call.args:
        return []
    first, rest = call.args[0].value, path[1:]
    if call.func.id == "next":
        return [(first, (EACH, *path))]
    if call.func.id == "dict":
        return [(first, path)]
    if not path:
        return []
    if call.func.id in _SAME_ELEMENTS:
        return [(first, (EACH, *rest))]
    if path[0] == EACH and rest:
        key = rest[0][1]
        if call.func.id == "enumerate" and key != 0:
            return [(first, (EACH, *rest[1:]))]
        if call.func.id == "zip" and not any(argument.star for argument in call.args):
            picked = call.args[key : key + 1] if isinstance(key, int) else call.args
            return [(argument.value, (EACH, *rest[1:])) for argument in picked]
    return []


def _method_members(call: ir.Call, func: ir.Attribute, path: Path) -> list[tuple[Expr, Path]]:
    if func.attr in _PICKING:
        key = literal_key(call.args[0].value) if call.args else None
        default = [(argument.value, path) for argument in call.args[1:2]]
        return [(func.base, (item(key), *path)), *default]
    if func.attr == "copy" and not call.args:
        return [(func.base, path)]
    if path[:1] == (EACH,):
        if func.attr == "values":
            return [(func.base, (SOME, *path[1:]))]
        if func.attr == "keys":
            return [(func.base, path)]
        if func.attr == "items" and len(path) > 1:
            return [(func.base, (EACH if path[1][1] == 0 else SOME, *path[2:]))]
    return []
