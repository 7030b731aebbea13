"""`sgmem timeline [ROOT]`."""

from typing import Annotated

import typer

from sgmem.cli.shared import Given, reporting

EPILOG = """\b
Examples:
  sgmem timeline
  sgmem timeline --source sglang==VERSION
  sgmem timeline ModelRunner --source ~/sglang
  sgmem timeline package.module:Class.method --all
  sgmem timeline -o text:- -o json:timeline.json
"""


@reporting("timeline")
def timeline(
    root: Annotated[
        str | None,
        typer.Argument(
            metavar="ROOT",
            help="Where to begin: a class, function or method, bare or as module:name. Default: where a start-up begins.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every step, and what every reading includes.")] = False,
    *,
    shared: Given,
) -> int:
    """Show what a start-up does to device memory, in order: what is measured, loaded, allocated, captured and freed."""
    from sgmem.cli.session import finish, opened, settle
    from sgmem.queries.options import TimelineOptions

    settled = settle(shared)
    with opened(settled) as session:
        from sgmem.queries.timeline.query import timeline as query

        asked = TimelineOptions(store=session.store, progress=session.progress, own=settled.configuration.own_models)
        result = query(session.tree, root, asked)
    return finish(result, result.source, settled, 0, every=every)
