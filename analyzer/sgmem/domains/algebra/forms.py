"""Exact algebra over named quantities: polynomials with rational coefficients (`Form`) and quotients of two of them
(`Ratio`).

Memory formulas are multi-affine (every name of degree one), a few are quotients of such; a general small polynomial
costs no more to write and never has to refuse `x * x`. Everything is exact: integers and fractions, no floating point,
no rounding. Sizes are bounded, so that hostile source cannot make an analysis run away: beyond the bounds every
operation raises `Unsupported`.

Terms keep the order in which they were written, because that order is what a person expects to read back.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Monomial = tuple[str, ...]
"""The names of a product, sorted, repeated by their power; () is the constant term."""

MAX_TERMS = 256
MAX_DEGREE = 16
MAX_BITS = 8192


class Unsupported(Exception):
    """The expression, or the question about it, is outside this algebra; `reason` says why in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Form(msgspec.Struct, frozen=True, eq=False):
    """A polynomial: distinct monomials with non-zero coefficients, in the order written. Equality ignores the order."""

    terms: tuple[tuple[Monomial, Fraction], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Form) -> Form:
        return collect((*self.terms, *other.terms))

    def __neg__(self) -> Form:
        return Form(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __sub__(self, other: Form) -> Form:
        return self + (-other)

    def __mul__(self, other: Form) -> Form:
        if len(self.terms) * len(other.terms) > MAX_TERMS * 4:
            raise Unsupported("the formula has too many terms")
        return collect(
            (tuple(sorted(left + right)), a * b) for left, a in self.terms for right, b in other.terms
        )  # fmt: skip

    def scaled(self, factor: Fraction) -> Form:
        return collect((monomial, coefficient * factor) for monomial, coefficient in self.terms)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names that occur, in the order of their first occurrence."""
        return tuple(dict.fromkeys(name for monomial, _ in self.terms for name in monomial))

    @property
    def constant(self) -> Fraction | None:
        """The value, when no name occurs; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def degree(self, symbol: str) -> int:
        return max((monomial.count(symbol) for monomial, _ in self.terms), default=0)

    def coefficients(self, symbol: str) -> dict[int, Form]:
        """The polynomial in `symbol`: power -> its coefficient, itself a polynomial in the other names."""
        split: dict[int, list[tuple[Monomial, Fraction]]] = {}
        for monomial, coefficient in self.terms:
            rest = tuple(name for name in monomial if name != symbol)
            split.setdefault(len(monomial) - len(rest), []).append((rest, coefficient))
        return {power: collect(terms) for power, terms in split.items()}

    def substituted(self, values: Mapping[str, Form]) -> Form:
        """Every name of `values` replaced by its polynomial, at once."""
        result = Form()
        for monomial, coefficient in self.terms:
            product = number_form(coefficient)
            for name in monomial:
                product = product * (values[name] if name in values else name_form(name))
            result = result + product
        return result

    def at(self, values: Mapping[str, Fraction]) -> Form:
        """Every name of `values` replaced by its number; a name without one stays."""
        terms: list[tuple[Monomial, Fraction]] = []
        for monomial, coefficient in self.terms:
            for name in monomial:
                if name in values:
                    coefficient *= values[name]
            terms.append((tuple(name for name in monomial if name not in values), coefficient))
        return collect(terms)

    def evaluated(self, values: Mapping[str, Fraction]) -> Fraction:
        """The number at `values`. Raises KeyError for a name without a value."""
        total = Fraction(0)
        for monomial, coefficient in self.terms:
            for name in monomial:
                coefficient *= values[name]
            total += coefficient
        return total


class Ratio(msgspec.Struct, frozen=True, eq=False):
    """numerator / denominator, wherever the denominator is not zero. Equality is that of rational functions."""

    numerator: Form
    denominator: Form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and self.numerator * other.denominator == other.numerator * self.denominator

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Ratio) -> Ratio:
        if self.denominator == other.denominator:
            return ratio(self.numerator + other.numerator, self.denominator)
        return ratio(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def __neg__(self) -> Ratio:
        return Ratio(-self.numerator, self.denominator)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        return ratio(self.numerator * other.numerator, self.denominator * other.denominator)

    def __truediv__(self, other: Ratio) -> Ratio:
        """Raises Unsupported when `other` is zero."""
        return ratio(self.numerator * other.denominator, self.denominator * other.numerator)

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.numerator.symbols, *self.denominator.symbols)))

    @property
    def constant(self) -> Fraction | None:
        """The value, when no name occurs; else None."""
        top, bottom = self.numerator.constant, self.denominator.constant
        return None if top is None or bottom is None else top / bottom

    def substituted(self, values: Mapping[str, Ratio | Fraction | int]) -> Ratio:
        """Every name of `values` replaced, at once. Raises Unsupported when the denominator becomes zero."""
        replace = {name: value if isinstance(value, Ratio) else number(value) for name, value in values.items()}
        return _substitute(self.numerator, replace) / _substitute(self.denominator, replace)

    def at(self, values: Mapping[str, Fraction]) -> Ratio:
        """Every name of `values` replaced by its number. Raises Unsupported when the denominator becomes zero."""
        return ratio(self.numerator.at(values), self.denominator.at(values))

    def evaluated(self, values: Mapping[str, Fraction]) -> Fraction:
        """The number at `values`. Raises KeyError for a name without a value and Unsupported where the denominator is
        zero.
        """
        bottom = self.denominator.evaluated(values)
        if not bottom:
            raise Unsupported("division by zero")
        return self.numerator.evaluated(values) / bottom


