"""Unit defects: a conversion dropped, doubled or of the wrong size, a division by the wrong group of ranks or none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from defects.places import Defect, Finder, Place, last_name, number

_BINARY = {1 << 20: "(1 << 20)", 1 << 30: "(1 << 30)"}
_AMOUNT = re.compile(r"byte|mem|[GMKT]i?B\b|_[gm]i?b\b|size|cache|capacity|weight|workspace|limit", re.IGNORECASE)
_TIME = re.compile(r"time|_ns\b|_ms\b|_us\b|second|elapsed|duration|latency")
_EXACT_LABEL = re.compile(r"[GM]iB")
_LOOSE_NAME = re.compile(r"(?:^|_)gb(?:_|$)", re.IGNORECASE)
_NAMED_UNIT = re.compile(r"(?:^|_)[kmgt]i?b(?:_|$)|bytes", re.IGNORECASE)
_GROUP = re.compile(r"(^|_)(tp|dp|pp|ep|cp|tensor_parallel|data_parallel|pipeline_parallel|expert_parallel|world)(_world)?_size$")
_VIEWS = frozenset({"view", "reshape", "expand", "split", "unflatten", "chunk", "narrow", "as_strided"})
_COUNTS = re.compile(r"head|layer|request|reqs|token|mem|bytes|pool|cache|capacity")


def _conversion(place: Place) -> tuple[ast.expr, float, bool] | None:
    """The converted value, the constant, and whether it is divided by it, for the outermost step of a conversion of memory."""
    node = place.node
    if not isinstance(node, ast.BinOp) or number(node) is not None or _is_step(place.above[-1], node):
        return None
    value, total, divides = node, 1.0, None
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div | ast.FloorDiv | ast.Mult):
        step, inner = number(value.right), value.left
        if step is None and isinstance(value.op, ast.Mult):
            step, inner = number(value.left), value.right
        way = not isinstance(value.op, ast.Mult)
        if step is None or divides not in (None, way) or step not in (1024, 1 << 20, 1 << 30, 10**9):
            break
        total, divides, value = total * step, way, inner
    if divides is None or total not in (1024, 1 << 20, 1 << 30, 10**9):
        return None
    around = place.statement
    if _AMOUNT.search(around) is None or (_TIME.search(place.code(value)) is not None):
        return None
    if total == 1024 and re.search(r"[gmk]i?b\b", around, re.IGNORECASE) is None:
        return None
    return value, total, divides


def _is_step(above: ast.AST, node: ast.expr) -> bool:
    """Whether the arithmetic around it goes on with the conversion: `(x // 1024) // 1024`."""
    if not isinstance(above, ast.BinOp) or not isinstance(above.op, ast.Div | ast.FloorDiv | ast.Mult):
        return False
    other = above.right if above.left is node else above.left
    return number(other) in (1024, 1 << 20, 1 << 30)


def _written(place: Place, value: ast.expr, constant: str, divides: bool) -> str:
    floor = "//" if isinstance(place.node, ast.BinOp) and isinstance(place.node.op, ast.FloorDiv) else "/"
    inner = place.code(value)
    inner = f"({inner})" if isinstance(value, ast.BinOp | ast.IfExp | ast.BoolOp) else inner
    return f"({inner} {floor if divides else '*'} {constant})"


def drop(place: Place) -> Iterator[Defect]:
    found = _conversion(place)
    if found is not None:
        yield place.replaced("drop-conversion", place.node, f"({place.code(found[0])})")


def double(place: Place) -> Iterator[Defect]:
    found = _conversion(place)
    if found is not None:
        constant = {1024: "1024", 10**9: "1e9"}.get(int(found[1]), _BINARY.get(int(found[1]), ""))
        again = f"({place.code(place.node)} {'/' if found[2] else '*'} {constant})"
        yield place.replaced("double-conversion", place.node, again)


def swap_scale(place: Place) -> Iterator[Defect]:
    found = _conversion(place)
    if found is not None and found[1] in _BINARY:
        other = _BINARY[(1 << 50) // int(found[1])]
        yield place.replaced("swap-MiB-GiB", place.node, _written(place, found[0], other, found[2]))


def swap_base(place: Place) -> Iterator[Defect]:
    """A text or a name that says "GB" fits both, so only those that say GiB, and values that are used, are places for this one."""
    found = _conversion(place)
    if any(_LOOSE_NAME.search(name) for name in _given_to(place)):
        return
    if found is None or _is_only_told(place):
        return
    printed = any(isinstance(node, ast.JoinedStr) for node in place.above) or "log" in place.statement
    if found[1] in (1 << 30, 10**9) and (not printed or _EXACT_LABEL.search(place.statement)):
        other = "1e9" if found[1] == 1 << 30 else "(1 << 30)"
        yield place.replaced("swap-GiB-GB", place.node, _written(place, found[0], other, found[2]))


def _is_only_told(place: Place) -> bool:
    """Whether the value goes to a variable that names no unit and is only printed without one, or compared with plain numbers."""
    around, function = place.above[-1], place.definition
    if not isinstance(around, ast.Assign) or function is None or not isinstance(around.targets[0], ast.Name):
        return False
    name = around.targets[0].id
    if _NAMED_UNIT.search(name):
        return False
    quiet: set[ast.AST] = set()
    for node in ast.walk(function):
        told = isinstance(node, ast.JoinedStr) and not _EXACT_LABEL.search(ast.unparse(node))
        compared = isinstance(node, ast.Compare) and all(number(one) is not None or last_name(one) == name for one in _sides(node))
        if told or compared:
            quiet.update(ast.walk(node))
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    return all(use in quiet for use in uses)


def _sides(node: ast.Compare) -> list[ast.expr]:
    return [node.left, *node.comparators]


def _given_to(place: Place) -> Iterator[str]:
    """The names of the variable and the keywords that a value, or what is worked out of it in its statement, is given to."""
    for node in place.above:
        if isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield last_name(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def _shared(place: Place) -> tuple[ast.BinOp, str] | None:
    """A division of a count or an amount by the size of a group of ranks, and the size's name."""
    node = place.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv | ast.Div) or not place.accounts_for_memory:
        return None
    name = last_name(node.right)
    if not _GROUP.search(name) or _COUNTS.search(place.code(node.left)) is None or _rounds(place, node) or _is_viewed(place):
        return None
    return node, name


