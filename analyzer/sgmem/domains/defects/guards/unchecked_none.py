"""Capacity queries that may answer None, and arithmetic that does not ask whether they did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.cfg import EXIT
from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, all_of
from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Field
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_FILES = 40
"""A function of a name that more files than this mention is no query of its own."""
_KINDS = frozenset({"assign", "annotate", "augment", "expression", "return", "if", "assert"})
_ORDER = frozenset({"<", "<=", ">", ">="})


class UncheckedNone(msgspec.Struct, frozen=True):
    """The answer of `query`, called `name` where it is used without a check; `passed` is the call that hands it on."""

    name: str
    query: Location
    passed: Location | None
    use: Location


def unchecked_nones(facts: ProgramFacts) -> Iterator[UncheckedNone]:
    """Every first use, in arithmetic or an order comparison, of what a capacity query gave and nobody checked."""
    queries = _Queries(facts)
    for word in sorted(queries.words):
        for file in facts.program.files.mentioning(word):
            for index in file.mentions(word):
                yield from _of_query(queries, file, index, word)


class _Queries:
    """The capacity queries of a program: those of the models, and its own functions that measure and may give None for an amount."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        rows = [row for row in facts.models.measurements.rows if row.none]
        modelled = {pattern.rpartition(":")[2].rpartition(".")[2] for row in rows for pattern in row.names}
        self._own = {function for function in self._measuring() if self._may_give_none(function)}
        self.words = {word for word in modelled if word.isidentifier()} | {function.name for function in self._own}

    def _measuring(self) -> Iterator[Function]:
        for word in self.facts.models.measurements.words:
            for file in self.facts.program.files.mentioning(word) if word.isidentifier() else ():
                for scope in dict.fromkeys(file.outline.statements[index].scope for index in file.mentions(word)):
                    if file.scope(scope).kind == "function" and file.scope(scope).name != word:
                        yield Function(file, scope)

    def _may_give_none(self, function: Function) -> bool:
        """Whether a function of its own gives what it measured, and None where it could not."""
        if len(self.facts.program.files.tree.mentioning(function.name)) > MAX_FILES or function.name.startswith("__"):
            return False
        returned = [
            (value, index)
            for index in function.file.own_statements(function.index, "return")
            for value in function.file.statement(index).values
        ]
        measured = (
            birth.kind == "measurement"
            for value, index in returned
            if not is_none(value) and not isinstance(value, ir.Collection)
            for birth in self.facts.births.of(value, function.file, index)
        )
        return _gives_none(self.facts, function) and any(measured)

    def may_be_none(self, call: ir.Call, file: File, index: int) -> bool:
        """Whether the query is one that answers None in this program: by the model, and by a None that its code gives."""
        scope = file.outline.statements[index].scope
        functions = [target for target, _, _ in self.facts.program.calls.targets(call, file, scope) if isinstance(target, Function)]
        if any(function in self._own for function in functions):
            return True
        row = self.facts.gauges.measurements.row(call, file, scope)
        return row is not None and row.none and (not functions or any(_gives_none(self.facts, function) for function in functions))


def _of_query(queries: _Queries, file: File, index: int, word: str) -> Iterator[UncheckedNone]:
    facts, row = queries.facts, file.outline.statements[index]
    if row.kind not in _KINDS or is_aside(file, index) or file.scope(row.scope).name == word:
        return
    statement = file.statement(index)
    for binding in statement.bindings:
        call, name = binding.value, dotted(binding.target)
        if isinstance(call, ir.Call) and last_name(call) == word and name is not None and queries.may_be_none(call, file, index):
            query = Location(file, index, call.span)
            if binding.how == "augment":
                yield UncheckedNone(query.code, query, None, of_statement(file, index))
                continue
            use = first_use(facts, file, row.scope, name, index)
            if use is not None:
                yield UncheckedNone(name, query, None, use)
            if isinstance(binding.target, ir.Name):
                yield from _handed_on(facts, file, row.scope, name, index, query)
            elif isinstance(binding.target, ir.Attribute) and use is None:
                yield from _kept(facts, binding.target, file, index, query)
    for root in statement.expressions():
        for node, above in ir.paths(root):
            if not isinstance(node, ir.Call) or last_name(node) != word or not above or not queries.may_be_none(node, file, index):
                continue
            query = Location(file, index, node.span)
            if calculates(above[-1], node):
                yield UncheckedNone(query.code, query, None, of_statement(file, index))
            elif isinstance(above[-1], ir.Call) and node is not above[-1].func:
                yield from given_to(facts, above[-1], node, file, index, query)


