"""Conditions as data: truth values, and/or/not, atoms over a place and a constant, and opaque leaves.

Every predicate built here is in negation normal form: `Not` stands over `Opaque` only, because each atom's operator has
a complement. `And` and `Or` are flat and free of repetition, and compare equal in any order. Predicates speak about the
values at the moment of their test: equal predicates from two tests need not have the same truth if something was
written in between, so nothing here simplifies `a and not a` away.

Two simplifications are made on purpose. `not x < 5` is `x >= 5`, which is wrong for NaN. And `<`, `>` on something that
does not compare (None) counts as not holding, where Python would raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

Scalar: TypeAlias = int | float | str | bool | None
Constant: TypeAlias = Scalar | tuple[Scalar, ...]
Operator = Literal["truthy", "falsy", "is", "is not", "==", "!=", "<", ">=", ">", "<=", "in", "not in"]

COMPLEMENT: dict[Operator, Operator] = {
    "truthy": "falsy", "falsy": "truthy", "is": "is not", "is not": "is", "==": "!=", "!=": "==",
    "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in",
}  # fmt: skip


class True_(msgspec.Struct, frozen=True, tag="true"):
    """Always holds."""


class False_(msgspec.Struct, frozen=True, tag="false"):
    """Never holds."""


TRUE = True_()
FALSE = False_()


class Atom(msgspec.Struct, frozen=True, eq=False, tag="atom"):
    """`place operator constant`. `place` is the dotted text of a name, an attribute, or a call without arguments
    (`is_cuda()`).

    "truthy" and "falsy" are the tests `x` and `not x` and have no constant. "is" and "is not" compare with None, True
    or False, "in" and "not in" with a tuple. `spelling` is how the source wrote a number (`20 * 1024`), for `render`
    only.
    """

    place: str
    operator: Operator
    constant: Constant = None
    spelling: str = msgspec.field(default="", name="as")

    def _key(self) -> object:
        return frozenset(self.constant) if isinstance(self.constant, tuple) else self.constant

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.place == other.place and self.operator == other.operator and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.place, self.operator, self._key()))


class Opaque(msgspec.Struct, frozen=True, eq=False, tag="opaque"):
    """A test that is not taken apart, as normalised text. Equal texts are equal predicates, wherever they stand.

    `negated` spells the complement where that is more than `not` before it (`a % b != 0`). An `event` is no test of
    values but something that happened at its place (an exception was caught, a loop took another item): two events are
    equal only there.
    """

    text: str
    span: Span
    negated: str = ""
    event: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> object:
        return (self.text, self.span) if self.event else self.text


class Not(msgspec.Struct, frozen=True, tag="not"):
    operand: Predicate


class And(msgspec.Struct, frozen=True, eq=False, tag="and"):
    parts: tuple[Predicate, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, And) and frozenset(self.parts) == frozenset(other.parts)

    def __hash__(self) -> int:
        return hash(("and", frozenset(self.parts)))


class Or(msgspec.Struct, frozen=True, eq=False, tag="or"):
    parts: tuple[Predicate, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Or) and frozenset(self.parts) == frozenset(other.parts)

    def __hash__(self) -> int:
        return hash(("or", frozenset(self.parts)))


Predicate: TypeAlias = True_ | False_ | Atom | Opaque | Not | And | Or
"""Nests no deeper than `expressions.MAX_DEPTH` and a little, so functions over it may recurse."""


def all_of(parts: Iterable[Predicate]) -> Predicate:
    """The conjunction, flattened."""
    return _joined(parts, And, TRUE, FALSE)


def any_of(parts: Iterable[Predicate]) -> Predicate:
    """The disjunction, flattened."""
    return _joined(parts, Or, FALSE, TRUE)


def _joined(parts: Iterable[Predicate], kind: type[And] | type[Or], neutral: Predicate, absorbing: Predicate) -> Predicate:
    flat: dict[Predicate, None] = {}
    for part in parts:
        for each in part.parts if isinstance(part, kind) else (part,):
            if each == absorbing:
                return absorbing
            if each != neutral:
                flat[each] = None
    if len(flat) > 1:
        return kind(tuple(flat))
    return next(iter(flat), neutral)


def negate(predicate: Predicate) -> Predicate:
    """The complement, with the negation driven down to the leaves."""
    match predicate:
        case True_():
            return FALSE
        case False_():
            return TRUE
        case Atom(place, operator, constant, spelling):
            return Atom(place, COMPLEMENT[operator], constant, spelling)
        case Opaque():
            return Not(predicate)
        case Not(operand):
            return operand
        case And(parts):
            return any_of(negate(part) for part in parts)
        case Or(parts):
            return all_of(negate(part) for part in parts)


def leaves(predicate: Predicate) -> int:
    """How many atoms and opaque leaves a predicate has."""
    match predicate:
        case And(parts) | Or(parts):
            return sum(leaves(part) for part in parts)
        case Not(operand):
            return leaves(operand)
        case True_() | False_():
            return 0
        case _:
            return 1
