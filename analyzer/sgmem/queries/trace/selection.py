"""Which sites of a slice a trace shows: `--to`, `--direction`, `--depth`, `--writes`, `--min-confidence`."""

from __future__ import annotations

from collections.abc import Callable

from sgmem.flow.graph import Move, SiteKey, Slice
from sgmem.flow.occurrences import CONFIDENCE
from sgmem.queries.options import TraceOptions

_ORDER = ("low", "medium", "high")


def keep(slice_: Slice, options: TraceOptions) -> list[SiteKey]:
    """The sites to show, in no particular order."""
    least = _ORDER.index(options.min_confidence)
    kept = {key for key, site in slice_.sites.items() if _ORDER.index(CONFIDENCE[site.grade]) >= least}
    if options.depth is not None:
        kept &= {key for key, site in slice_.sites.items() if site.hops <= options.depth}
    if options.direction == "forward":
        kept &= {*slice_.entries, *(key for move in slice_.moves for key in move.sites)}
    elif options.direction == "back":
        origins = {key for key in slice_.entries if key.role not in ("read", "guard")}
        kept &= _led(slice_, origins | _before(slice_, lambda move: _names_again(slice_, move)))
    if options.to is not None:
        wanted = options.to.removesuffix("()").replace(":", ".")
        kept &= _led(slice_, _before(slice_, lambda move: any(_is_named(name, wanted) for name in move.callees)))
    if options.writes:
        kept = {key for key in kept if key.role in ("declaration", "write", "store") and not slice_.sites[key].derived}
    return list(kept)


def _names_again(slice_: Slice, move: Move) -> bool:
    """Whether a move brings the parameter into a place that bears its name too."""
    return move.target is not None and not move.target.path and not move.target.derived and move.target.place in slice_.seeds


def _before(slice_: Slice, is_last: Callable[[Move], bool]) -> set[SiteKey]:
    """The sites on the paths that end in one of the chosen moves. Followed by places, not by sites: another value that only passes the
    same site on its way elsewhere is on no such path."""
    into: dict[object, list[Move]] = {}
    for move in slice_.moves:
        if move.target is not None:
            into.setdefault(move.target, []).append(move)
    pending = [move for move in slice_.moves if is_last(move)]
    sites: set[SiteKey] = set()
    passed: set[object] = set()
    while pending:
        move = pending.pop()
        sites.update(move.sites)
        if move.source is not None and move.source not in passed:
            passed.add(move.source)
            pending += into.get(move.source, ())
    return sites


def _led(slice_: Slice, sites: set[SiteKey]) -> set[SiteKey]:
    """The sites and those that lead to them, found backward."""
    pending, seen = list(sites), set(sites)
    while pending:
        for source in slice_.leads.get(pending.pop(), ()):
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return seen


def _is_named(name: str, wanted: str) -> bool:
    """Whether a callee's name ends in the wanted one, whole parts compared."""
    return f".{name.replace(':', '.')}".endswith(f".{wanted}")
