"""`sgmem trace NAME`: every place that declares, writes, hands on, stores and reads a parameter, and how it reaches the formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.names import plain_name
from sgmem.queries.own_models import own_stamp
from sgmem.queries.remembered import key_of, place_key, remembered
from sgmem.queries.results.trace import Trace

if TYPE_CHECKING:
    from sgmem.program.files import Files
    from sgmem.queries.options import TraceOptions
    from sgmem.source.tree import SourceTree


def trace(tree: SourceTree, name: str, options: TraceOptions) -> Trace:
    """Trace a parameter.

    `name` is bare, or qualified as `module:Class.attr` or `module:function.param` (the module may be cut to its end); a flag's
    spelling means its field. Raises `NothingAnalysed` when nothing bears the name. A result computed before for the same source is
    taken from the store.
    """
    name = plain_name(name)

    def computed() -> Trace:
        # The engine and its parsers are imported only when there is something to compute.
        from sgmem.queries.untouched import Untouched

        def traced() -> tuple[Trace, Files]:
            from sgmem.queries.trace.tracing import analysis_of, compute

            analysis = analysis_of(tree, options)
            return compute(analysis, name, options), analysis.program.files

        kept = Untouched(options.store, "trace", lambda: place_key(tree, (*asked, own_stamp(options.own))), Trace)
        return kept.get(tree, traced)

    asked = (name, options.to, options.direction, options.writes, options.depth, options.hops, options.min_confidence, options.anchors)
    return remembered(options.store, "trace", lambda: key_of(tree, (*asked, own_stamp(options.own))), Trace, computed)
