"""Divisors that a line in sight makes zero: a constant or default of 0, a floor division, a clamp at 0, a count of filtered things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import And, Atom, Opaque, all_of
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.guards.scopes import sizing_scopes
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.predicates import Predicate
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.birth import Birth
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

Producer = Literal["zero", "floor", "filtered", "clamped", "default"]
MAX_DEPTH = 4
_KEY_VALUE = re.compile(r"(?:^|_)(?:kv|key_value)_")


class ZeroDivisor(msgspec.Struct, frozen=True):
    """`division` divides by `divisor`, which `producer` can make zero: `how` says in what way. `afar`: it does so in another function,
    where what decides about it may decide about the division as well.
    """

    divisor: str
    how: Producer
    producer: Location
    division: Location
    afar: bool = False


def zero_divisors(facts: ProgramFacts) -> Iterator[ZeroDivisor]:
    """Every division, in functions that calculate with amounts of memory, by a local that can be zero unchecked."""
    for file, scope in sizing_scopes(facts):
        for index in file.own_statements(scope):
            if file.outline.statements[index].kind in ("assign", "return", "augment", "annotate") and not is_aside(file, index):
                if "/" in file.own_text(index) or "%" in file.own_text(index):
                    yield from _in_statement(facts, file, index)


def _in_statement(facts: ProgramFacts, file: File, index: int) -> Iterator[ZeroDivisor]:
    for root in file.statement(index).expressions():
        for node, above in ir.paths(root):
            if isinstance(node, ir.Binary) and node.operator in ("/", "//", "%") and not isinstance(node.left, ir.Format):
                divisor = node.right
                names = [text for leaf in ir.walk(divisor) if (text := dotted(leaf)) is not None]
                if any(_is_checked(facts, file, index, name, (*above, node), divisor) for name in names):
                    continue
                yield from _divided(facts, file, index, node, divisor)


def _divided(facts: ProgramFacts, file: File, index: int, node: ir.Binary, divisor: Expr) -> Iterator[ZeroDivisor]:
    if not isinstance(divisor, ir.Name | ir.Attribute | ir.Call):
        return
    name = dotted(divisor) or Location(file, index, divisor.span).code
    here = Location(file, index, node.span)
    found = _producer(facts, divisor, file, index, 0)
    if found is not None:
        yield ZeroDivisor(name, found[0], of_statement(file, found[1]), here)
        return
    default = _declared_zero(facts, divisor, file, index)
    if default is not None:
        yield ZeroDivisor(name, "default", default, here, afar=True)


def _declared_zero(facts: ProgramFacts, divisor: Expr, file: File, index: int) -> Location | None:
    """The declaration of an option that is 0 where the user gives nothing, if the divisor is one, unconverted."""
    if isinstance(divisor, ir.Call):
        return None
    for birth in facts.births.only(("declaration", "constant", "parameter"), divisor, file, index):
        if birth.kind == "declaration" and not facts.births.is_aside(birth) and not _guarded_on_the_way(facts, birth):
            for binding in birth.file.statement(birth.statement).bindings:
                if isinstance(binding.value, ir.Const) and binding.value.value == 0 and not isinstance(binding.value.value, bool):
                    return of_statement(birth.file, birth.statement)
    return None


def _guarded_on_the_way(facts: ProgramFacts, birth: Birth) -> bool:
    """Whether some condition stands at one of the places that it passes: it may be about the value."""
    return any(
        one.how != "check" or one.statement >= 0 for hop in birth.hops for one in facts.reaches.conditions.own(hop.file, hop.statement)
    )


def _producer(facts: ProgramFacts, expr: Expr, file: File, index: int, depth: int) -> tuple[Producer, int] | None:
    """What can make a value zero, and the statement that does."""
    if depth > MAX_DEPTH:
        return None
    match expr:
        case ir.Const():
            return ("zero", index) if depth and _is_zero(expr) else None
        case ir.Name() | ir.Attribute():
            return _of_local(facts, expr, file, index, depth)
        case ir.Binary(operator="//") if depth:
            return ("floor", index) if _may_be_less(expr, facts, file, index) else None
        case ir.Binary(operator="*"):
            return _producer(facts, expr.left, file, index, depth or 1) or _producer(facts, expr.right, file, index, depth or 1)
        case ir.Conditional():
            return _producer(facts, expr.body, file, index, depth + 1) or _producer(facts, expr.orelse, file, index, depth + 1)
        case ir.Call() if arithmetic.function_name(expr) in ("int", "float", "round") and expr.args:
            return _producer(facts, expr.args[0].value, file, index, depth + 1)
        case ir.Call(func=ir.Name(id="len" | "sum")) if len(expr.args) == 1:
            return _of_length(facts, expr.args[0].value, file, index)
        case ir.Call(func=ir.Attribute(attr="count")) if len(expr.args) == 1:
            return "filtered", index
        case ir.Call() if arithmetic.function_name(expr) == "max" and len(expr.args) == 2:
            return ("clamped", index) if any(_is_zero(argument.value) for argument in expr.args) else None
    return None


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value == 0 and not isinstance(expr.value, bool)


def _of_local(facts: ProgramFacts, expr: Expr, file: File, index: int, depth: int) -> tuple[Producer, int] | None:
    """By the assignments in the same function that reach a name or attribute."""
    scope, text = file.outline.statements[index].scope, dotted(expr)
    if text is None:
        return None
    order = facts.order
    reaching = (order.reaching if isinstance(expr, ir.Name) else order.reaching_assignments)(file, scope, text, index)
    values: list[tuple[Expr, int]] = []
    for at in sorted(reaching - {ENTRY, index}):
        for binding in file.statement(at).bindings:
            if dotted(binding.target) == text:
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
    if _is_replicated(expr, facts, file, index):
        return True
    evidence = facts.units.infer(expr.left, file, index)
    if evidence is not None and (evidence.unit.is_amount or evidence.unit.is_count):
        return True
    return any(birth.kind == "measurement" for birth in facts.births.of(expr.left, file, index))


def _is_replicated(expr: ir.Binary, facts: ProgramFacts, file: File, index: int) -> bool:
    """Whether a model's heads of keys and values, which ranks hold copies of where there are fewer, are divided by ranks."""
    if _KEY_VALUE.search(spelled(expr.left)) is None:
        return False
    row = facts.ranks.counts.of(expr.left)
    return row is not None and row.things == "heads" and bool(facts.ranks.groups.size(expr.right, file, index))


def _is_checked(facts: ProgramFacts, file: File, index: int, name: str, above: tuple[Expr, ...], node: Expr) -> bool:
    conditions = [*facts.reaches.conditions.own(file, index), *expression_conditions(node, above, index)]
    known = all_of(one.predicate for one in conditions)
    atoms = (Atom(name, "truthy"), Atom(name, ">", 0), Atom(name, "!=", 0), Atom(name, ">=", 1))
    return any(implies(known, atom) for atom in atoms) or _is_checked_by_call(known, name)


def _is_checked_by_call(known: Predicate, name: str) -> bool:
    """Whether a test asks the same of what a call makes of a value: `int(count) > 0`, `len(layers) != 0`."""
    asked = re.compile(rf"(?:int|float|len|abs|bool)\({re.escape(name)}\)(?: (?:> ?\d+|!= ?0|>= ?[1-9]\d*))?")
    parts = known.parts if isinstance(known, And) else (known,)
    return any(isinstance(part, Opaque) and asked.fullmatch(part.text) is not None for part in parts)
