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


class Member(str):
    """A key spelled as a member of an enumeration, `Kind.SENDER`."""


EACH: Access = ("each", None)
CLASS: Access = ("class", None)
SOME: Access = ("item", None)
MAX_PATH = 4


def item(key: Key) -> Access:
    """What `container[key]` is."""
    return ("item", key)


def literal_key(index: Expr) -> Key:
    """The key that an index spells, a literal or a member of an enumeration; None where it is computed."""
    if isinstance(index, ir.Const) and isinstance(index.value, str | int) and index.text != "...":
        return index.value
    if isinstance(index, ir.Attribute):
        owner = index.base.attr if isinstance(index.base, ir.Attribute) else index.base.id if isinstance(index.base, ir.Name) else ""
        if owner[:1].isupper() and index.attr.isupper():
            return Member(f"{owner}.{index.attr}")
    return None


def may_be(key: Key, other: Key) -> bool:
    """Whether two keys may be one: equal, or one of them not known. A member of an enumeration may stand for any literal."""
    return key is None or other is None or key == other or isinstance(key, Member) != isinstance(other, Member)


def looked_up(expr: Expr) -> tuple[Expr, str] | None:
    """The table and the variable of `table[variable]` and `table.get(variable)`."""
    base: Expr | None = None
    if isinstance(expr, ir.Subscript):
        base, key = expr.base, expr.index
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attribute) and expr.func.attr == "get" and len(expr.args) == 1:
        base, key = expr.func.base, expr.args[0].value
    return (base, key.id) if base is not None and isinstance(key, ir.Name) else None


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
