"""Defects of order and of care: stored before it is scaled, sized before it is loaded, one of two readings with what is cached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from defects.places import Defect, Finder, Place, last_name

_SIZES = re.compile(r"init_memory_pool|alloc_memory_pool|init_pools|profile_\w*tokens?")
_MEMORY = re.compile(r"(?:^|_)memory$")
_MEASURES = re.compile(r"\bget_available_gpu_memory\b")
_COUNTS = re.compile(r"size|total|max_|num_|capacity|tokens|pages|slots|blocks|bytes|mem|budget|reqs")
_LIMITS = frozenset({"int", "min", "max"})
_QUIET = frozenset(
    {"info", "warning", "debug", "error", "print", "time", "perf_counter", "monotonic", "log_info_on_rank0", "print_info_once"}
)


def store_before_scale(place: Place) -> Iterator[Defect]:
    """`self.size = self.size // page; build(self.size)` with a copy for `build` that is taken before."""
    node, change = place.node, place.above[-1]
    if not isinstance(change, ast.Assign) or change.value is not node or not place.accounts_for_memory:
        return
    target = change.targets[0]
    if not isinstance(target, ast.Attribute) or not _COUNTS.search(target.attr) or not _scales(node):
        return
    field = ast.unparse(target)
    if not _reads(node, field):
        return
    use = next((one for one in _later(place, change) if ast.unparse(one) == field), None)
    if use is not None:
        start, _ = place.source.span(change)  # type: ignore[arg-type]
        at, end = place.source.span(use)
        indent = " " * change.col_offset
        text = f"capacity = {field}\n{indent}{place.source.text[start:at]}capacity"
        what = f"{field} is copied before line {change.lineno}, used in line {use.lineno}"
        yield place.edited("store-before-scale", change.lineno, start, end, text, what)


def _scales(node: ast.expr) -> bool:
    """Whether a value is worked out: by arithmetic, a limit, or a function that rounds."""
    if isinstance(node, ast.BinOp):
        return True
    name = last_name(node) if isinstance(node, ast.Call) else ""
    return name in _LIMITS or "align" in name or "round" in name or "ceil" in name or "floor" in name


def _reads(node: ast.expr, field: str) -> bool:
    return any(
        isinstance(one, ast.Attribute) and one.attr == field.rpartition(".")[2] and ast.unparse(one) == field for one in ast.walk(node)
    )


def _later(place: Place, change: ast.Assign) -> Iterator[ast.Attribute]:
    """The attributes that later statements of the same block read: as an argument, or as what they assign."""
    block = next((body for body in _blocks(place.above[-2]) if change in body), [])
    for statement in block[block.index(change) + 1 :]:
        value = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
        if value is None or (isinstance(value, ast.Call) and last_name(value) in _QUIET):
            continue
        calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        handed = [one for call in calls for one in (*call.args, *(keyword.value for keyword in call.keywords))]
        yield from (one for one in (value, *handed) if isinstance(one, ast.Attribute))


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def size_before_load(place: Place) -> Iterator[Defect]:
    """`self.load_model()` after the call that sizes the pools."""
    node, load = place.node, place.above[-1]
    if not isinstance(node, ast.Call) or not isinstance(load, ast.Expr) or last_name(node) != "load_model":
        return
    block = next((body for body in _blocks(place.above[-2]) if load in body), [])
    sizing = next(
        (one for one in block[block.index(load) + 1 :] if _SIZES.search(ast.unparse(one)) and isinstance(one, ast.Expr)), None
    )
    if sizing is not None:
        start, behind = place.source.span(node)
        _, end = place.source.span(sizing.value)
        between = place.source.text[behind:end].lstrip("\n").lstrip()
        text = f"{between}\n{' ' * load.col_offset}{place.source.text[start:behind]}"
        what = f"{ast.unparse(node)} moved behind line {sizing.lineno}"
        yield place.edited("size-before-load", load.lineno, start, end, text, what)


def uneven_care(place: Place) -> Iterator[Defect]:
    """The first reading of a before-and-after pair no longer empties the cache."""
    node, around = place.node, place.above[-1]
    if not isinstance(node, ast.Call) or not isinstance(around, ast.Assign) or not _MEASURES.search(last_name(node)):
        return
    name, last = re.escape(ast.unparse(around.targets[0])), place.function[1]
    rest = "\n".join(place.source.lines[around.lineno : last])
    other = re.search(rf"\b{name} - (\w+)", rest)
    if other is None or not re.search(rf"\b{other[1]} = get_available_gpu_memory\b", rest):
        return
    if any(keyword.arg == "empty_cache" for keyword in node.keywords):
        return
    code = place.code(node).rstrip().removesuffix(")").rstrip().removesuffix(",")
    yield place.replaced("uneven-care", node, f"{code}, empty_cache=False)")


def delete_remeasure(place: Place) -> Iterator[Defect]:
    """The second of two readings of a function, or the one that a function takes beside what it is handed, is the first once more."""
    node, around = place.node, place.above[-1]
    if not isinstance(node, ast.Call) or not isinstance(around, ast.Assign) or not _MEASURES.search(last_name(node)):
        return
    function = next((one for one in reversed(place.above) if isinstance(one, ast.FunctionDef)), None)
    target = around.targets[0]
    if function is None or not isinstance(target, ast.Name):
        return
    readings = [one for one in ast.walk(function) if _reads_memory(one) and one.lineno < around.lineno]
    earlier = [(one, one.targets[0].id) for one in readings if isinstance(one.targets[0], ast.Name) and one.targets[0].id != target.id]
    if earlier:
        before, name = earlier[-1]
        # A second reading of the same with nothing in between says what the first one said.
        if ast.unparse(before.value) != ast.unparse(node) or _does_something(function, before.lineno, around.lineno):
            yield place.replaced("delete-remeasure", node, name)
        return
    names = [one.arg for one in function.args.args if _MEMORY.search(one.arg)]
    if names:
        yield place.replaced("delete-remeasure", node, names[-1])


def _does_something(function: ast.FunctionDef, first: int, last: int) -> bool:
    """Whether a statement between two lines calls something that may take memory."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and first < node.lineno < last)
    return any(last_name(call) not in _QUIET and not _MEASURES.search(last_name(call)) for call in calls)


def _reads_memory(node: ast.AST) -> TypeGuard[ast.Assign]:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    return _MEASURES.search(last_name(node.value)) is not None


KINDS: dict[str, Finder] = {
    "store-before-scale": store_before_scale,
    "size-before-load": size_before_load,
    "uneven-care": uneven_care,
    "delete-remeasure": delete_remeasure,
}
