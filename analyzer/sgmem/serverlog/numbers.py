"""Numbers as logs and people write them: `1,234,567`, `12,5`, `1_000`, with or without a unit."""

from __future__ import annotations

import re

import msgspec

NUMBER = r"[-+\u2212]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?"
_NUMBER = re.compile(NUMBER)
_AMOUNT = re.compile(
    rf"(?P<number>{NUMBER})(?P<rest>\s*[/(]\s*{NUMBER})?\s*(?P<unit>[KMGT]i?B\b|[GM]B(?=[A-Z])|bytes\b|B\b|G\b|%)?", re.ASCII
)

GIB = {
    "kb": 2.0**-20, "kib": 2.0**-20, "mb": 2.0**-10, "mib": 2.0**-10, "gb": 1.0, "gib": 1.0, "g": 1.0, "tb": 1024.0, "tib": 1024.0,
    "bytes": 2.0**-30, "b": 2.0**-30,
}  # fmt: skip
"""What one of a printed unit is in GiB: SGLang and torch print GiB and MiB under either spelling."""


MANY = 1e6
"""No machine has so many GiB."""


class Amount(msgspec.Struct, frozen=True):
    """A printed number. `step` is one unit of its last digit, so that it stands for value +- step / 2."""

    value: float
    step: float
    unit: str = ""
    end: int = 0

    def gib(self) -> Amount:
        """The amount in GiB; a bare number is one already, but for one so large that it must be bytes."""
        factor = GIB.get(self.unit.lower(), 1.0 if abs(self.value) < MANY else GIB["bytes"])
        return Amount(self.value * factor, self.step * factor, "GiB", self.end)


def amount_at(text: str, position: int) -> Amount | None:
    """The number that stands at `position`, with its unit; of `BYTES / GB` and `BYTES (GB)` the second, which carries the unit."""
    match = _AMOUNT.match(text, position)
    if match is None:
        return None
    rest = match["rest"]
    chosen = match["number"]
    if rest is not None and match["unit"]:
        second = _NUMBER.search(rest)
        chosen = second.group() if second else chosen
    elif rest is not None:
        match = _AMOUNT.match(text[: match.end("number")], position) or match
    parsed = number(chosen)
    return None if parsed is None else Amount(*parsed, match["unit"] or "", match.end())


def number(text: str) -> tuple[float, float] | None:
    """The value and the step of its last digit. A comma separates thousands where three digits follow it, else decimals."""
    plain = text.replace("_", "").replace("\u2212", "-").rstrip(",")
    mantissa, _, exponent = plain.lower().partition("e")
    head, comma, tail = mantissa.rpartition(",")
    if comma:
        thousands = "." in tail or (len(tail) == 3 and head.lstrip("+-") not in ("0", ""))
        mantissa = mantissa.replace(",", "") if thousands or "," in head else f"{head}.{tail}"
    try:
        value = float(f"{mantissa}e{exponent or 0}")
        decimals = len(mantissa.partition(".")[2])
        step = 10.0 ** (int(exponent or 0) - decimals)
    except (ValueError, OverflowError):
        return None
    return (value, step) if abs(value) < 1e18 else None
