"""What one predicate says about another: sound, incomplete, and without search.

Both predicates are read as statements about the same values; whether something was written between their tests is the
caller's knowledge. Values are taken to compare as Python's own do (an `==` that answers anything is not thought of).
"""

from __future__ import annotations

import math
import operator as operators
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.control.constants import is_number
from sgmem.control.predicates import And, Atom, False_, Not, Opaque, Or, Predicate, True_, negate

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS = 20_000

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operators.lt, "<=": operators.le, ">": operators.gt, ">=": operators.ge,
}  # fmt: skip


def implies(premise: Predicate, conclusion: Predicate) -> bool:
    """Whether `conclusion` certainly holds wherever `premise` does. False means that it is not known."""
    return _implies(premise, conclusion, _Steps())


def contradicts(left: Predicate, right: Predicate) -> bool:
    """Whether the two certainly never hold together. False means that it is not known."""
    return _contradicts(left, right, _Steps())


class _Steps:
    """Counts the work, since alternating and/or multiply."""

    def __init__(self) -> None:
        self.left = MAX_STEPS

    def exhausted(self) -> bool:
        self.left -= 1
        return self.left < 0


def _implies(premise: Predicate, conclusion: Predicate, steps: _Steps) -> bool:
    if steps.exhausted():
        return False
    if isinstance(premise, False_) or isinstance(conclusion, True_) or premise == conclusion:
        return True
    if isinstance(conclusion, And):
        return all(_implies(premise, part, steps) for part in conclusion.parts)
    if isinstance(premise, Or):
        return all(_implies(part, conclusion, steps) for part in premise.parts)
    if isinstance(premise, And) and any(_implies(part, conclusion, steps) for part in premise.parts):
        return True
    if isinstance(conclusion, Or):
        return any(_implies(premise, part, steps) for part in conclusion.parts)
    if isinstance(premise, Atom) and isinstance(conclusion, Atom):
        return _atom_implies(premise, conclusion)
    return False


def _contradicts(left: Predicate, right: Predicate, steps: _Steps) -> bool:
    if steps.exhausted():
        return False
    if isinstance(left, False_) or isinstance(right, False_):
        return True
    if isinstance(left, Or):
        return all(_contradicts(part, right, steps) for part in left.parts)
    if isinstance(right, Or):
        return all(_contradicts(left, part, steps) for part in right.parts)
    if isinstance(left, And):
        return any(_contradicts(part, right, steps) for part in left.parts)
    if isinstance(right, And):
        return any(_contradicts(left, part, steps) for part in right.parts)
    if isinstance(left, Atom) and isinstance(right, Atom):
        return _atoms_contradict(left, right)
    return isinstance(left, Opaque | Not) and isinstance(right, Opaque | Not) and left == negate(right)


def _atom_implies(premise: Atom, conclusion: Atom) -> bool:
    if premise.place != conclusion.place:
        return False
    witnesses = _witnesses(premise)
    if witnesses is not None:
        return all(_holds(conclusion, value) for value in witnesses)
    if conclusion.operator in _ORDER:
        # Its complement does not do: a value that does not compare makes neither hold.
        inner, outer = _interval(premise), _interval(conclusion)
        return inner is not None and outer is not None and outer.contains(inner)
    return _atoms_contradict(premise, negate(conclusion))


def _atoms_contradict(left: Predicate, right: Predicate) -> bool:
    if not isinstance(left, Atom) or not isinstance(right, Atom) or left.place != right.place:
        return False
    if left == negate(right):
        return True
    for one, other in ((left, right), (right, left)):
        witnesses = _witnesses(one)
        if witnesses is not None and not any(_holds(other, value) for value in witnesses):
            return True
        inside = _interval(one)
        if inside is not None and other.operator == "falsy" and not inside.has_zero():
            return True
    first, second = _interval(left), _interval(right)
    return first is not None and second is not None and first.disjoint(second)


def _witnesses(atom: Atom) -> list[object] | None:
    """Every value for which an atom holds, or None where they are not finitely many. `== 1` holds for True as well."""
    constant = atom.constant
    if atom.operator == "is":
        return [constant]
    if atom.operator not in ("==", "in"):
        return None
    values = constant if isinstance(constant, tuple) else (constant,)
    found: list[object] = []
    for value in values:
        found += [int(value), bool(value)] if isinstance(value, int | float) and value in (0, 1) else [value]
    return found


def _holds(atom: Atom, value: object) -> bool:
    """Whether an atom holds for a value; an ordering of what does not compare does not hold."""
    constant = atom.constant
    match atom.operator:
        case "truthy":
            return bool(value)
        case "falsy":
            return not value
        case "is":
            return value is constant
        case "is not":
            return value is not constant
        case "==":
            return value == constant
        case "!=":
            return value != constant
        case "in":
            return isinstance(constant, tuple) and value in constant
        case "not in":
            return isinstance(constant, tuple) and value not in constant
        case ordering:
            return _ordered(value, ordering, constant)


def _ordered(value: object, ordering: str, constant: object) -> bool:
    try:
        return _ORDER[ordering](value, constant)
    except TypeError:
        return False


class _Interval(msgspec.Struct, frozen=True):
    low: float
    high: float
    low_open: bool
    high_open: bool

    def contains(self, other: _Interval) -> bool:
        low_fits = self.low < other.low or (self.low == other.low and (other.low_open or not self.low_open))
        high_fits = other.high < self.high or (self.high == other.high and (other.high_open or not self.high_open))
        return low_fits and high_fits

    def disjoint(self, other: _Interval) -> bool:
        return self._below(other) or other._below(self)

    def _below(self, other: _Interval) -> bool:
        return self.high < other.low or (self.high == other.low and (self.high_open or other.low_open))

    def has_zero(self) -> bool:
        return not self.disjoint(_Interval(0, 0, False, False))


def _interval(atom: Atom) -> _Interval | None:
    """The numbers for which an ordering with a number holds."""
    bound = atom.constant
    if atom.operator not in _ORDER or not is_number(bound) or not isinstance(bound, int | float):
        return None
    strict = atom.operator in ("<", ">")
    if atom.operator in ("<", "<="):
        return _Interval(-math.inf, bound, False, strict)
    return _Interval(bound, math.inf, strict, False)
