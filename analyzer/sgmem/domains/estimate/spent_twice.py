"""Amounts that are spent twice: one budget, handed in full to two allocations on one path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.estimate.spending import Spenders
from sgmem.domains.estimate.together import Step, follows, go_together, share_a_subject
from sgmem.flow.order import ENTRY
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.spending import Spending
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class SpentTwice(msgspec.Struct, frozen=True):
    """`amount` is handed in full to a first and a second call (in a `loop` the same one); `sink` is where it is taken at last.

    `certain`: whenever one of them runs, so does the other.
    """

    amount: str
    function: str
    first: Location
    second: Location
    first_sink: Location
    sink: Location
    loop: bool
    certain: bool


def spent_twice(facts: ProgramFacts) -> list[SpentTwice]:
    """Every amount of a program that one function spends more than once."""
    found: list[SpentTwice] = []
    groups: dict[tuple[str, int, str], list[Spending]] = {}
    for one in Spenders(facts.program, facts.books.divisions).all:
        groups.setdefault((one.file.path, one.function.index, one.amount.text), []).append(one)
    for spendings in groups.values():
        pairs = list(_pairs(facts, spendings))
        pairs.sort(key=lambda pair: not go_together(facts, _step(pair[0]), _step(pair[1])))
        if pairs:
            found.append(_described(facts, *pairs[0]))
    return found


def _pairs(facts: ProgramFacts, spendings: list[Spending]) -> Iterator[tuple[Spending, Spending]]:
    """Two spendings of one value on one path, or one that a loop repeats."""
    for position, first in enumerate(spendings):
        for second in spendings[position + 1 :]:
            together = go_together(facts, _step(first), _step(second)) or not share_a_subject(facts, _step(first), _step(second))
            if together and _is_same_value(facts, first, second) and _follows(facts, first, second):
                yield first, second
    for one in spendings:
        if _repeats(facts, one):
            yield one, one


def _is_same_value(facts: ProgramFacts, first: Spending, second: Spending) -> bool:
    return _reaching(facts, first) == _reaching(facts, second)


def _reaching(facts: ProgramFacts, one: Spending) -> frozenset[int]:
    """The statements of the function that may have set the amount before it is spent."""
    scope, text = one.function.index, one.amount.text
    if "." in text:
        return facts.order.reaching_assignments(one.file, scope, text, one.statement)
    return facts.order.reaching(one.file, scope, text, one.statement)


def _follows(facts: ProgramFacts, first: Spending, second: Spending) -> bool:
    """Whether both are reached on one path."""
    if first.statement == second.statement:
        return not _are_alternatives(first, second)
    return follows(facts, _step(first), _step(second))


def _step(one: Spending) -> Step:
    return Step(one.file, one.statement)


def _are_alternatives(first: Spending, second: Spending) -> bool:
    """Whether two calls of one statement are the two sides of a choice."""
    for root in first.file.statement(first.statement).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Conditional):
                sides = [side.span for side in (node.body, node.orelse)]
                inside = [any(side.contains(one.call.span) for one in (first, second)) for side in sides]
                if all(inside) and not any(side.contains(first.call.span) and side.contains(second.call.span) for side in sides):
                    return True
    return False


def _repeats(facts: ProgramFacts, one: Spending) -> bool:
    """Whether a loop around a call runs it for one value again and again, with different things to build."""
    file = one.file
    loop = _loop_around(file, one.statement)
    if loop is None:
        return False
    binding = file.statement(loop).bindings
    names = {node.id for each in binding for node in ir.walk(each.target) if isinstance(node, ir.Name)}
    used = {node.id for node in ir.walk(one.call) if isinstance(node, ir.Name)}
    set_inside = any(index != ENTRY and _is_inside(file, index, loop) for index in _reaching(facts, one))
    root = one.amount.text.partition(".")[0]
    return bool(names & used) and root not in names and not set_inside


def _loop_around(file: File, statement: int) -> int | None:
    """The `for` around a statement that no jump leaves after one round."""
    scope = file.outline.statements[statement].scope
    index = file.outline.statements[statement].parent
    while index >= 0 and file.outline.statements[index].scope == scope:
        if file.outline.statements[index].kind == "for":
            leaves = (i for i in file.own_statements(scope) if _is_inside(file, i, index))
            jumps = any(file.outline.statements[i].kind in ("break", "return") for i in leaves)
            return None if jumps else index
        index = file.outline.statements[index].parent
    return None


def _is_inside(file: File, statement: int, loop: int) -> bool:
    index = file.outline.statements[statement].parent
    while index > loop:
        index = file.outline.statements[index].parent
    return index == loop


def _described(facts: ProgramFacts, first: Spending, second: Spending) -> SpentTwice:
    return SpentTwice(
        second.amount.text,
        second.function.name,
        _call(first),
        _call(second),
        _taken(first),
        _taken(second),
        first is second,
        go_together(facts, _step(first), _step(second)),
    )


def _call(one: Spending) -> Location:
    return Location(one.file, one.statement, one.call.span)


def _taken(one: Spending) -> Location:
    """The argument with which the amount is handed to what divides it."""
    last = one.last
    return Location(last.file, last.statement, last.amount.node.span)