def _rounds(place: Place, node: ast.BinOp) -> bool:
    """Whether what is divided is multiplied by the same number again: it is rounded to a multiple, not shared."""
    products = [one for one in place.above if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)]
    size = ast.unparse(node.right)
    return any(size in (ast.unparse(one.left), ast.unparse(one.right)) for one in products)


def _is_viewed(place: Place) -> bool:
    """Whether it is the shape of a view, which takes no memory and fails where it is wrong."""
    return any(isinstance(one, ast.Call) and last_name(one) in _VIEWS for one in place.above)


def other_group(place: Place) -> Iterator[Defect]:
    found = _shared(place)
    if found is not None:
        node, name = found
        other = "pp" if "dp" in name or "data" in name else "dp"
        code = place.code(node.right)
        yield place.replaced("other-group", node.right, code.replace(name, _GROUP.sub(rf"\1{other}_size", name).replace("attn_", "")))


def undivided(place: Place) -> Iterator[Defect]:
    found = _shared(place)
    if found is not None:
        yield place.replaced("undivided", found[0], f"({place.code(found[0].left)})")


KINDS: dict[str, Finder] = {
    "drop-conversion": drop,
    "double-conversion": double,
    "swap-MiB-GiB": swap_scale,
    "swap-GiB-GB": swap_base,
    "other-group": other_group,
    "undivided": undivided,
}
