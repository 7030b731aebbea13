"""Budgets that are divided twice in full: as if each of two buffers had all of it to itself."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.location import Location
from sgmem.domains.estimate.together import Step, follows, go_together
from sgmem.program.classes import assigned
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.divisions import Division
    from sgmem.domains.program_facts import ProgramFacts

_CHOOSING = frozenset({"min", "max"})


class DividedTwice(msgspec.Struct, frozen=True):
    """`budget` gives the counts `first` and `second`, each as if all of it were there for it."""

    budget: str
    first: str
    second: str
    first_division: Location
    second_division: Location


def divided_twice(facts: ProgramFacts) -> Iterator[DividedTwice]:
    """Every budget of device memory that one path divides twice by different sizes, for two counts that are both kept."""
    for first, second in combinations(facts.books.estimates.divisions, 2):
        if (first.file.path, first.scope) != (second.file.path, second.scope) or first.statement == second.statement:
            continue
        budget = _spelled(first)
        targets = _target(first), _target(second)
        if budget is None or budget != _spelled(second) or None in targets or targets[0] == targets[1]:
            continue
        if _code(first.node.right, first) == _code(second.node.right, second):
            continue
        steps = Step(first.file, first.statement), Step(second.file, second.statement)
        if not follows(facts, *steps) or not go_together(facts, *steps) or _reaching(facts, first) != _reaching(facts, second):
            continue
        if not _choose(first, str(targets[0]), str(targets[1])):
            yield DividedTwice(budget, str(targets[0]), str(targets[1]), _place(first), _place(second))


def _spelled(division: Division) -> str | None:
    """The one name that a dividend is, conversions aside."""
    leaves = [leaf for leaf in inputs(division.node.left) if not isinstance(leaf, ir.Const)]
    operators = {node.operator for node in ir.walk(division.node.left) if isinstance(node, ir.Binary)}
    return dotted(leaves[0]) if len(leaves) == 1 and operators <= {"*", "<<"} else None


def _target(division: Division) -> str | None:
    for binding in division.file.statement(division.statement).bindings:
        if binding.value is not None and binding.value.span.contains(division.node.span):
            targets = assigned(binding.target)
            return dotted(targets[0]) if len(targets) == 1 else None
    return None


def _reaching(facts: ProgramFacts, division: Division) -> frozenset[int]:
    text = _spelled(division) or ""
    if "." in text:
        return facts.order.reaching_assignments(division.file, division.scope, text, division.statement)
    return facts.order.reaching(division.file, division.scope, text, division.statement)


def _choose(division: Division, first: str, second: str) -> bool:
    """Whether the function goes on with one of the two counts only, or weighs one against the other."""
    file, names = division.file, (first.rpartition(".")[2], second.rpartition(".")[2])
    for index in file.mentions_in(division.scope, names[0]):
        if index not in file.mentions(names[1]):
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                chosen = isinstance(node, ir.Compare | ir.Binary | ir.Conditional)
                chosen = chosen or (isinstance(node, ir.Call) and (dotted(node.func) or "") in _CHOOSING)
                if chosen and {first, second} <= {dotted(inner) for inner in ir.walk(node)}:
                    return True
    return False


def _code(expr: ir.Expr, division: Division) -> str:
    return " ".join(division.file.source.slice(expr.span).split())


def _place(division: Division) -> Location:
    return Location(division.file, division.statement, division.node.span)
