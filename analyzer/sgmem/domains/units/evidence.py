"""Evidence for a unit: what it rests on, how strong that is, and the chain that leads there.

Evidence from names is limited to suffixes that spell a unit. `_size`, `_len`, `_memory` and `capacity` say nothing, and
a name that hints at a kind of count is never enough to call a sum wrong.
"""

from __future__ import annotations

import re
from enum import IntEnum
from fractions import Fraction
from typing import Literal

import msgspec

from sgmem.domains.units.unit import Unit, UnitError, parse_unit
from sgmem.syntax import ir


class Strength(IntEnum):
    """How much a source of evidence proves, weakest first."""

    DOCSTRING = 1
    LABEL = 2
    SUFFIX = 3
    CONVERSION = 4
    FUNCTION = 5


class Evidence(msgspec.Struct, frozen=True):
    """`unit`, because of `why` at `span`. `weak` evidence informs a reader and never makes a report."""

    unit: Unit
    strength: Strength
    why: str
    span: ir.Span | None = None
    weak: bool = False
    because: tuple[Evidence, ...] = ()
    counted: bool = False
    """Weak only because a count of unknown things is a factor of it: what it counts is not sure, its scale is."""

    @property
    def scaled(self) -> bool:
        """Whether the scale is sure, be the rest as it may."""
        return self.strong or (self.counted and self.strength >= Strength.SUFFIX)

    @property
    def strong(self) -> bool:
        return not self.weak and self.strength >= Strength.SUFFIX

    @property
    def shown(self) -> str:
        """The unit for a reader: a guess with a question mark. Where unknown counts are factors, what is left of `bytes/element` after
        them is not known either; that it is an amount in bytes is.
        """
        if self.strong:
            return str(self.unit)
        if self.counted and self.unit.memory_per == 1 and not self.unit.is_amount:
            return f"{Unit((('bytes', 1),), self.unit.scale, None, self.unit.loose)}?"
        return f"{self.unit}?"

    @property
    def rank(self) -> tuple[bool, Strength]:
        return (not self.weak, self.strength)

    def weakened(self, why: str) -> Evidence:
        """The same unit, no longer good enough for a report."""
        return self if self.weak else Evidence(self.unit, self.strength, why, self.span, True, (self,))

    def times_unknown(self, why: str) -> Evidence:
        """A product with a factor of which nothing is known but that it is no conversion."""
        return Evidence(self.unit, self.strength, why, self.span, True, (self,), self.scaled)

    def converted(self, unit: Unit, why: str, span: ir.Span) -> Evidence:
        """The same amount in another unit."""
        return Evidence(unit, self.strength, why, span, self.weak, (self,), self.counted)

    def chain(self) -> tuple[Evidence, ...]:
        """Everything this rests on, itself first."""
        found, pending = list[Evidence](), [self]
        while pending and len(found) < 64:
            current = pending.pop(0)
            found.append(current)
            pending.extend(current.because)
        return tuple(found)


class Mismatch(msgspec.Struct, frozen=True):
    """Two values that are added, subtracted or compared although their units disagree.

    kind: "dimension" (bytes and tokens), "scale" (GiB and MiB; `factor` is left over right) or "scope" (one rank, all
    ranks).
    """

    kind: Literal["dimension", "scale", "scope"]
    left: Evidence
    right: Evidence
    text: str


_SUFFIX = re.compile(
    r"(?<=[a-z0-9])_(?:(gib|mib|kib|gb|mb|kb|tb|bytes|nbytes)|(gib|mib|gb|mb|kb)_(?:size|limit|max|total|used|free)|"
    r"(fraction|ratio))$",
    re.IGNORECASE,
)
_OTHER_USE = re.compile(r"(^|_)(per|to|as|from|is|has)_[a-z]+$", re.IGNORECASE)
_SPELLED = {
    "gib": "GiB", "mib": "MiB", "kib": "KiB", "gb": "GB?", "mb": "MB?", "kb": "KB?", "tb": "TB?", "nbytes": "bytes",
}  # fmt: skip


_PER = re.compile(
    r"(?:^|_)(gib|mib|kib|gb|mb|kb|bytes)_per_(token|page|layer|request|req|head|rank|element|slot|second)s?$", re.IGNORECASE
)


