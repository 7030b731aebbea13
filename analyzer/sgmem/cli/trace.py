"""`sgmem trace NAME`."""

from typing import Annotated, Literal

import typer

from sgmem.cli import options
from sgmem.cli.shared import Given, reporting

EPILOG = """\b
Examples:
  sgmem trace mem_fraction_static
  sgmem trace mem_fraction_static --source ~/sglang --writes
  sgmem trace mem_fraction_static --source sglang==VERSION --format json
  sgmem trace total_gpu_memory --direction back
  sgmem trace package.module:Class.page_size --hops all
  sgmem trace page_size --to torch.zeros
  sgmem trace max_total_num_tokens -o text:- -o mermaid:trace.mmd
"""


@reporting("trace")
def trace(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A field, parameter, global, local, function or dict key: bare, or as module:Class.attr or module:function.param.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="CALLEE", help="Keep only paths that end in an argument of this callee."),
    ] = None,
    direction: Annotated[
        Literal["back", "forward", "both"], typer.Option(help="Where it comes from, where it goes, or both.")
    ] = "both",
    writes: Annotated[bool, typer.Option("--writes", help="Show only what sets it.")] = False,
    depth: Annotated[int | None, typer.Option(min=1, metavar="N", help="Follow at most N hops.")] = None,
    hops: Annotated[Literal["default", "all"], typer.Option(help="all: fold, cap and leave out nothing.")] = "default",
    min_confidence: options.MinConfidence = None,
    *,
    shared: Given,
) -> int:
    """Show every place that declares, sets, hands on and uses a parameter, and the formulas it enters."""
    from sgmem.cli.main import say
    from sgmem.cli.session import finish, opened, settle
    from sgmem.queries.names import shortened
    from sgmem.queries.options import TraceOptions

    settled = settle(shared)
    with opened(settled) as session:
        from sgmem.queries.trace.query import trace as query

        asked = TraceOptions(
            to=to, direction=direction, writes=writes, depth=depth, hops=hops,
            min_confidence=min_confidence or settled.configuration.settings.min_confidence,
            store=session.store, progress=session.progress, own=settled.configuration.own_models,
            anchors=settled.configuration.settings.anchors,
        )  # fmt: skip
        result = query(session.tree, name, asked)
    if to is not None and not result.sites and not settled.quiet:
        say(f"note: no path from {result.parameter} ends in an argument of {shortened(to)}")
    return finish(result, result.source, settled, 0, hops=hops, depth=depth, writes=writes)
