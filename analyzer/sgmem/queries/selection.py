"""Which sites of a slice a trace shows: `--to`, `--writes`, `--min-confidence`."""

from __future__ import annotations

from sgmem.flow.graph import GRADES, SiteKey, Slice
from sgmem.flow.occurrences import CONFIDENCE
from sgmem.queries.options import TraceOptions

_ORDER = ("low", "medium", "high")


def keep(slice_: Slice, options: TraceOptions) -> list[SiteKey]:
    """The sites to show, in no particular order."""
    least = _ORDER.index(options.min_confidence)
    kept = [key for key, site in slice_.sites.items() if _ORDER.index(CONFIDENCE[site.grade]) >= least]
    if options.to is not None:
        reaching = _reaching(slice_, options.to)
        kept = [key for key in kept if key in reaching]
    if options.writes:
        kept = [key for key in kept if key.role in ("declaration", "write", "store") and not slice_.sites[key].derived]
    return kept


def _reaching(slice_: Slice, callee: str) -> set[SiteKey]:
    """The sites on a path that ends in an argument of `callee`."""
    into: dict[SiteKey, list[SiteKey]] = {}
    for source, target in slice_.edges:
        into.setdefault(target, []).append(source)
    pending = [key for key, site in slice_.sites.items() if site.callee and _names(site.callee, callee)]
    seen = set(pending)
    while pending:
        for source in into.get(pending.pop(), ()):
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return seen


def _names(callee: str, wanted: str) -> bool:
    return callee == wanted or callee.endswith(f".{wanted}") or callee.rpartition(".")[2] == wanted


__all__ = ["GRADES", "keep"]
