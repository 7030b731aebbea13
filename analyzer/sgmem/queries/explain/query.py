"""`sgmem explain TARGET`: a formula of the source with numbers in it: its value, its thresholds, which number is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.own_models import own_stamp
from sgmem.queries.remembered import key_of, place_key, remembered
from sgmem.queries.results.explain import Explain

if TYPE_CHECKING:
    from sgmem.queries.options import ExplainOptions
    from sgmem.source.tree import SourceTree


def explain(tree: SourceTree, target: str, options: ExplainOptions) -> Explain:
    """Explain a variable, field or function result that a formula computes.

    Raises UsageError for values that cannot be read or that nothing is called, NothingAnalysed where the target is not
    found or ambiguous. A result computed before for the same source and numbers is taken from the store.
    """

    def computed() -> Explain:
        # The engine and its parsers are imported only when there is something to compute.
        from sgmem.queries.explain.explaining import compute, questions
        from sgmem.queries.untouched import Untouched

        key = lambda: place_key(tree, (*asked, own_stamp(options.own)))  # noqa: E731
        kept = Untouched(options.store, "explain", key, Explain, lambda: questions(options))
        return kept.get(tree, lambda: compute(tree, target, options))

    asked = (target, options.given, options.observed, options.exact)
    return remembered(options.store, "explain", lambda: key_of(tree, (*asked, own_stamp(options.own))), Explain, computed)
