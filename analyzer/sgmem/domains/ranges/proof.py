"""Proves that a polynomial or a ratio is never negative, from proven bounds and relations. What it cannot prove it does
not claim.

A polynomial of degree one in a name takes its least value over an interval at an end. So names with two bounds are
tried at both ends, names with one bound are measured from it, and what is left is never negative when no coefficient
is. For multi-affine polynomials and bounds alone this misses nothing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from sgmem.domains.algebra.forms import Form, Ratio, Unsupported, name_form, number_form
from sgmem.domains.ranges.facts import Fact, Facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.domains.algebra.solve import Sign, SignOf

_MAX_BOXED = 6
_SLACK = "slack#"


def never_negative(value: Ratio, facts: Facts) -> bool:
    """Whether `value` is >= 0 wherever it is defined."""
    bottom = sign_of(value.denominator, facts)
    if not bottom:
        return False
    return _nonnegative(value.numerator if bottom == 1 else -value.numerator, facts)


def sign_of(form: Form, facts: Facts) -> Sign | None:
    """1 when `form` is never negative, -1 when it is never positive, 0 when it is zero, None when it may be either."""
    if form.constant is not None:
        return 1 if form.constant > 0 else -1 if form.constant < 0 else 0
    if _nonnegative(form, facts):
        return 1
    return -1 if _nonnegative(-form, facts) else None


def signs(facts: Facts) -> SignOf:
    """`sign_of` under `facts`, as the algebra asks for it."""
    return lambda form: sign_of(form, facts)


def _nonnegative(form: Form, facts: Facts) -> bool:
    try:
        if _by_bounds(form, facts):
            return True
        relations = [relation for relation in facts.nonnegative if set(relation.symbols) & set(form.symbols)]
        attempts = [[relation] for relation in relations] + ([relations] if len(relations) > 1 else [])
        return any(_by_relations(form, chosen, facts) for chosen in attempts)
    except Unsupported:
        return False


def _by_relations(form: Form, relations: Sequence[Ratio], facts: Facts) -> bool:
    """Put `total = free + slack` for `free <= total`, and likewise for each relation in turn; then by bounds."""
    slacks: dict[str, Fact] = {}
    for index, relation in enumerate(relations):
        known = relation.numerator
        if relation.denominator.constant is None:
            bottom = _by_bounds(relation.denominator, facts)
            if not bottom:
                continue
        elif relation.denominator.constant < 0:
            known = -known
        pivot = _pivot(known, form)
        if pivot is None:
            continue
        symbol, coefficient = pivot
        slack = f"{_SLACK}{index}"
        slacks[slack] = Fact(low=Fraction(0))
        rest = known - Form((((symbol,), coefficient),))
        form = form.substituted({symbol: (name_form(slack) - rest).scaled(1 / coefficient)})
    return bool(slacks) and _by_bounds(form, facts.extended(slacks))


def _pivot(relation: Form, form: Form) -> tuple[str, Fraction] | None:
    """A name of the relation that occurs in it once, alone, and so can be expressed by the others; best one that
    grows it.
    """
    candidates = [
        (monomial[0], coefficient)
        for monomial, coefficient in relation.terms
        if len(monomial) == 1 and relation.degree(monomial[0]) == 1 and _alone(relation, monomial[0])
    ]
    candidates.sort(key=lambda item: (item[0] not in form.symbols, item[1] < 0))
    return candidates[0] if candidates else None


def _alone(form: Form, symbol: str) -> bool:
    return sum(symbol in monomial for monomial, _ in form.terms) == 1


def _by_bounds(form: Form, facts: Facts) -> bool:
    boxed: list[tuple[str, Fraction, Fraction]] = []
    shifted: dict[str, Form] = {}
    for symbol in form.symbols:
        fact = facts.fact(symbol)
        if fact.low is not None and fact.high is not None and form.degree(symbol) == 1 and len(boxed) < _MAX_BOXED:
            boxed.append((symbol, fact.low, fact.high))
        elif fact.low is not None:
            shifted[symbol] = name_form(symbol) + number_form(fact.low)
        elif fact.high is not None:
            shifted[symbol] = number_form(fact.high) - name_form(symbol)
        else:
            return False
    above = form.substituted(shifted)
    for ends in product(*((low, high) for _, low, high in boxed)):
        corner = above.substituted(
            {symbol: number_form(end) for (symbol, _, _), end in zip(boxed, ends, strict=True)}
        )  # fmt: skip
        if any(coefficient < 0 for _, coefficient in corner.terms):
            return False
    return True
