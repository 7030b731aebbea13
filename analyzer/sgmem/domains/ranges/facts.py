"""What is known of the values that names can take: proven bounds, relations between names, and how much a user controls
them.

No fraction is assumed to lie between 0 and 1, because nothing in the analysed programs checks it. Usual values serve
examples only.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.algebra.forms import Ratio, name
from sgmem.domains.units.unit import GIB, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

Control = Literal["user", "config", "measured", "computed"]
"""Who decides a value: the user by a flag, a config record, the machine when asked, or other code."""

CONTROL_ORDER: tuple[Control, ...] = ("user", "config", "computed", "measured")
"""The order in which a condition is best put in terms of a name."""


class Fact(msgspec.Struct, frozen=True):
    """Proven bounds of one name (None: unbounded) and `usual`, a realistic small and large value."""

    low: Fraction | None = None
    high: Fraction | None = None
    control: Control = "computed"
    integer: bool = False
    usual: tuple[Fraction, Fraction] = (Fraction(1), Fraction(100))

    @property
    def independent(self) -> bool:
        """Whether the value may be chosen regardless of the other names; a computed value may be bound to them."""
        return self.control != "computed"

    @property
    def realistic(self) -> tuple[Fraction, Fraction]:
        """`usual` where the bounds allow it, else the bounds."""
        small, large = self.usual
        low = small if self.high is None or small < self.high else self.low if self.low is not None else self.high
        high = large if self.low is None or large > self.low else self.high if self.high is not None else self.low
        return (
            low if self.low is None else max(low, self.low),
            high if self.high is None else min(high, self.high),
        )

    def allows(self, value: Fraction) -> bool:
        return (
            (self.low is None or self.low <= value)
            and (self.high is None or value <= self.high)
            and (not self.integer or value.denominator == 1)
        )


class LazyFacts(Mapping[str, Fact]):
    """Facts of some names, each found when it is first asked for: what is known of a value may take a long search, and most formulas
    are decided without it."""

    def __init__(self, names: Collection[str], find: Callable[[str], Fact]) -> None:
        self._names = names
        self._find = find
        self._found: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Facts(msgspec.Struct, frozen=True):
    """Facts by name, and ratios that are known never to be negative (see `at_most`)."""

    of: Mapping[str, Fact] = {}
    nonnegative: tuple[Ratio, ...] = ()

    def fact(self, symbol: str) -> Fact:
        """What is known of `symbol`; nothing, if it is not listed."""
        return self.of.get(symbol) or _UNKNOWN

    def extended(self, more: Mapping[str, Fact], nonnegative: tuple[Ratio, ...] = ()) -> Facts:
        known = self.of
        names = {**dict.fromkeys(known), **dict.fromkeys(more)}
        return Facts(LazyFacts(names, lambda name: more.get(name) or known[name]), self.nonnegative + nonnegative)

    def as_usual(self) -> Facts:
        """The same names within their usual values: never a proof, but a sense of direction."""

        def usual(name: str) -> Fact:
            fact = self.of[name]
            small, large = fact.realistic
            return Fact(small if fact.low is None else fact.low, large if fact.high is None else fact.high)

        return Facts(LazyFacts(self.of, usual), self.nonnegative)


_UNKNOWN = Fact()


def at_most(lesser: str, greater: str) -> Ratio:
    """The relation lesser <= greater, for `Facts.nonnegative`: free <= total of one measurement."""
    return name(greater) - name(lesser)


def constant_fact(value: Fraction) -> Fact:
    return Fact(value, value, "measured", value.denominator == 1, (value, value))


def fact_for(unit: Unit | None, quantity: str | None = None, control: Control = "computed", positive: bool = False) -> Fact:
    """What a unit and a measured quantity (free, total, allocated, used) imply. `positive` for sizes that cannot be
    zero.

    Amounts, counts and sizes per something are never negative; a fraction, a plain number and an unknown unit can be
    anything.
    """
    if unit is None:
        return Fact(control=control)
    if unit.dimensionless:
        return Fact(control=control, usual=_USUAL_FRACTION if unit.fraction else _UNKNOWN.usual)
    low = Fraction(1 if positive and unit.is_count else 0)
    if unit.is_amount:
        small, large = _USUAL_GIB.get(quantity or "", _USUAL_GIB[""])
        whole = unit.scale < GIB.scale
        usual = (_in_unit(small, unit, whole), _in_unit(large, unit, whole))
        return Fact(low, None, control, unit.scale == 1, usual)
    return Fact(low, None, control, unit.is_count, _USUAL_COUNT.get(str(unit), (Fraction(1), Fraction(1024))))


def _in_unit(gib: Fraction, unit: Unit, whole: bool) -> Fraction:
    value = gib * GIB.scale / unit.scale
    return Fraction(round(value)) if whole else value


def _pair(small: str, large: str) -> tuple[Fraction, Fraction]:
    return Fraction(small), Fraction(large)


# A card of 94 GiB with 21.7 GiB left after the weights: the case that sgmem was written for.
_USUAL_GIB = {
    "free": _pair("21.7", "94"),
    "total": _pair("24", "94"),
    "allocated": _pair("2", "72.3"),
    "used": _pair("2", "72.3"),
    "": _pair("0.5", "94"),
}
_USUAL_FRACTION = _pair("0.55", "0.88")
_USUAL_COUNT = {
    "tokens": _pair("1", "65536"),
    "requests": _pair("1", "256"),
    "layers": _pair("1", "61"),
    "heads": _pair("1", "128"),
    "ranks": _pair("1", "8"),
    "pages": _pair("1", "4096"),
    "slots": _pair("1", "256"),
    "tokens/page": _pair("1", "64"),
    "bytes/token": _pair("1152", "70272"),
}