def number_form(value: Fraction | int) -> Form:
    value = Fraction(value)
    return Form((((), value),)) if value else Form()


def name_form(name: str) -> Form:
    return Form((((name,), Fraction(1)),))


def number(value: Fraction | int) -> Ratio:
    return Ratio(number_form(value), ONE)


def name(symbol: str) -> Ratio:
    return Ratio(name_form(symbol), ONE)


def collect(terms: Iterable[tuple[Monomial, Fraction]]) -> Form:
    """Add up equal monomials and drop those that cancel. Raises Unsupported beyond the bounds of this module."""
    total: dict[Monomial, Fraction] = {}
    for monomial, coefficient in terms:
        known = total.get(monomial)
        total[monomial] = coefficient if known is None else known + coefficient
    kept = tuple([term for term in total.items() if term[1]])
    if len(kept) > MAX_TERMS or (kept and max([len(monomial) for monomial, _ in kept]) > MAX_DEGREE):
        raise Unsupported("the formula has too many terms")
    for _, coefficient in kept:
        if coefficient.numerator.bit_length() > MAX_BITS or coefficient.denominator.bit_length() > MAX_BITS:
            raise Unsupported("a number in the formula is too large")
    return Form(kept)


def ratio(numerator: Form, denominator: Form) -> Ratio:
    """The quotient, with what divides both cancelled. Raises Unsupported when `denominator` is zero."""
    if not denominator:
        raise Unsupported("division by zero")
    if not numerator:
        return Ratio(numerator, ONE)
    leading = denominator.terms[0][1]
    numerator, denominator = numerator.scaled(1 / leading), denominator.scaled(1 / leading)
    common = _common_monomial((*numerator.terms, *denominator.terms))
    if common:
        numerator, denominator = _without(numerator, common), _without(denominator, common)
    if denominator.constant is None:
        whole = divided(numerator, denominator)
        if whole is not None:
            return Ratio(whole, ONE)
        inverse = divided(denominator, numerator)
        if inverse is not None:
            lead = inverse.terms[0][1]
            return Ratio(number_form(1 / lead), inverse.scaled(1 / lead))
    return Ratio(numerator, denominator)


def divided(numerator: Form, denominator: Form) -> Form | None:
    """numerator / denominator when that is a polynomial, else None: long division under a lexicographic order."""
    names = sorted({*numerator.symbols, *denominator.symbols})

    def rank(term: tuple[Monomial, Fraction]) -> tuple[int, ...]:
        return tuple(term[0].count(symbol) for symbol in names)

    lead, lead_coefficient = max(denominator.terms, key=rank)
    quotient: list[tuple[Monomial, Fraction]] = []
    rest = numerator
    for _ in range(MAX_TERMS):
        if not rest:
            return collect(quotient)
        top, coefficient = max(rest.terms, key=rank)
        factor = _remove(top, lead)
        if factor is None:
            return None
        step = (factor, coefficient / lead_coefficient)
        quotient.append(step)
        rest = rest - Form((step,)) * denominator
    return None


def _substitute(form: Form, values: Mapping[str, Ratio]) -> Ratio:
    result = number(0)
    for monomial, coefficient in form.terms:
        product = number(coefficient)
        for symbol in monomial:
            product = product * (values[symbol] if symbol in values else name(symbol))
        result = result + product
    return result


def _common_monomial(terms: Iterable[tuple[Monomial, Fraction]]) -> Monomial:
    monomials = [monomial for monomial, _ in terms]
    common = {symbol: monomials[0].count(symbol) for symbol in monomials[0]}
    for monomial in monomials[1:]:
        common = {symbol: min(power, monomial.count(symbol)) for symbol, power in common.items()}
    return tuple(sorted(symbol for symbol, power in common.items() for _ in range(power)))


def _without(form: Form, factor: Monomial) -> Form:
    return Form(tuple((_remove(monomial, factor) or (), coefficient) for monomial, coefficient in form.terms))


def _remove(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """monomial / factor, or None when it does not divide."""
    rest = list(monomial)
    for symbol in factor:
        if symbol not in rest:
            return None
        rest.remove(symbol)
    return tuple(rest)


ONE = number_form(1)
