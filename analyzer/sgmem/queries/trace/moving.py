"""A trace whose files have the same code on other lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.program.silent_edits import Shift
    from sgmem.queries.results.trace import Site, Trace, Unresolved


def moved(trace: Trace, shifts: Mapping[str, Shift]) -> Trace:
    """The trace with its places where they stand now."""

    def site(one: Site) -> Site:
        shift = shifts.get(one.path)
        return one if shift is None else msgspec.structs.replace(one, line=shift.of(one.line), end_line=shift.of(one.end_line))

    def unresolved(one: Unresolved) -> Unresolved:
        shift = shifts.get(one.path)
        return one if shift is None else msgspec.structs.replace(one, line=shift.of(one.line))

    return msgspec.structs.replace(trace, sites=tuple(map(site, trace.sites)), unresolved=tuple(map(unresolved, trace.unresolved)))
