"""`sgmem models`."""

from typing import Annotated

import typer

from sgmem.cli import options
from sgmem.report.registry import format_names

EPILOG = """\b
Examples:
  sgmem models
      which rows match the source, and which match nothing in it
  sgmem models --suggest --source ~/src/fork
      also rows that a fork seems to need, as TOML for its settings

\b
Exit codes:
  0  every row of your own matches something
  1  a row of your own matches nothing
"""


def models(
    suggest: Annotated[bool, typer.Option("--suggest", help="Propose rows for what looks like a known kind and has none.")] = False,
    source: options.Source = None,
    package: options.Package = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="FORMAT", help=f"One of: {', '.join(format_names('models'))}. The same as -o FORMAT:-."),
    ] = None,
    output: options.Output = None,
    config: options.Config = None,
    color: options.ColorOption = "auto",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    strict: options.Strict = False,
    debug: options.Debug = False,
) -> int:
    """List the model rows in force, what each of them matches in the source, and those that match nothing where they should."""
    from sgmem.cli.session import finish, opened, shared_options

    shared = shared_options(
        "models", format_name, output, config, source=source, package=package, no_cache=False, quiet=quiet, verbose=verbose,
        color=color, strict=strict,
    )  # fmt: skip
    with opened(shared) as session:
        from sgmem.queries.models.query import models as query

        result = query(session.tree, session.configuration.own_models, suggest=suggest)
    dead = any(row.own and row.state not in ("matched", "mentioned") for row in result.rows)
    return finish(result, result.source, shared, 1 if dead else 0)
