"""Provenance defects: a default that is chosen, or scaled, whether or not the user gave a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from defects.places import Defect, Finder, Place, number


def drop_none_guard(place: Place) -> Iterator[Defect]:
    """`if self.fraction is None: self.fraction = 0.8` without its question."""
    node, around = place.node, place.above[-1]
    if not isinstance(node, ast.Compare) or not isinstance(around, ast.If) or around.test is not node:
        return
    if not isinstance(node.ops[0], ast.Is) or not isinstance(node.left, ast.Attribute) or not place.accounts_for_memory:
        return
    setting = node.left.attr
    sets = any(
        isinstance(target, ast.Attribute) and target.attr == setting
        for statement in ast.walk(around)
        if isinstance(statement, ast.Assign) and number(statement.value) is not None
        for target in statement.targets
    )
    if sets and isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value is None:
        yield place.replaced("drop-none-guard", node, "True")


KINDS: dict[str, Finder] = {"drop-none-guard": drop_none_guard}
