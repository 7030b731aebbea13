"""`sgmem trace NAME`."""

from typing import Annotated, Literal

import typer

from sgmem.cli import options
from sgmem.report.registry import format_names

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
    hops: Annotated[Literal["default", "all"], typer.Option(help="all: fold nothing, cap nothing.")] = "default",
    source: options.Source = None,
    package: options.Package = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help=f"One of: {', '.join(format_names('trace'))}. The same as -o FORMAT:-.",
        ),
    ] = None,
    output: options.Output = None,
    config: options.Config = None,
    isolated: options.Isolated = False,
    no_cache: options.NoCache = False,
    min_confidence: options.MinConfidence = None,
    color: options.ColorOption = "auto",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    strict: options.Strict = False,
    debug: options.Debug = False,
) -> int:
    """Show every place that declares, sets, hands on and uses a parameter, and the formulas it enters."""
    from sgmem.cli.session import finish, opened, shared_options
    from sgmem.queries.options import TraceOptions

    shared = shared_options(
        "trace", format_name, output, config, isolated=isolated, source=source, package=package, no_cache=no_cache, quiet=quiet,
        verbose=verbose, color=color, strict=strict,
    )  # fmt: skip
    with opened(shared) as session:
        from sgmem.queries.trace.query import trace as query

        asked = TraceOptions(
            to=to, direction=direction, writes=writes, depth=depth, hops=hops,
            min_confidence=min_confidence or shared.configuration.settings.min_confidence,
            store=session.store, progress=session.progress, own=shared.configuration.own_models,
        )  # fmt: skip
        result = query(session.tree, name, asked)
    return finish(result, result.source, shared, 0, hops=hops, depth=depth, writes=writes)
