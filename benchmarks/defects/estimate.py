"""Defects of estimates: a term that is no longer charged, an amount that is spent twice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from defects.places import Defect, Finder, Place, last_name

ESTIMATES = re.compile(r"_element_size\(|\.itemsize\b|\bcell_size\b|_per_req\b")
"""Words of functions that work out the bytes of a token or request."""
AMOUNT = re.compile(r"_gb$|_bytes$|host_size$|(?<!_)cache_size$")
SUM = re.compile(r"size|bytes|rest|budget|memory|_per_")
"""What a sum or remainder of bytes is called."""


def drop_charged_term(place: Place) -> Iterator[Defect]:
    """`cell_size += index_width` and `rank + rope_dim` without what is added, `rest -= states` without what is taken off."""
    node, around = place.node, place.above[-1]
    if (not isinstance(around, ast.AugAssign) and not isinstance(node, ast.BinOp)) or not place.function_says(ESTIMATES):
        return
    if isinstance(around, ast.AugAssign) and around.value is node and isinstance(around.op, ast.Add | ast.Sub) and _has_sizes(node):
        if not SUM.search(ast.unparse(around.target)):
            return
        yield place.replaced("drop-charged-term", node, "0")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _has_sizes(node.left) and _has_sizes(node.right):
        inside_product = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mult)
        if inside_product and _is_of_bytes(place):
            yield place.replaced("drop-charged-term", node, place.code(node.left))


def _is_of_bytes(place: Place) -> bool:
    """Whether the statement works out a size: what it assigns, or the function that it returns from, is called so."""
    statement = next(node for node in reversed(place.above) if isinstance(node, ast.stmt))
    if isinstance(statement, ast.Return):
        return place.definition is not None and SUM.search(place.definition.name) is not None
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", statement)]
    return any(SUM.search(last_name(target)) is not None for target in targets)


def spend_twice(place: Place) -> Iterator[Defect]:
    """A pool that is given an amount of memory is built once more; what only calculates with the amount may be called twice."""
    node, around = place.node, place.above[-1]
    if not isinstance(node, ast.Call) or not isinstance(around, ast.Assign) or around.value is not node:
        return
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    amounts = any(isinstance(one, ast.Attribute) and AMOUNT.search(one.attr) for one in given)
    if amounts and not place.allocating.isdisjoint(ast.unparse(node.func).split(".")):
        code = place.code(node)
        yield place.replaced("spend-twice", node, f"({code}, {code})[0]")


def keep_what_was_spent(place: Place) -> Iterator[Defect]:
    """`return rest - spent` hands back all of `rest`."""
    node, around = place.node, place.above[-1]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(around, ast.Return) and place.accounts_for_memory:
        if isinstance(node.left, ast.Name) and re.search(r"mem|bytes|budget|rest", node.left.id):
            yield place.replaced("keep-what-was-spent", node, place.code(node.left))


def _has_sizes(node: ast.expr) -> bool:
    """Whether an expression names something other than constants."""
    return any(isinstance(inner, ast.Attribute | ast.Name) for inner in ast.walk(node))


KINDS: dict[str, Finder] = {
    "drop-charged-term": drop_charged_term,
    "spend-twice": spend_twice,
    "keep-what-was-spent": keep_what_was_spent,
}
