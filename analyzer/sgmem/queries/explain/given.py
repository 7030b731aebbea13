"""Reads `NAME=VALUE`: numbers with units and their rounding, flags, texts."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.domains.ranges.observed import as_printed
from sgmem.domains.units.unit import Unit, UnitError, parse_unit
from sgmem.queries.names import plain_name, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = re.compile(r"([-+]?(?:\d[\d_,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z%/].*)?")
_MAX_DIGITS = 30
_NO_NUMBERS = frozenset({"nan", "inf", "infinity"})
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "yes": True, "no": False, "none": None, "null": None}


class Given(msgspec.Struct, frozen=True):
    """A value as it was given. For a number `low` and `high` are what its rounding allows; `unit` is the one written."""

    name: str
    text: str
    value: Fraction | bool | str | None
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    unit: Unit | None = None

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def scaled(self, factor: Fraction) -> Given:
        """The same amount counted in another unit."""
        if not isinstance(self.value, Fraction) or isinstance(self.value, bool):
            return self
        return Given(self.name, self.text, self.value * factor, self.low * factor, self.high * factor, self.unit)


def parse_given(text: str, exact: bool) -> Given:
    """Read one `NAME=VALUE`. Raises UsageError.

    A number with a decimal point stands for half a unit of its last digit to either side, unless `exact`. GB, MB and KB
    are read as logs print them, in powers of 1024.
    """
    name, equals, value = text.partition("=")
    name, value = plain_name(name), value.strip()
    if not equals or not name or not value:
        raise UsageError(f"not NAME=VALUE: {shortened(text)!r}", hint="for example --set mem_fraction_static=0.55")
    if value.lower() in _WORDS:
        return Given(name, value, _WORDS[value.lower()])
    found = _NUMBER.fullmatch(value)
    if value.lower().lstrip("+-") in _NO_NUMBERS:
        raise UsageError(f"{shortened(name)}={value} is no number that anything can have", hint="leave it out if it is not known")
    if found is None:
        return Given(name, value, value.strip("\"'"))
    digits = found[1].replace(",", "").replace("_", "")
    if not _is_manageable(digits):
        raise UsageError(
            f"{shortened(name)}={shortened(value)} is no amount of anything", hint="numbers go up to 1e30 and have up to 30 digits"
        )
    unit = _unit(found[2], text) if found[2] else None
    number = Fraction(digits)
    low, high = (number, number) if exact else as_printed(digits)
    if found[2] == "%":
        return Given(name, value, number / 100, low / 100, high / 100)
    return Given(name, value, number, low, high, unit)


def all_given(texts: Iterable[str], exact: bool) -> dict[str, Given]:
    """The values of all `--set`, by name. Raises UsageError, also where two give one name different values."""
    given: dict[str, Given] = {}
    for each in texts:
        one = parse_given(each, exact)
        before = given.setdefault(one.name, one)
        if before.text != one.text:
            raise UsageError(f"{one.name} is set twice, to {shortened(before.text)} and to {shortened(one.text)}")
    return given


def _is_manageable(digits: str) -> bool:
    """Whether exact arithmetic with a number stays cheap: its value and its digits are counted before it is read."""
    mantissa, _, exponent = digits.lower().partition("e")
    return len(mantissa) <= _MAX_DIGITS and len(exponent) <= 4 and abs(int(exponent or 0)) <= _MAX_DIGITS


def _unit(spelled: str, text: str) -> Unit | None:
    spelling = spelled.strip()
    if spelling == "%":
        return None
    loose = re.fullmatch(r"([KMGTP])i?B", spelling, re.IGNORECASE)
    try:
        return parse_unit(f"{loose[1].upper()}iB" if loose else spelling)
    except UnitError as error:
        raise UsageError(f"{spelled.strip()!r} in {text!r} is not a unit", hint="GiB, MiB, bytes, tokens, pages, fraction") from error
