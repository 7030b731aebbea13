"""The first check that stops a value: a comparison with a number whose outcome raises or returns."""

from __future__ import annotations

from sgmem.flow.graph import SiteKey, Slice
from sgmem.program.files import File
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_STOPS = frozenset({"raise", "return"})
_ORDERS = frozenset({"<", "<=", ">", ">="})


class Checks:
    """Looks along the flows of a slice, whose places must be joined."""

    def __init__(self, slice_: Slice) -> None:
        self.slice = slice_
        self.after: dict[SiteKey, list[SiteKey]] = {}
        for source, target in slice_.edges:
            self.after.setdefault(source, []).append(target)

    def first(self, start: SiteKey) -> SiteKey | None:
        """The nearest guard that a value computed at `start` meets, in hops; the first in the file among equals."""
        # Breadth first by hand: importing networkx takes longer than the rest of this search.
        layer, seen = [start], {start}
        while layer:
            found = [key for key in layer if key.role == "guard" and self._stops(key)]
            if found:
                return min(found, key=lambda key: (key.file.path, key.span))
            layer = [key for key in dict.fromkeys(after for key in layer for after in self.after.get(key, ())) if key not in seen]
            seen.update(layer)
        return None

    def _stops(self, key: SiteKey) -> bool:
        site = self.slice.sites[key]
        file, statement = key.file, site.statement
        row = file.outline.statements[statement]
        test = file.test(statement)
        if test is None or not _bounds(test, site.node):
            return False
        return row.kind == "assert" or (row.kind == "if" and _leaves(file, statement))


def _bounds(test: Expr, node: Expr | None) -> bool:
    """Whether the test compares the value with a number in order (`x <= 0`, `0 < x`)."""
    for part in ir.walk(test):
        if isinstance(part, ir.Compare) and any(operator in _ORDERS for operator in part.operators):
            numbers = any(isinstance(operand, ir.Const) and isinstance(operand.value, int | float) for operand in part.operands)
            if numbers and (node is None or any(inner is node for operand in part.operands for inner in ir.walk(operand))):
                return True
    return False


def _leaves(file: File, statement: int) -> bool:
    """Whether a branch of the if ends in raise or return."""
    return any(file.outline.statements[index].kind in _STOPS for index in file.outline.inside(statement))


__all__ = ["Checks"]
