"""Names that an expression binds for itself: the variables of comprehensions and the parameters of lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgmem.syntax.ir import Expr

Binder = ir.Clause | ir.Lambda
"""What binds an inner name: the clause of a comprehension that iterates over it, or a lambda."""


def inner_names(root: Expr) -> Iterator[tuple[ir.Name, Binder]]:
    """Every name below `root` that a comprehension or lambda around it binds, where it is bound included."""
    pending: list[tuple[Expr, Mapping[str, Binder]]] = [(root, {})]
    while pending:
        node, bound = pending.pop()
        if isinstance(node, ir.Name):
            if node.id in bound:
                yield node, bound[node.id]
        elif isinstance(node, ir.Comprehension):
            pending += _comprehension(node, bound)
        elif isinstance(node, ir.Lambda):
            pending += [(default, bound) for default in node.defaults]
            pending.append((node.body, {**bound, **dict.fromkeys(node.parameters, node)}))
        else:
            pending += [(child, bound) for child in node.children()]


def _comprehension(node: ir.Comprehension, bound: Mapping[str, Binder]) -> Iterator[tuple[Expr, Mapping[str, Binder]]]:
    """The parts of a comprehension, each with the names bound there; an iterable does not see its own clause."""
    for clause in node.clauses:
        yield clause.iterable, bound
        targets = (each.id for each in ir.walk(clause.target) if isinstance(each, ir.Name))
        bound = {**bound, **dict.fromkeys(targets, clause)}
        yield clause.target, bound
        for condition in clause.conditions:
            yield condition, bound
    yield node.element, bound
    if node.value is not None:
        yield node.value, bound
