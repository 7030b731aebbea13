"""`sgmem units`."""

from typing import Annotated

import typer

from sgmem.cli.shared import Given, reporting

EPILOG = """\b
Examples:
  sgmem units
      how many amounts of memory are in which unit, and which are in none that is known
  sgmem units --suggest --source ~/src/fork
      also the few rows that would decide the most of them, as TOML for its settings
"""


@reporting("units")
def units(
    suggest: Annotated[bool, typer.Option("--suggest", help="Name the rows that would decide the most unknown amounts.")] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="How many rows to name.")] = 10,
    *,
    shared: Given,
) -> int:
    """Tell how many amounts of memory are in a known unit, and what would decide the others."""
    from sgmem.cli.session import finish, opened, settle

    settled = settle(shared)
    with opened(settled) as session:
        from sgmem.queries.units.query import units as query

        result = query(session.tree, session.configuration.own_models, suggest=suggest, most=top)
    return finish(result, result.source, settled, 0)
