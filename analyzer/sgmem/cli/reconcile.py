"""`sgmem reconcile LOG`."""

from pathlib import Path
from typing import Annotated

import typer

from sgmem.cli.shared import Given, reporting

EPILOG = """\b
Examples:
  sgmem reconcile server.log
  sgmem reconcile server.log --source ~/sglang
  sgmem reconcile server.log --source sglang==VERSION --format json
  kubectl logs my-pod | sgmem reconcile -
  sgmem reconcile server.log --fetch
      download the release that the log names or looks like, and use its source

\b
The log is only read: nothing in it is run, and nothing leaves the machine.
Exit code 1: a start in the log contradicts the formula.
"""


@reporting("reconcile")
def reconcile(
    log: Annotated[str, typer.Argument(metavar="LOG", help="The server's log; - reads stdin.")],
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Without --source: download the release that the log names or whose formats fit.")
    ] = False,
    *,
    shared: Given,
) -> int:
    """Say whether the memory figures of a server's log add up, what is missing, and which fraction would work."""
    from sgmem.cli.log_input import opened_log, reconciled
    from sgmem.cli.session import finish, settle
    from sgmem.config.errors import NothingAnalysed
    from sgmem.queries.results.trace import SourceInfo

    settled = settle(shared)
    with opened_log(log) as (stream, size, name):
        result = reconciled(stream, size, name, settled, fetch=fetch)
    code = 1 if any(boot.verdict == "inconsistent" for boot in result.boots) else 0
    if not result.boots:
        raise NothingAnalysed(f"{Path(name).name} holds no line about memory that is known")
    return finish(result, result.source or SourceInfo("", None, 0, 0), settled, code)
