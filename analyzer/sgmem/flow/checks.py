"""The first check that stops a value: a comparison with a number whose outcome raises or returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.control.predicates import TRUE
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.control.predicates import Predicate
    from sgmem.flow.graph import SiteKey, Slice
    from sgmem.flow.guards import Conditions
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_STOPS = frozenset({"raise", "return"})
_ORDERS = frozenset({"<", "<=", ">", ">="})


class Checks:
    """Looks along the flows of a slice, whose places must be joined."""

    def __init__(self, slice_: Slice, conditions: Conditions) -> None:
        self.slice = slice_
        self.conditions = conditions
        self.after: dict[SiteKey, list[SiteKey]] = {}
        for source, target in slice_.edges:
            self.after.setdefault(source, []).append(target)

    def first(self, start: SiteKey) -> SiteKey | None:
        """The nearest guard that a value computed at `start` always meets, in hops; the first in the file among equals. One on a side
        way, such as the size of a part that only some models have, counts where no other is found."""
        # Breadth first by hand: importing networkx takes longer than the rest of this search.
        layer, seen, aside = [start], {start}, None
        given = self._needed(start)
        while layer:
            found = sorted(filter(self._stops, layer), key=lambda key: (key.file.path, key.span))
            always = next((key for key in found if self._needed(key) <= given), None)
            if always is not None:
                return always
            aside = aside or next(iter(found), None)
            layer = [key for key in dict.fromkeys(after for key in layer for after in self.after.get(key, ())) if key not in seen]
            seen.update(layer)
        return aside

    def _needed(self, key: SiteKey) -> set[Predicate]:
        """The conditions under which a place is reached, checks before it aside."""
        conditions = self.conditions.of(key.file, self.slice.sites[key].statement)
        return {one.predicate for one in conditions if one.predicate != TRUE and one.how != "check"}

    def _stops(self, key: SiteKey) -> bool:
        if key.role != "guard":
            return False
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
