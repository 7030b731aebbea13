"""Capacity queries that may answer None, and arithmetic that does not ask whether they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, all_of
from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_ORDER = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class UncheckedNone:
    """The answer of `query`, called `name` where it is used without a check; `passed` is the call that hands it on."""

    name: str
    query: Location
    passed: Location | None
    use: Location


def unchecked_nones(facts: ProgramFacts) -> Iterator[UncheckedNone]:
    """Every first use, in arithmetic or an order comparison, of what a capacity query gave and nobody checked."""
    rows = [row for row in facts.models.measurements.rows if row.none]
    words = sorted({pattern.rpartition(":")[2].rpartition(".")[2] for row in rows for pattern in row.names})
    for word in (word for word in words if word.isidentifier()):
        for file in facts.program.files.mentioning(word):
            for index in file.mentions(word):
                yield from _of_query(facts, file, index, word)


def _of_query(facts: ProgramFacts, file: File, index: int, word: str) -> Iterator[UncheckedNone]:
    row = file.outline.statements[index]
    if row.kind not in ("assign", "annotate", "expression", "return") or is_aside(file, index) or file.scope(row.scope).name == word:
        return
    statement = file.statement(index)
    for binding in statement.bindings:
        call = binding.value
        if (
            isinstance(call, ir.Call)
            and last_name(call) == word
            and isinstance(binding.target, ir.Name)
            and _may_be_none(facts, call, file, index)
        ):
            query = Location(file, index, call.span)
            use = _first_use(facts, file, row.scope, binding.target.id, index)
            if use is not None:
                yield UncheckedNone(binding.target.id, query, None, use)
            yield from _handed_on(facts, file, row.scope, binding.target.id, index, query)
    for root in statement.expressions():
        for node, above in ir.paths(root):
            if not isinstance(node, ir.Call) or last_name(node) != word or not above or not _may_be_none(facts, node, file, index):
                continue
            query = Location(file, index, node.span)
            if _calculates(above[-1], node):
                yield UncheckedNone(query.code, query, None, of_statement(file, index))
            elif isinstance(above[-1], ir.Call) and node is not above[-1].func:
                yield from _given_to(facts, above[-1], node, file, index, query)


def _may_be_none(facts: ProgramFacts, call: ir.Call, file: File, index: int) -> bool:
    """Whether the query is one that answers None in this program: by the model, and by a None that its code gives."""
    row = facts.gauges.measurements.row(call, file, file.outline.statements[index].scope)
    if row is None or not row.none:
        return False
    targets = facts.program.calls.targets(call, file, file.outline.statements[index].scope)
    functions = [target for target, _, _ in targets if isinstance(target, Function)]
    return not functions or any(_gives_none(facts, function) for function in functions)


def _gives_none(facts: ProgramFacts, function: Function) -> bool:
    """Whether a function returns None in so many words: directly, or a local that it sets to None."""
    for index in function.file.own_statements(function.index):
        if function.file.outline.statements[index].kind == "return":
            values = function.file.statement(index).values
            if not values or _may_hold_none(facts, values[0], function, index):
                return True
    return False


def _may_hold_none(facts: ProgramFacts, value: Expr, function: Function, index: int) -> bool:
    if isinstance(value, ir.Conditional):
        return any(_may_hold_none(facts, side, function, index) for side in (value.body, value.orelse))
    if not isinstance(value, ir.Name):
        return _is_none(value)
    reaching = facts.order.reaching(function.file, function.index, value.id, index) - {ENTRY}
    return any(_is_none(binding.value) for at in reaching for binding in function.file.statement(at).bindings)


def _is_none(expr: Expr | None) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def _handed_on(facts: ProgramFacts, file: File, scope: int, name: str, definition: int, query: Location) -> Iterator[UncheckedNone]:
    """The same for functions that take the answer as an argument."""
    for index in file.mentions_in(scope, name):
        if index == definition or definition not in facts.order.reaching(file, scope, name, index):
            continue
        if _is_checked(facts, file, index, name, ()):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if isinstance(node, ir.Name) and node.id == name and above and isinstance(above[-1], ir.Call):
                    yield from _given_to(facts, above[-1], node, file, index, query)


def _given_to(facts: ProgramFacts, call: ir.Call, value: Expr, file: File, index: int, query: Location) -> Iterator[UncheckedNone]:
    """The unchecked use in the function that a call hands the answer to."""
    for target, filled, certain in facts.program.calls.targets(call, file, file.outline.statements[index].scope):
        if not isinstance(target, Function) or not certain:
            continue
        for one in bind(CallSite(file, index, call, filled), target.parameters):
            if one.argument.value is value and one.parameter is not None and one.key is None:
                use = _first_use(facts, target.file, target.index, one.parameter, ENTRY)
                if use is not None:
                    yield UncheckedNone(one.parameter, query, Location(file, index, call.span), use)


def _first_use(facts: ProgramFacts, file: File, scope: int, name: str, definition: int) -> Location | None:
    for index in file.mentions_in(scope, name):
        if index == definition or definition not in facts.order.reaching(file, scope, name, index):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if isinstance(node, ir.Name) and node.id == name and above and _calculates(above[-1], node):
                    if not _is_checked(facts, file, index, name, above, node):
                        return Location(file, index, above[-1].span)
    return None


def _calculates(parent: Expr, node: Expr) -> bool:
    """Whether None in this place raises TypeError."""
    if isinstance(parent, ir.Compare):
        links = zip(parent.operands, parent.operators, parent.operands[1:], strict=False)
        return any(node in (left, right) and operator in _ORDER for left, operator, right in links)
    return (
        isinstance(parent, ir.Binary) and parent.operator in ("+", "-", "*", "/", "//", "%") and not isinstance(parent.left, ir.Format)
    )


def _is_checked(facts: ProgramFacts, file: File, index: int, name: str, above: tuple[Expr, ...], node: Expr | None = None) -> bool:
    conditions = list(facts.reaches.conditions.own(file, index))
    if node is not None:
        conditions += expression_conditions(node, above, index)
    known = all_of(one.predicate for one in conditions)
    return implies(known, Atom(name, "is not", None)) or implies(known, Atom(name, "truthy"))
