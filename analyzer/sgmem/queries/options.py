"""What a query is asked: typed options, filled by the command line or by a caller in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from sgmem.cache.store import Store
from sgmem.findings.finding import Persona
from sgmem.queries.results import Confidence

Direction = Literal["back", "forward", "both"]
Hops = Literal["default", "all"]


class TraceOptions(msgspec.Struct, frozen=True):
    """`to` keeps paths that end in an argument of that callee; `depth` limits the hops from the parameter (None: none).

    `store` keeps facts between runs (None: nothing is kept). `progress` is called with one short line per stage.
    """

    to: str | None = None
    direction: Direction = "both"
    writes: bool = False
    depth: int | None = None
    hops: Hops = "default"
    min_confidence: Confidence = "low"
    store: Store | None = None
    progress: Callable[[str], None] | None = None


class CheckOptions(msgspec.Struct, frozen=True):
    """`select` and `ignore` hold rule names or codes; an empty `select` means every rule of the persona."""

    persona: Persona = "regular"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = "low"
    store: Store | None = None
    progress: Callable[[str], None] | None = None
