"""Units: a dimension (a product of powers of base dimensions), an exact scale, and for amounts a scope.

A number v in unit U is v * U.scale of the base unit: 2 in GiB is 2 * 2**30 bytes. A unit whose spelling leaves open
whether it counts in powers of 1024 or of 1000 (`_gb`, "GB" in a log line) is `loose`: it agrees with both readings and
converts by either.
"""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

BASE = ("bytes", "tokens", "pages", "slots", "requests", "layers", "heads", "ranks", "elements", "seconds")
"""Base dimensions, in the order in which quotients are printed."""

_SINGULAR = {
    "bytes": "byte", "tokens": "token", "pages": "page", "slots": "slot", "requests": "request", "layers": "layer",
    "heads": "head", "ranks": "rank", "elements": "element", "seconds": "second",
}  # fmt: skip
_PREFIXES = "KMGTP"
_BINARY = {f"{prefix}iB": Fraction(1024) ** power for power, prefix in enumerate(_PREFIXES, 1)}
_DECIMAL = {f"{prefix}B": Fraction(1000) ** power for power, prefix in enumerate(_PREFIXES, 1)}
_TIME = {"ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
_SPELLINGS: dict[str, tuple[str, Fraction]] = {
    **{dimension: (dimension, Fraction(1)) for dimension in BASE},
    **{singular: (dimension, Fraction(1)) for dimension, singular in _SINGULAR.items()},
    **{text: ("bytes", scale) for text, scale in (_BINARY | _DECIMAL).items()},
    **{text: ("seconds", scale) for text, scale in _TIME.items()},
    "s": ("seconds", Fraction(1)),
}
_SCALES: dict[str, dict[Fraction, str]] = {
    "bytes": {Fraction(1): "bytes", **{scale: text for text, scale in (_BINARY | _DECIMAL).items()}},
    "seconds": {Fraction(1): "seconds", **{scale: text for text, scale in _TIME.items()}},
}
CONVERSIONS = frozenset({*_BINARY.values(), *_DECIMAL.values()})
"""The constants that convert between scales: 1024, 1000 and their powers."""

Powers = tuple[tuple[str, int], ...]


class UnitError(ValueError):
    """Text that spells no unit."""


class Unit(msgspec.Struct, frozen=True):
    """powers: base dimension -> exponent, sorted, none zero; () for plain numbers. `fraction` marks a share of a
    whole.
    """

    powers: Powers = ()
    scale: Fraction = Fraction(1)
    scope: str | None = None
    loose: bool = False
    fraction: bool = False

    def __mul__(self, other: Unit) -> Unit:
        return self._combined(other, 1)

    def __truediv__(self, other: Unit) -> Unit:
        return self._combined(other, -1)

    def _combined(self, other: Unit, sign: int) -> Unit:
        exponents = dict(self.powers)
        for dimension, power in other.powers:
            exponents[dimension] = exponents.get(dimension, 0) + sign * power
        powers = _powers(exponents)
        # A share of an amount is an amount, an amount of an amount is a share, a share of a share is a share.
        fraction = not powers and (bool(self.powers) or (self.fraction and other.fraction and sign == 1))
        return Unit(
            powers,
            self.scale * other.scale**sign,
            joined_scope(self.scope, other.scope),
            bool(powers) and (self.loose or other.loose),
            fraction,
        )

    @property
    def dimensionless(self) -> bool:
        return not self.powers

    @property
    def is_amount(self) -> bool:
        """An amount of memory."""
        return self.powers == (("bytes", 1),)

    @property
    def is_count(self) -> bool:
        """A number of things: whole, never negative."""
        return len(self.powers) == 1 and self.powers[0][1] == 1 and self.powers[0][0] not in ("bytes", "seconds")

    @property
    def recognised(self) -> bool:
        """Whether the scale has a name."""
        return self._scale_text() is not None

    def readings(self) -> tuple[Unit, ...]:
        """The exact units that this one can mean: itself, and for a loose one the decimal reading too."""
        if not self.loose:
            return (self,)
        decimal = _other_reading(self.scale)
        strict = [self.replaced(loose=False)]
        if decimal is not None:
            strict.append(self.replaced(scale=decimal, loose=False))
        return tuple(strict)

    @property
    def memory_per(self) -> int:
        """The power of bytes: 1 for amounts and for bytes per something, 0 for what counts no memory."""
        return dict(self.powers).get("bytes", 0)

    def replaced(
        self, scale: Fraction | None = None, scope: str | None = None, loose: bool | None = None
    ) -> Unit:  # fmt: skip
        """A copy with another scale, scope or looseness."""
        return Unit(
            self.powers,
            self.scale if scale is None else scale,
            self.scope if scope is None else scope,
            self.loose if loose is None else loose,
            self.fraction,
        )

    def scaled_by(self, factor: Fraction) -> Unit | None:
        """The unit of (value * factor) for the same amount, when that is a unit with a name; else None."""
        for reading in self.readings():
            converted = reading.replaced(scale=reading.scale / factor)
            if converted.recognised:
                return converted
        return None

    def agrees(self, other: Unit) -> bool:
        """Same dimension and scale, under some reading of both; scopes are not compared."""
        return self.powers == other.powers and any(mine.scale == yours.scale for mine in self.readings() for yours in other.readings())

    def __str__(self) -> str:
        if self.dimensionless:
            name = "fraction" if self.fraction else "number"
            return name if self.scale == 1 else f"{name} x {self.scale}"
        text = self._scale_text()
        if text is None:
            return f"{self.replaced(scale=Fraction(1))} x {self.scale}"
        above = [self._part(dimension, power, text, False) for dimension, power in self.powers if power > 0]
        below = [self._part(dimension, -power, text, True) for dimension, power in self.powers if power < 0]
        return "/".join(["*".join(above) or "1", *below])

    def _part(self, dimension: str, power: int, scaled: str, below: bool) -> str:
        text = scaled if dimension == self._scaled_dimension() else dimension
        if text == dimension and below:
            text = _SINGULAR[dimension]
        return text if power == 1 else f"{text}**{power}"

    def _scaled_dimension(self) -> str | None:
        """The one dimension whose unit takes the scale: bytes or seconds to the power of one."""
        return next((dimension for dimension, power in self.powers if dimension in _SCALES and power == 1), None)

    def _scale_text(self) -> str | None:
        dimension = self._scaled_dimension()
        if dimension is None:
            return "" if self.scale == 1 else None
        text = _SCALES[dimension].get(self.scale)
        return text.replace("i", "") if text is not None and self.loose else text


def parse_unit(text: str, scope: str | None = None) -> Unit:
    """Read `GiB`, `tokens`, `bytes/token`, `bytes/token/layer`, `tokens/page`, `fraction`, `number`; `GB?` is loose.

    Raises UnitError.
    """
    head, *below = (part.strip() for part in text.split("/"))
    loose = head.endswith("?")
    if head.rstrip("?") in ("fraction", "number") and not below:
        return Unit(fraction=head == "fraction", scope=scope)
    scale, exponents = Fraction(1), dict[str, int]()
    for sign, part in [(1, head.rstrip("?")), *((-1, part) for part in below)]:
        if sign == 1 and part == "1":
            continue
        found = re.fullmatch(r"([A-Za-z]+)(?:\*\*(\d))?", part)
        spelling = _SPELLINGS.get(found.group(1)) if found else None
        if found is None or spelling is None:
            raise UnitError(f"{text!r} is not a unit")
        dimension, factor = spelling
        power = sign * int(found.group(2) or 1)
        exponents[dimension] = exponents.get(dimension, 0) + power
        scale *= factor**power
    if loose:
        scale = _other_reading(scale) or scale
    return Unit(_powers(exponents), scale, scope, loose)


def joined_scope(left: str | None, right: str | None) -> str | None:
    """The scope of a combination: the one that is known; nothing when both are and differ."""
    if left is None or right is None:
        return left if right is None else right
    return left if left == right else None


def _powers(exponents: dict[str, int]) -> Powers:
    return tuple((dimension, exponents[dimension]) for dimension in BASE if exponents.get(dimension))


def _other_reading(scale: Fraction) -> Fraction | None:
    """The scale with the other thousand: 2**30 for 10**9 and the reverse."""
    for power in range(1, len(_PREFIXES) + 1):
        for here, there in ((1024, 1000), (1000, 1024)):
            if scale == Fraction(here) ** power:
                return Fraction(there) ** power
    return None


NUMBER = Unit()
FRACTION = Unit(fraction=True)
BYTES = Unit((("bytes", 1),))
GIB = BYTES.replaced(scale=_BINARY["GiB"])
