"""What `sgmem units` returns. Field names are the JSON contract `sgmem/units/1`: fields may be added, never changed in meaning."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.queries.results.trace import SourceInfo


class UnknownAmount(msgspec.Struct, frozen=True):
    """A value that is an amount of memory and whose unit is not known; `needed`: the unit of what it meets, or that is said of it."""

    path: str
    uri: str
    line: int
    column: int
    symbol: str
    code: str
    needed: str
    because: tuple[str, ...]


class UnitSuggestion(msgspec.Struct, frozen=True):
    """A row that would decide `alone` amounts by itself and has a part in `shared` more. `unit` is what most of them need; None where
    that cannot be told, because something multiplies or divides on the way. `contested`: they do not all need the same.
    """

    kind: Literal["result", "parameter", "field"]
    name: str
    path: str
    line: int
    alone: int
    shared: int
    unit: str | None
    contested: bool
    toml: str
    places: tuple[str, ...]


class UnitsResult(msgspec.Struct, frozen=True):
    """`amounts`: how many there are; `known`: how many are in a unit that is known, by unit; the rest are `unknown`."""

    source: SourceInfo
    amounts: int
    known: dict[str, int]
    unknown: tuple[UnknownAmount, ...]
    suggestions: tuple[UnitSuggestion, ...] = ()
    schema: str = "sgmem/units/1"
