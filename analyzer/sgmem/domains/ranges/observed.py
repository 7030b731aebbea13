"""Numbers as people and logs print them, and what a formula makes of their uncertainty."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from sgmem.domains.algebra.forms import Ratio, Unsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

Range = tuple[Fraction, Fraction]

_MAX_NAMES = 10


def as_printed(text: str) -> Range:
    """What a printed decimal stands for: half a unit of its last place to either side. A number without a point is
    exact.

    `10.42` is 10.415 to 10.425. Raises ValueError for text that is no decimal number.
    """
    value = Fraction(text)
    mantissa, _, exponent = text.strip().lower().partition("e")
    places = len(mantissa.partition(".")[2].replace("_", ""))
    if not places or "/" in text:
        return value, value
    half = Fraction(1, 2) * Fraction(10) ** (int(exponent or 0) - places)
    return value - half, value + half


def range_over(value: Ratio, inputs: Mapping[str, Range]) -> Range:
    """The least and greatest value over all combinations of the inputs. Exact.

    A quotient of multi-affine polynomials is monotone in each name where the denominator does not vanish, so its
    extremes lie at the ends of the inputs. Raises Unsupported where that does not hold, and KeyError for a name without
    a range.
    """
    names = value.symbols
    if len(names) > _MAX_NAMES or any(max(value.numerator.degree(n), value.denominator.degree(n)) > 1 for n in names):
        raise Unsupported("not linear in every input")
    corners = [dict(zip(names, ends, strict=True)) for ends in product(*(inputs[name] for name in names))]
    bottoms = [value.denominator.evaluated(corner) for corner in corners]
    if min(bottoms) <= 0 <= max(bottoms):
        raise Unsupported("the denominator may be zero")
    results = [value.numerator.evaluated(corner) / bottom for corner, bottom in zip(corners, bottoms, strict=True)]
    return min(results), max(results)
