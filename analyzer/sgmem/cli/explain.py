"""`sgmem explain TARGET`."""

from typing import Annotated

import typer

from sgmem.cli import options
from sgmem.report.registry import format_names

EPILOG = """\b
Examples:
  sgmem explain rest_memory --set mem_fraction_static=0.55 --set ...
  sgmem explain rest_memory --set ... --observed rest_memory=10.42
  sgmem explain mem_fraction_static --set gpu_mem=24GiB --set tp_size=8
  sgmem explain max_total_num_tokens --source sglang==VERSION --set ...

\b
Numbers: 94, 94GiB, 8192tokens. One with a decimal point may be off by half a
unit of its last digit (10.42 is 10.415 to 10.425), a whole number is exact.
GB, MB and KB are powers of 1024, as SGLang's logs print them.
Flags and names: true, false, none, or text.
"""


def explain(
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="A variable, field or function result that a formula computes."),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="The value of an input, or of anything on the way. May be repeated."),
    ] = None,
    observed: Annotated[
        str | None,
        typer.Option("--observed", metavar="TARGET=VALUE", help="What the target really was: find the input that cannot be right."),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Numbers with a decimal point are exact, not rounded.")] = False,
    source: options.Source = None,
    package: options.Package = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help=f"One of: {', '.join(format_names('explain'))}. The same as -o FORMAT:-.",
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
    """Put numbers into a formula of the source: its value step by step, its thresholds, and which number cannot be right."""
    from sgmem.cli.session import finish, opened, shared_options
    from sgmem.queries.options import ExplainOptions

    shared = shared_options(
        "explain", format_name, output, config, isolated=isolated, source=source, package=package, no_cache=no_cache, quiet=quiet,
        verbose=verbose, color=color, strict=strict,
    )  # fmt: skip
    with opened(shared) as session:
        from sgmem.queries.explain.query import explain as query

        asked = ExplainOptions(
            given=tuple(given or ()), observed=observed, exact=exact, store=session.store, progress=session.progress,
            own=shared.configuration.own_models,
        )  # fmt: skip
        result = query(session.tree, target, asked)
    contradicts = result.observed is not None and result.observed.consistent is False
    return finish(result, result.source, shared, 1 if contradicts else 0)
