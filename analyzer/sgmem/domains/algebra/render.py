"""Writes numbers, forms and ratios as the shortest text a person would write: `1 - available / total`, `20 * 2**30`,
`0.88`.
"""

from __future__ import annotations

from fractions import Fraction

from sgmem.domains.algebra.forms import Form, Monomial, Ratio, ratio

_SMALLEST_POWER = 20
"""Below 2**20 a number reads better in digits: 2048, 65536."""


def render(value: Ratio | Form) -> str:
    """`value` in its own names, terms in the order written but positive ones first."""
    if isinstance(value, Form):
        return _sum([(coefficient, monomial, ()) for monomial, coefficient in value.terms])
    bottom = value.denominator
    if bottom.constant is None and len(bottom.terms) > 1:
        top = render(value.numerator)
        return f"{top if len(value.numerator.terms) == 1 else f'({top})'} / ({render(bottom)})"
    return _sum([_quotient(term, bottom) for term in value.numerator.terms])


def number_text(value: Fraction) -> str:
    """Exact: an integer, a decimal when there is one, powers of two from 2**20 on as such, else `p / q`."""
    if value.denominator == 1:
        return _integer_text(value.numerator)
    decimal = _exact_decimal(value)
    return decimal if decimal is not None else f"{_integer_text(value.numerator)} / {_integer_text(value.denominator)}"


def decimal_text(value: Fraction, digits: int = 6) -> tuple[str, bool]:
    """`value` in decimal digits, and whether that is exact; else rounded to `digits` significant digits."""
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator), True
    exact = _exact_decimal(value)
    if exact is not None and len(exact.strip("-0.")) <= 2 * digits:
        return exact, True
    try:
        return f"{float(value):.{digits}g}", False
    except OverflowError:
        return _integer_text(round(value)), False


def _quotient(term: tuple[Monomial, Fraction], bottom: Form) -> tuple[Fraction, Monomial, Monomial]:
    """One term over a one-term denominator: coefficient, names above, names below."""
    reduced = ratio(Form((term,)), bottom)
    (above, top), (below, under) = reduced.numerator.terms[0], reduced.denominator.terms[0]
    return top / under, above, below


def _sum(terms: list[tuple[Fraction, Monomial, Monomial]]) -> str:
    if not terms:
        return "0"
    ordered = [term for term in terms if term[0] > 0] + [term for term in terms if term[0] < 0]
    pieces: list[str] = []
    for coefficient, above, below in ordered:
        product = _product(abs(coefficient), above, below)
        if not pieces:
            pieces.append(product if coefficient > 0 else f"-{product}")
        else:
            pieces.append(f"{'+' if coefficient > 0 else '-'} {product}")
    return " ".join(pieces)


def _product(coefficient: Fraction, above: Monomial, below: Monomial) -> str:
    """A positive coefficient times names over names."""
    factors = [_power(name, above.count(name)) for name in dict.fromkeys(above)]
    divisors = [_power(name, below.count(name)) for name in dict.fromkeys(below)]
    top, bottom = coefficient, Fraction(1)
    if _exact_decimal(coefficient) is None or coefficient.denominator >= 1 << _SMALLEST_POWER:
        top, bottom = Fraction(coefficient.numerator), Fraction(coefficient.denominator)
    if top != 1 or not factors:
        factors.insert(0, number_text(top))
    if bottom != 1:
        divisors.append(number_text(bottom))
    text = " * ".join(factors)
    if not divisors:
        return text
    below_text = " * ".join(divisors)
    return f"{text} / {below_text if len(divisors) == 1 and ' ' not in below_text else f'({below_text})'}"


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}**{power}"


def _integer_text(value: int) -> str:
    if value:
        zeros = (value & -value).bit_length() - 1
        shift = zeros - zeros % 10
        if shift >= _SMALLEST_POWER:
            odd = value >> shift
            return f"2**{shift}" if odd == 1 else f"{odd} * 2**{shift}"
    if abs(value) >= 10**15:
        return f"{float(value):.6g}" if abs(value) < 10**300 else f"about 2**{value.bit_length() - 1}"
    return str(value)


def _exact_decimal(value: Fraction) -> str | None:
    """The finite decimal expansion, when it has one of at most 12 places."""
    scaled = value * 10**12
    if scaled.denominator != 1 or abs(value) >= 10**15:
        return None
    digits = f"{abs(scaled.numerator):013d}"
    whole, places = digits[:-12], digits[-12:].rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' + places if places else ''}"
