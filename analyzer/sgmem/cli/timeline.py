"""`sgmem timeline [ROOT]`."""

from typing import Annotated

import typer

from sgmem.cli import options
from sgmem.report.registry import format_names

EPILOG = """\b
Examples:
  sgmem timeline
  sgmem timeline --source sglang==VERSION
  sgmem timeline ModelRunner --source ~/sglang
  sgmem timeline package.module:Class.method -v
  sgmem timeline -o text:- -o json:timeline.json
"""


def timeline(
    root: Annotated[
        str | None,
        typer.Argument(
            metavar="ROOT",
            help="Where to begin: a class, function or method, bare or as module:name. Default: where a start-up begins.",
        ),
    ] = None,
    source: options.Source = None,
    package: options.Package = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help=f"One of: {', '.join(format_names('timeline'))}. The same as -o FORMAT:-.",
        ),
    ] = None,
    output: options.Output = None,
    config: options.Config = None,
    isolated: options.Isolated = False,
    no_cache: options.NoCache = False,
    color: options.ColorOption = "auto",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    strict: options.Strict = False,
    debug: options.Debug = False,
) -> int:
    """Show what a start-up does to device memory, in order: what is measured, loaded, allocated, captured and freed."""
    from sgmem.cli.session import finish, opened, shared_options
    from sgmem.queries.options import TimelineOptions

    shared = shared_options(
        "timeline", format_name, output, config, isolated=isolated, source=source, package=package, no_cache=no_cache,
        quiet=quiet, verbose=verbose, color=color, strict=strict,
    )  # fmt: skip
    with opened(shared) as session:
        from sgmem.queries.timeline.query import timeline as query

        asked = TimelineOptions(store=session.store, progress=session.progress, own=shared.configuration.own_models)
        result = query(session.tree, root, asked)
    return finish(result, result.source, shared, 0)
