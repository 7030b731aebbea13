"""Evidence for a unit: what it rests on, how strong that is, and the chain that leads there.

Evidence from names is limited to suffixes that spell a unit. `_size`, `_len`, `_memory` and `capacity` say nothing, and
a name that hints at a kind of count is never enough to call a sum wrong.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Literal

import msgspec

from sgmem.domains.units import Unit, UnitError, parse_unit
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

    @property
    def strong(self) -> bool:
        return not self.weak and self.strength >= Strength.SUFFIX

    @property
    def rank(self) -> tuple[bool, Strength]:
        return (not self.weak, self.strength)

    def weakened(self, why: str) -> Evidence:
        """The same unit, no longer good enough for a report."""
        return self if self.weak else Evidence(self.unit, self.strength, why, self.span, True, (self,))

    def converted(self, unit: Unit, why: str, span: ir.Span) -> Evidence:
        """The same amount in another unit."""
        return Evidence(unit, self.strength, why, span, self.weak, (self,))

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


_SUFFIX = re.compile(r"(?<=[a-z0-9])_(gib|mib|kib|gb|mb|kb|tb|bytes|nbytes)$", re.IGNORECASE)
_OTHER_USE = re.compile(r"(^|_)(per|to|as|from|is|has)_[a-z]+$", re.IGNORECASE)
_LABEL = re.compile(r"[ \t]*(GiB|MiB|KiB|TiB|GB|MB|KB|TB|bytes|tokens|pages)\b")
_SPELLED = {
    "gib": "GiB", "mib": "MiB", "kib": "KiB", "gb": "GB?", "mb": "MB?", "kb": "KB?", "tb": "TB?", "nbytes": "bytes",
}  # fmt: skip


def suffix_evidence(name: str, span: ir.Span | None = None) -> Evidence | None:
    """What a name that ends in a unit declares: `slack_gb`, `pool_size_bytes`, `cache_vram_mib`; None for any other
    name.

    `_gb` and `_mb` are loose: they are used for powers of 1024 and of 1000 alike. `bytes_per_gb` is a quotient and says
    nothing.
    """
    found = _SUFFIX.search(name)
    if found is None or _OTHER_USE.search(name):
        return None
    spelled = found.group(1).lower()
    unit = parse_unit(_SPELLED.get(spelled, spelled))
    return Evidence(unit, Strength.SUFFIX, f"the name `{name}` ends in _{found.group(1)}", span)


def model_evidence(unit: str, why: str, span: ir.Span | None = None, scope: str | None = None) -> Evidence | None:
    """What a model row says about a function's result or a field; None when its unit cannot be read."""
    try:
        return Evidence(parse_unit(unit, scope), Strength.FUNCTION, why, span)
    except UnitError:
        return None


def label_evidence(text: ir.Format) -> tuple[tuple[ir.Expr, Evidence], ...]:
    """The values of an f-string that are printed with a unit right after them: `f"{size:.2f} GB"`."""
    found: list[tuple[ir.Expr, Evidence]] = []
    for value, label in zip(text.parts, text.parts[1:], strict=False):
        if isinstance(value, ir.Const) or not isinstance(label, ir.Const) or not isinstance(label.value, str):
            continue
        match = _LABEL.match(label.value)
        if match is not None:
            spelled = match.group(1)
            unit = parse_unit(f"{spelled}?" if spelled in ("GB", "MB", "KB", "TB") else spelled)
            found.append((value, Evidence(unit, Strength.LABEL, f"printed with the label {spelled}", label.span)))
    return tuple(found)


def stronger(left: Evidence | None, right: Evidence | None) -> Evidence | None:
    """The better of two claims about one value; the left one when they are equally good."""
    if left is None or right is None:
        return left if right is None else right
    return right if right.rank > left.rank else left


def mismatch(left: Evidence | None, right: Evidence | None) -> Mismatch | None:
    """Whether two values that are added, subtracted or compared disagree; only when both sides have strong evidence."""
    if left is None or right is None or not left.strong or not right.strong:
        return None
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
