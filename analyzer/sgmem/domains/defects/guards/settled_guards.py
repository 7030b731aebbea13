"""Guards that a line before them has settled: the value was clamped, replaced or calculated, and can no longer be what they ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.expressions import from_expression
from sgmem.control.implication import contradicts
from sgmem.control.predicates import TRUE, Atom, all_of
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.guards.scopes import sizing_scopes
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from sgmem.control.predicates import Predicate
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


_COMPARES = re.compile(r"\w+\b\(?(?:[\w.\s\\%)]|(?<!\w)\()+(?:[=!]=|[<>]=?)[\s\\(]*[\w.]")
"""The header of a statement that compares a place, or the rest of a division."""


class SettledGuard(msgspec.Struct, frozen=True):
    """`test` can never hold, because `settled` made `place` something else; `how` says what: "clamped", "replaced", "calculated", or
    "equal": the very thing that it is compared with, which a test that is asserted always fits.
    """

    place: str
    how: str
    test: Location
    settled: Location
    always: bool = False
    """It can never fail instead: what it asserts always holds."""


def settled_guards(facts: ProgramFacts) -> Iterator[SettledGuard]:
    """Every test that raises for a value which cannot occur there, in functions that calculate with amounts of memory."""
    for file, scope in sizing_scopes(facts):
        rows = file.outline.statements
        for index in file.own_statements(scope):
            asserted = rows[index].kind == "assert"
            if (asserted or rows[index].kind == "if") and not is_aside(file, index):
                equal = _made_equal(facts, file, scope, index, asserted)
                if equal is not None:
                    yield equal
                    continue
            if rows[index].kind != "if" or is_aside(file, index) or file.outline.last_inside(index, "body") != "raise":
                continue
            test = file.test(index)
            fires = from_expression(test) if test is not None else TRUE
            for part in dict.fromkeys(text for node in ir.walk(test) if (text := dotted(node)) is not None) if test is not None else ():
                found = _settled(facts, file, scope, index, part, fires)
                if found is not None and test is not None:
                    yield SettledGuard(part, found[0], Location(file, index, test.span), of_statement(file, found[1]))
                    break


def _made_equal(facts: ProgramFacts, file: File, scope: int, index: int, asserted: bool) -> SettledGuard | None:
    """A test of two things of which a line before has made one the other."""
    if _COMPARES.match(file.own_text(index)) is None or (not asserted and file.outline.last_inside(index, "body") != "raise"):
        return None
    statement = file.statement(index)
    test = file.test(index) if not asserted else next(iter(statement.values), None)
    pair = _compared(test, asserted) if isinstance(test, ir.Compare) else None
    if test is None or pair is None:
        return None
    for place, other in (pair, pair[::-1]):
        at = _only_definition(facts, file, scope, place, index)
        if at is None or at == ENTRY:
            continue
        values = [dotted(b.value) for b in file.statement(at).bindings if b.how == "assign" and b.value and dotted(b.target) == place]
        before, now = (_only_definition(facts, file, scope, other, where) for where in (at, index))
        if values == [other] and before is not None and before == now and not _called_between(file, scope, at, index):
            return SettledGuard(place, "equal", Location(file, index, test.span), of_statement(file, at), asserted)
    return None


def _compared(test: ir.Compare, asserted: bool) -> tuple[str, str] | None:
    """The two things that a comparison, or the rest of a division compared with 0, can tell nothing of where they are the same."""
    if len(test.operators) != 1:
        return None
    left, right = test.operands
    operator = test.operators[0]
    if operator not in (("==", "<=", ">=") if asserted else ("!=", "<", ">")):
        return None
    if isinstance(left, ir.Binary) and left.operator == "%" and _number(right) == 0 and operator in ("==", "!="):
        one, other = dotted(left.left), dotted(left.right)
        return (one, other) if one is not None and other is not None and one != other else None
    one, other = dotted(left), dotted(right)
    return (one, other) if one is not None and other is not None and one != other else None


def _called_between(file: File, scope: int, first: int, last: int) -> bool:
    """Whether something is called in between, which may change an attribute of either."""
    return any(first < index < last and "(" in file.own_text(index) for index in file.own_statements(scope))


def _only_definition(facts: ProgramFacts, file: File, scope: int, place: str, index: int) -> int | None:
    """The one definition of a variable or attribute that reaches a statement; None where several do."""
    order = facts.order
    reaching = (order.reaching_assignments if "." in place else order.reaching)(file, scope, place, index)
    return next(iter(reaching)) if len(reaching) == 1 else None


def _settled(facts: ProgramFacts, file: File, scope: int, index: int, place: str, fires: Predicate) -> tuple[str, int] | None:
    """How all definitions that reach a test keep it from holding, and the last of them."""
    order = facts.order
    reaching = (order.reaching_assignments if "." in place else order.reaching)(file, scope, place, index)
    if not reaching or ENTRY in reaching:
        return None
    how = ""
    for at in sorted(reaching):
        values = [b.value for b in file.statement(at).bindings if dotted(b.target) == place and b.how in ("assign", "annotate")]
        found = _known(values[0], place) if len(values) == 1 and values[0] is not None else None
        if found is None or not contradicts(fires, found[1]):
            return None
        how = found[0]
    return how, max(reaching)


def _known(value: Expr, place: str) -> tuple[str, Predicate] | None:
    """What a value is known to be, and by what."""
    match value:
        case ir.Boolean(operator="or", values=values) if isinstance(values[-1], ir.Const) and values[-1].value:
            return "replaced", all_of((Atom(place, "truthy"), Atom(place, "is not", None)))
        case ir.Call():
            name, parts = arithmetic.function_name(value), arithmetic.operands(value)
            if name in ("int", "round", "float") and parts:
                inner = _known(parts[0], place)
                return inner if inner is not None and inner[0] == "clamped" else ("calculated", Atom(place, "is not", None))
            if name == "max" and parts is not None:
                bounds = [bound for part in parts if (bound := _number(part)) is not None]
                if bounds:
                    return "clamped", all_of((Atom(place, ">=", _plain(max(bounds))), Atom(place, "is not", None)))
            if name in ("abs", "sum") or (isinstance(value.func, ir.Name) and value.func.id == "len"):
                known = Atom(place, "is not", None)
                return "calculated", known if name == "sum" else all_of((Atom(place, ">=", 0), known))
        case ir.Binary(operator=operator) if operator in ("+", "-", "*", "/", "//"):
            return "calculated", Atom(place, "is not", None)
    return None


def _number(expr: Expr) -> Fraction | None:
    return arithmetic.constant(expr) if isinstance(expr, ir.Const) else None


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)
