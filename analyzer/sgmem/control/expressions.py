"""Reads predicates off the expressions of tests."""

from __future__ import annotations

from sgmem.control.constants import is_number, members_of, place_of, scalar_of
from sgmem.control.predicates import FALSE, TRUE, Atom, Not, Opaque, Operator, Predicate, all_of, any_of, leaves, negate
from sgmem.control.text import ELISION, expression_text, operand_text
from sgmem.syntax import ir

MAX_DEPTH = 40
MAX_LEAVES = 400
# `Opaque` texts of the IR are cut off by the lowering; as long as this they may be incomplete.
_CUT_OFF = 40

_ORDERINGS: dict[str, Operator] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "is": "is", "is not": "is not"}
# Each comparison with its complement; the left column is the form that an opaque comparison is kept in.
_COMPLEMENTS = (("==", "!="), ("is", "is not"), ("in", "not in"), ("<", ">="), (">", "<="))
_SETS = frozenset({"set", "frozenset", "keys", "items"})


def from_expression(expr: ir.Expr) -> Predicate:
    """The predicate that an expression's truth value is."""
    predicate = _truth(expr, 0)
    return predicate if leaves(predicate) <= MAX_LEAVES else opaque(expr)


def opaque(expr: ir.Expr) -> Opaque:
    """An expression as a leaf. Where its text is incomplete it equals itself only."""
    return _leaf(expression_text(expr), "", expr)


def comparison(left: ir.Expr, operator: str, right: ir.Expr) -> Predicate:
    """`left operator right`, with the operators of `ir.Compare`."""
    place = place_of(left)
    if place is None and operator in _MIRRORED and place_of(right) is not None and scalar_of(left) is not None:
        left, operator, right = right, _MIRRORED[operator], left
        place = place_of(left)
    found = None if place is None else _atom(place, operator, right)
    return _opaque_comparison(left, operator, right) if found is None else found


def _truth(expr: ir.Expr, depth: int) -> Predicate:
    negative = False
    while isinstance(expr, ir.Unary) and expr.operator == "not":
        negative = not negative
        expr = expr.operand
    found = opaque(expr) if depth > MAX_DEPTH else _positive(expr, depth)
    return negate(found) if negative else found


def _positive(expr: ir.Expr, depth: int) -> Predicate:
    place = place_of(expr)
    if place is not None:
        return Atom(place, "truthy")
    match expr:
        case ir.Boolean(operator="and"):
            return all_of(_truth(value, depth + 1) for value in expr.values)
        case ir.Boolean():
            return any_of(_truth(value, depth + 1) for value in expr.values)
        case ir.Compare():
            links = zip(expr.operands, expr.operators, expr.operands[1:], strict=False)
            return all_of(comparison(left, operator, right) for left, operator, right in links)
        case ir.Conditional():
            return _conditional(expr, depth)
        case ir.Call(func=ir.Name(id="bool"), args=(ir.Argument(keyword=None, star="") as only,)):
            return _truth(only.value, depth + 1)
        case ir.Collection() if not any(isinstance(item, ir.Starred) for item in expr.items):
            return TRUE if expr.items else FALSE
        case _:
            constant = scalar_of(expr)
            if constant is None:
                return opaque(expr)
            return TRUE if constant[0] else FALSE


def _conditional(expr: ir.Conditional, depth: int) -> Predicate:
    test = _truth(expr.test, depth + 1)
    if leaves(test) > 4:  # it is needed twice, and tests of tests would double each time
        return opaque(expr)
    return any_of(
        (
            all_of((test, _truth(expr.body, depth + 1))),
            all_of((negate(test), _truth(expr.orelse, depth + 1))),
        )
    )


def _atom(place: str, operator: str, right: ir.Expr) -> Predicate | None:
    if operator in ("in", "not in"):
        members = members_of(right)
        return None if members is None else _membership(place, operator == "in", members)
    constant = scalar_of(right)
    if constant is None:
        return None
    value, spelling = constant
    if operator in ("is", "is not"):
        if value is None or isinstance(value, bool):
            return Atom(place, "is" if operator == "is" else "is not", value)
        return None
    if operator in ("==", "!="):
        return Atom(place, "==" if operator == "==" else "!=", value, spelling)
    if operator in _ORDERINGS and (is_number(value) or isinstance(value, str)):
        return Atom(place, _ORDERINGS[operator], value, spelling)
    return None


def _membership(place: str, positive: bool, members: tuple[int | float | str | bool | None, ...]) -> Predicate:
    if not members:
        return FALSE if positive else TRUE
    if len(members) == 1:
        return Atom(place, "==" if positive else "!=", members[0])
    return Atom(place, "in" if positive else "not in", members)


def _opaque_comparison(left: ir.Expr, operator: str, right: ir.Expr) -> Predicate:
    before, behind = operand_text(left), operand_text(right)
    for positive, negative in _COMPLEMENTS:
        if operator not in (positive, negative):
            continue
        if positive in "<>" and (_may_be_set(left) or _may_be_set(right)):
            break  # sets are ordered partially: not a subset does not mean a superset
        leaf = _leaf(f"{before} {positive} {behind}", f"{before} {negative} {behind}", left, right)
        return leaf if operator == positive else Not(leaf)
    return _leaf(f"{before} {operator} {behind}", "", left, right)


def _may_be_set(expr: ir.Expr) -> bool:
    match expr:
        case ir.Collection(kind="set") | ir.Comprehension(kind="set"):
            return True
        case ir.Call(func=ir.Name(id=name)) | ir.Call(func=ir.Attribute(attr=name)):
            return name in _SETS
        case _:
            return False


def _leaf(text: str, negated: str, first: ir.Expr, last: ir.Expr | None = None) -> Opaque:
    last = first if last is None else last
    span = ir.Span(first.span.line, first.span.column, last.span.end_line, last.span.end_column)
    cut_off = any(isinstance(expr, ir.Opaque) and len(expr.text) >= _CUT_OFF for expr in (first, last))
    return Opaque(text, span, negated, cut_off or ELISION in text)