def suffix_evidence(name: str, span: ir.Span | None = None) -> Evidence | None:
    """What a name that ends in a unit declares: `slack_gb`, `pool_size_bytes`, `cache_vram_mib`; None for any other
    name.

    `_gb` and `_mb` are loose: they are used for powers of 1024 and of 1000 alike. `bytes_per_gb` is a quotient and says
    nothing. `_ratio` and `_fraction` say that there is no unit.
    """
    quotient = _PER.search(name)
    if quotient is not None:
        above, below = quotient.group(1).lower(), quotient.group(2).lower().replace("req", "request").replace("requestuest", "request")
        unit = parse_unit(f"{_SPELLED.get(above, above)}/{below}")
        return Evidence(unit, Strength.SUFFIX, f"the name `{name}` spells {unit}", span)
    found = _SUFFIX.search(name)
    if found is None or _OTHER_USE.search(name):
        return None
    ending = next(group for group in found.groups() if group)
    spelled = ending.lower()
    unit = parse_unit("fraction" if found.group(3) else _SPELLED.get(spelled, spelled))
    how = "ends in" if name.endswith(ending) else "holds"
    return Evidence(unit, Strength.SUFFIX, f"the name `{name}` {how} _{ending}", span)


def model_evidence(unit: str, why: str, span: ir.Span | None = None, scope: str | None = None) -> Evidence | None:
    """What a model row says about a function's result or a field; None when its unit cannot be read."""
    try:
        return Evidence(parse_unit(unit, scope), Strength.FUNCTION, why, span)
    except UnitError:
        return None


def stronger(left: Evidence | None, right: Evidence | None) -> Evidence | None:
    """The better of two claims about one value; the left one when they are equally good."""
    if left is None or right is None:
        return left if right is None else right
    return right if right.rank > left.rank else left


def mismatch(left: Evidence | None, right: Evidence | None) -> Mismatch | None:
    """Whether two values that are added, subtracted or compared disagree; only when both sides have strong evidence."""
    if left is None or right is None or not (left.scaled and right.scaled) or not (left.strong or right.strong):
        return None
    if left.strong and right.strong:
        return disagreement(left, right)
    return _far_apart(left, right)


def _far_apart(left: Evidence, right: Evidence) -> Mismatch | None:
    """Amounts of which only the scale is sure, where it is off by a thousand at least."""
    a, b = left.unit, right.unit
    if a.memory_per != 1 or b.memory_per != 1:
        return None
    if any(1000 > mine.scale / yours.scale > Fraction(1, 1000) for mine in a.readings() for yours in b.readings()):
        return None
    return Mismatch("scale", left, right, f"{a} and {b} differ by a factor of {_factor(a, b)}")


def disagreement(left: Evidence, right: Evidence) -> Mismatch | None:
    """In what two claims contradict each other, however sure they are."""
    if not left.strong and left.counted:
        return _far_apart(left, right)
    a, b = left.unit, right.unit
    if a.dimensionless and b.dimensionless:
        return None
    if a.powers != b.powers:
        if _one_of(a, b) or _one_of(b, a):
            return None
        return Mismatch("dimension", left, right, f"{a} and {b} are different things")
    if not a.agrees(b):
        return Mismatch("scale", left, right, f"{a} and {b} differ by a factor of {_factor(a, b)}")
    if a.scope is not None and b.scope is not None and a.scope != b.scope:
        return Mismatch("scope", left, right, f"one is for {a.scope}, the other for {b.scope}")
    return None


def _one_of(item: Unit, whole: Unit) -> bool:
    """Whether `item` is what one thing takes of `whole`: bytes per token, tokens per page.

    `(size + per_token - 1) // per_token` rounds up, and `free < per_token` asks whether there is room for one more.
    """
    rest = item / whole
    return item.scale == whole.scale and all(power < 0 and name not in ("bytes", "seconds") for name, power in rest.powers)


def _factor(left: Unit, right: Unit) -> str:
    factor = max(left.scale / right.scale, right.scale / left.scale)
    if factor.denominator == 1:
        power = factor.numerator.bit_length() - 1
        return f"2**{power}" if factor == 1 << power and power >= 20 else str(factor.numerator)
    return f"{float(factor):.3f}"
