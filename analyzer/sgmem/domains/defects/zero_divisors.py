"""Divisors that a line in sight makes zero: a constant 0, a floor division, the length of a list that was filtered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, all_of
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

Producer = Literal["zero", "floor", "filtered"]
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class ZeroDivisor:
    """`division` divides by `divisor`, which `producer` can make zero: `how` says in what way."""

    divisor: str
    how: Producer
    producer: Location
    division: Location


def zero_divisors(facts: ProgramFacts) -> Iterator[ZeroDivisor]:
    """Every division, in functions that calculate with amounts of memory, by a local that can be zero unchecked."""
    for file, scope in _scopes(facts):
        if file.scope(scope).kind == "function":
            for index in file.own_statements(scope):
                if file.outline.statements[index].kind in ("assign", "return", "augment", "annotate") and not is_aside(file, index):
                    if "/" in file.own_text(index) or "%" in file.own_text(index):
                        yield from _in_statement(facts, file, index)


def _scopes(facts: ProgramFacts) -> Iterator[tuple[File, int]]:
    """The functions that calculate with amounts of memory, or measure them."""
    found = dict.fromkeys((file, file.outline.statements[index].scope) for file, index in facts.statements)
    for word in facts.models.measurements.words:
        if word.isidentifier():
            for file in facts.program.files.mentioning(word):
                found.update(dict.fromkeys((file, file.outline.statements[index].scope) for index in file.mentions(word)))
    yield from found


def _in_statement(facts: ProgramFacts, file: File, index: int) -> Iterator[ZeroDivisor]:
    for root in file.statement(index).expressions():
        for node, above in ir.paths(root):
            if isinstance(node, ir.Binary) and node.operator in ("/", "//", "%") and isinstance(node.right, ir.Name):
                name = node.right.id
                found = _producer(facts, node.right, file, index, 0)
                if found is not None and not _is_checked(facts, file, index, name, (*above, node), node.right):
                    yield ZeroDivisor(name, found[0], of_statement(file, found[1]), Location(file, index, node.span))


def _producer(facts: ProgramFacts, expr: Expr, file: File, index: int, depth: int) -> tuple[Producer, int] | None:
    """What can make a value zero, and the statement that does."""
    if depth > MAX_DEPTH:
        return None
    match expr:
        case ir.Const():
            return ("zero", index) if depth and expr.value == 0 and not isinstance(expr.value, bool) else None
        case ir.Name():
            return _of_local(facts, expr, file, index, depth)
        case ir.Binary(operator="//") if depth:
            return ("floor", index) if _may_be_less(expr, facts, file, index) else None
        case ir.Binary(operator="*"):
            return _producer(facts, expr.left, file, index, depth + 1) or _producer(facts, expr.right, file, index, depth + 1)
        case ir.Conditional():
            return _producer(facts, expr.body, file, index, depth + 1) or _producer(facts, expr.orelse, file, index, depth + 1)
        case ir.Call() if arithmetic.function_name(expr) in ("int", "float", "round") and expr.args:
            return _producer(facts, expr.args[0].value, file, index, depth + 1)
        case ir.Call(func=ir.Name(id="len")) if len(expr.args) == 1:
            return _of_length(facts, expr.args[0].value, file, index)
    return None


def _of_local(facts: ProgramFacts, expr: ir.Name, file: File, index: int, depth: int) -> tuple[Producer, int] | None:
    scope = file.outline.statements[index].scope
    reaching = facts.order.reaching(file, scope, expr.id, index)
    values: list[tuple[Expr, int]] = []
    for at in sorted(reaching - {ENTRY}):
        for binding in file.statement(at).bindings:
            if dotted(binding.target) == expr.id:
                if binding.how not in ("assign", "annotate") or binding.value is None:
                    return None  # counted up in a loop: when that is zero is another question
                values.append((binding.value, at))
    for value, at in values:
        found = _producer(facts, value, file, at, depth + 1)
        if found is not None:
            return found
    return None


def _of_length(facts: ProgramFacts, value: Expr, file: File, index: int) -> tuple[Producer, int] | None:
    """Whether a list is a comprehension that leaves things out."""
    if isinstance(value, ir.Name):
        scope = file.outline.statements[index].scope
        reaching = facts.order.reaching(file, scope, value.id, index)
        if len(reaching) != 1 or ENTRY in reaching:
            return None
        at = next(iter(reaching))
        found = [b.value for b in file.statement(at).bindings if dotted(b.target) == value.id and b.value is not None]
        return _of_length(facts, found[0], file, at) if len(found) == 1 and not isinstance(found[0], ir.Name) else None
    if isinstance(value, ir.Comprehension) and any(clause.conditions for clause in value.clauses):
        return "filtered", index
    return None


def _may_be_less(expr: ir.Binary, facts: ProgramFacts, file: File, index: int) -> bool:
    """Whether a quotient of a measured or given amount may be below one: what is divided is no product that holds the divisor."""
    divisor = dotted(expr.right)
    held = {dotted(node) for node in ir.walk(expr.left)}
    if divisor is not None and divisor in held:
        return False
    evidence = facts.units.infer(expr.left, file, index)
    if evidence is not None and (evidence.unit.is_amount or evidence.unit.is_count):
        return True
    return any(birth.kind == "measurement" for birth in facts.births.of(expr.left, file, index))


def _is_checked(facts: ProgramFacts, file: File, index: int, name: str, above: tuple[Expr, ...], node: Expr) -> bool:
    conditions = [*facts.reaches.conditions.own(file, index), *expression_conditions(node, above, index)]
    known = all_of(one.predicate for one in conditions)
    atoms = (Atom(name, "truthy"), Atom(name, ">", 0), Atom(name, "!=", 0), Atom(name, ">=", 1))
    return any(implies(known, atom) for atom in atoms)
