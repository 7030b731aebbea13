"""Questions about an exact ratio: where it takes a value, where it is negative, which way a name moves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from sgmem.domains.algebra.forms import Form, Ratio, Unsupported, collect, number, ratio
from sgmem.domains.algebra.render import render

Sign = Literal[-1, 0, 1]
"""0: always zero; 1: never negative; -1: never positive."""

SignOf = Callable[[Form], "Sign | None"]
"""The sign of a polynomial wherever it is defined, or None when it can be either."""


class Threshold(msgspec.Struct, frozen=True):
    """`symbol relation bound`, the bound in the other names."""

    symbol: str
    relation: Literal["<", ">"]
    bound: Ratio

    @property
    def text(self) -> str:
        return f"{self.symbol} {self.relation} {render(self.bound)}"


def solve(value: Ratio, symbol: str, equals: Ratio | None = None) -> Ratio:
    """The one value of `symbol` at which `value` equals `equals` (0 unless given).

    Raises Unsupported when `symbol` does not occur, or occurs in a degree other than one.
    """
    goal = equals if equals is not None else number(0)
    difference = value.numerator * goal.denominator - goal.numerator * value.denominator
    rest, slope = _affine(difference, symbol)
    return ratio(-rest, slope)


def negative_when(value: Ratio, symbol: str, sign_of: SignOf) -> Threshold | None:
    """The exact condition on `symbol` under which `value` is negative, or None when the signs in the way are not known.

    Exact wherever the coefficient of `symbol` and the denominator are not zero.
    """
    try:
        rest, slope = _affine(value.numerator, symbol)
    except Unsupported:
        return None
    slope_sign, bottom_sign = sign_of(slope), sign_of(value.denominator)
    if not slope_sign or not bottom_sign:
        return None
    return Threshold(symbol, "<" if slope_sign == bottom_sign else ">", ratio(-rest, slope))


def derivative(value: Ratio, symbol: str) -> Ratio:
    """The partial derivative by `symbol`."""
    top, bottom = value.numerator, value.denominator
    if not bottom.degree(symbol):
        return ratio(_differentiate(top, symbol), bottom)
    return ratio(_differentiate(top, symbol) * bottom - top * _differentiate(bottom, symbol), bottom * bottom)


def derivative_sign(value: Ratio, symbol: str, sign_of: SignOf) -> Sign | None:
    """Whether `value` grows (1), falls (-1) or stays (0) as `symbol` grows; None when that depends."""
    if not value.denominator.degree(symbol):
        # Nothing need be cancelled: the denominator only scales.
        top, bottom = sign_of(_differentiate(value.numerator, symbol)), sign_of(value.denominator)
        if top is not None and bottom:
            return top if bottom == 1 else _opposite(top)
    slope = derivative(value, symbol)
    top, bottom = sign_of(slope.numerator), sign_of(slope.denominator)
    if top is None or not bottom:
        return None
    return top if bottom == 1 else _opposite(top)


def _opposite(sign: Sign) -> Sign:
    return 0 if sign == 0 else (-1 if sign == 1 else 1)


def _affine(form: Form, symbol: str) -> tuple[Form, Form]:
    """form = rest + slope * symbol."""
    coefficients = form.coefficients(symbol)
    if max(coefficients, default=0) != 1:
        raise Unsupported(f"not linear in {symbol}" if coefficients.keys() - {0} else f"does not depend on {symbol}")
    return coefficients.get(0, Form()), coefficients[1]


def _differentiate(form: Form, symbol: str) -> Form:
    terms = []
    for monomial, coefficient in form.terms:
        power = monomial.count(symbol)
        if power:
            rest = list(monomial)
            rest.remove(symbol)
            terms.append((tuple(rest), coefficient * power))
    return collect(terms)
