"""A trace whose files have the same code on other lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.queries.results.trace import Site, Trace, Unresolved


def moved(trace: Trace, line: Callable[[str, int], int | None]) -> Trace | None:
    """The trace with its places where they stand now; None if one of them is not the same any more."""
    found: list[int | None] = []

    def at(path: str, number: int) -> int:
        found.append(line(path, number))
        return found[-1] or 0

    def site(one: Site) -> Site:
        return msgspec.structs.replace(one, line=at(one.path, one.line), end_line=at(one.path, one.end_line))

    def unresolved(one: Unresolved) -> Unresolved:
        return msgspec.structs.replace(one, line=at(one.path, one.line))

    result = msgspec.structs.replace(trace, sites=tuple(map(site, trace.sites)), unresolved=tuple(map(unresolved, trace.unresolved)))
    return None if None in found else result
