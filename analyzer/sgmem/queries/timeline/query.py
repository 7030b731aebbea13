"""`sgmem timeline [ROOT]`: what a start-up does to device memory, in order, and what its measurements see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.own_models import own_stamp
from sgmem.queries.remembered import key_of, place_key, remembered
from sgmem.queries.results.timeline import Timeline

if TYPE_CHECKING:
    from sgmem.queries.options import TimelineOptions
    from sgmem.source.tree import SourceTree


def timeline(tree: SourceTree, root: str | None, options: TimelineOptions) -> Timeline:
    """The timeline from `root` on: a class, a function or a method, bare or as `module:qualname`; None: where the models say.

    Raises NothingAnalysed where there is no such function, where it is ambiguous, and where no known start-up is found. A result
    computed before for the same source is taken from the store.
    """

    def computed() -> Timeline:
        # The engine and its parsers are imported only when there is something to compute.
        from sgmem.queries.timeline.timelining import compute, questions
        from sgmem.queries.untouched import Untouched

        kept = Untouched(options.store, "timeline", lambda: place_key(tree, asked()), Timeline, lambda: questions(options))
        return kept.get(tree, lambda: compute(tree, root, options))

    def asked() -> tuple[object, ...]:
        return "timeline", root, own_stamp(options.own)

    return remembered(options.store, "timeline", lambda: key_of(tree, asked()), Timeline, computed)
