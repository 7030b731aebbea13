"""Numbers and amounts as `sgmem explain` words them."""

from __future__ import annotations

WORDS = {True: "true", False: "false"}
UNITLESS = frozenset({"number", "fraction"})


def number(value: float | None) -> str:
    """A number with the digits that tell: whole, or up to six significant ones."""
    if value is None:
        return "not known"
    if isinstance(value, int):
        return str(value)
    return f"{value:.6g}" if abs(value) < 10**6 else f"{value:.0f}"


def share(value: float, digits: int = 4) -> str:
    """A number with a fixed number of places, for the ends of an interval."""
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def amount(value: float | str | bool | None, unit: str | None) -> str:
    """A value with its unit, where that is one to be named."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return WORDS[value]
    if isinstance(value, str):
        return repr(value)
    text = number(value)
    return text if unit is None or unit in UNITLESS else f"{text} {unit}"