def _kept(facts: ProgramFacts, target: ir.Attribute, file: File, index: int, query: Location) -> Iterator[UncheckedNone]:
    """The first unchecked use, in another method of its class, of a field that only ever holds the answer."""
    places = [seen.place for seen in facts.occurrences.writes_in_statement(file, index, target.attr) if seen.node is target]
    place = places[0] if places else None
    if not isinstance(place, Field) or len([one for one in facts.occurrences.writes(place.name) if one.place == place]) > 1:
        return
    family = [*facts.program.classes.mro(place.owner), *facts.program.classes.subclasses(place.owner)]
    scope = file.outline.statements[index].scope
    for other in dict.fromkeys(owner.file for owner in family):
        for at in other.mentions(place.name):
            if other is file and other.outline.statements[at].scope == scope:
                continue
            for seen in facts.occurrences.reads_in_statement(other, at, place.name):
                name = dotted(seen.node)
                if seen.place == place and name is not None and seen.ancestors and calculates(seen.ancestors[-1], seen.node):
                    if not is_checked(facts, other, at, name, seen.ancestors, seen.node):
                        stored = of_statement(file, index)
                        yield UncheckedNone(name, query, stored, Location(other, at, seen.ancestors[-1].span))
                        return


def _gives_none(facts: ProgramFacts, function: Function) -> bool:
    """Whether a function may give None: in so many words, as a local that it sets to None, or by running off its end."""
    given = False
    for index in function.file.own_statements(function.index, "return"):
        values = function.file.statement(index).values
        given = given or bool(values)
        if not values or _may_hold_none(facts, values[0], function, index):
            return True
    return given and _runs_off(facts, function)


def _runs_off(facts: ProgramFacts, function: Function) -> bool:
    """Whether the end of a function is reached from something that is no return."""
    graph = facts.order.graph(function.file, function.index)
    return any(source >= 0 and graph.blocks.row(source).kind != "return" for source, _ in graph.into(EXIT))


def _may_hold_none(facts: ProgramFacts, value: Expr, function: Function, index: int) -> bool:
    if isinstance(value, ir.Conditional):
        return any(_may_hold_none(facts, side, function, index) for side in (value.body, value.orelse))
    if not isinstance(value, ir.Name):
        return is_none(value)
    reaching = facts.order.reaching(function.file, function.index, value.id, index) - {ENTRY}
    return any(is_none(binding.value) for at in reaching for binding in function.file.statement(at).bindings)


def is_none(expr: Expr | None) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def _handed_on(facts: ProgramFacts, file: File, scope: int, name: str, definition: int, query: Location) -> Iterator[UncheckedNone]:
    """The same for functions that take the answer as an argument."""
    for index in file.mentions_in(scope, name):
        if index == definition or definition not in facts.order.reaching(file, scope, name, index):
            continue
        if is_checked(facts, file, index, name, ()):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if isinstance(node, ir.Name) and node.id == name and above and isinstance(above[-1], ir.Call):
                    yield from given_to(facts, above[-1], node, file, index, query)


def given_to(facts: ProgramFacts, call: ir.Call, value: Expr, file: File, index: int, query: Location) -> Iterator[UncheckedNone]:
    """The unchecked use in the function that a call hands the answer to."""
    for target, filled, certain in facts.program.calls.targets(call, file, file.outline.statements[index].scope):
        if not isinstance(target, Function) or not certain:
            continue
        for one in bind(CallSite(file, index, call, filled), target.parameters):
            if one.argument.value is value and one.parameter is not None and one.key is None:
                use = first_use(facts, target.file, target.index, one.parameter, ENTRY)
                if use is not None:
                    yield UncheckedNone(one.parameter, query, Location(file, index, call.span), use)


def first_use(facts: ProgramFacts, file: File, scope: int, name: str, definition: int) -> Location | None:
    """The first unchecked calculation with a local or attribute that a definition reaches."""
    reaching = facts.order.reaching_assignments if "." in name else facts.order.reaching
    for index in file.mentions_in(scope, name.rpartition(".")[2]):
        if index == definition or definition not in reaching(file, scope, name, index):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if isinstance(node, ir.Name | ir.Attribute) and dotted(node) == name and above and calculates(above[-1], node):
                    if not is_checked(facts, file, index, name, above, node):
                        return Location(file, index, above[-1].span)
    return None


def calculates(parent: Expr, node: Expr) -> bool:
    """Whether None in this place raises TypeError."""
    if isinstance(parent, ir.Compare):
        links = zip(parent.operands, parent.operators, parent.operands[1:], strict=False)
        return any(node in (left, right) and operator in _ORDER for left, operator, right in links)
    if isinstance(parent, ir.Call):
        return parent.func is not node and arithmetic.function_name(parent) is not None
    if isinstance(parent, ir.Unary):
        return parent.operator != "not"
    return (
        isinstance(parent, ir.Binary) and parent.operator in ("+", "-", "*", "/", "//", "%") and not isinstance(parent.left, ir.Format)
    )


def is_checked(facts: ProgramFacts, file: File, index: int, name: str, above: tuple[Expr, ...], node: Expr | None = None) -> bool:
    conditions = list(facts.reaches.conditions.own(file, index))
    if node is not None:
        conditions += expression_conditions(node, above, index)
    known = all_of(one.predicate for one in conditions)
    return implies(known, Atom(name, "is not", None)) or implies(known, Atom(name, "truthy"))
