"""`sgmem models`."""

from typing import Annotated

import typer

from sgmem.cli.shared import Given, reporting

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


@reporting("models")
def models(
    suggest: Annotated[bool, typer.Option("--suggest", help="Propose rows for what looks like a known kind and has none.")] = False,
    *,
    shared: Given,
) -> int:
    """List the model rows in force, what each of them matches in the source, and those that match nothing where they should."""
    from sgmem.cli.session import finish, opened, settle

    settled = settle(shared)
    with opened(settled) as session:
        from sgmem.queries.models.query import models as query

        result = query(session.tree, session.configuration.own_models, suggest=suggest)
    dead = any(row.own and row.state not in ("matched", "mentioned") for row in result.rows)
    return finish(result, result.source, settled, 1 if dead else 0)
