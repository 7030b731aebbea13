"""The typer application: its commands and its help."""

# Annotations are read by typer at run time, so this package's commands do without `from __future__ import annotations`.
import sys
from typing import Annotated

import typer

from sgmem.cli.baseline import app as baseline
from sgmem.cli.check import EPILOG as CHECK_EPILOG
from sgmem.cli.check import check
from sgmem.cli.clean import clean
from sgmem.cli.config import EPILOG as CONFIG_EPILOG
from sgmem.cli.config import config
from sgmem.cli.explain import EPILOG as EXPLAIN_EPILOG
from sgmem.cli.explain import explain
from sgmem.cli.init import EPILOG as INIT_EPILOG
from sgmem.cli.init import init
from sgmem.cli.models import EPILOG as MODELS_EPILOG
from sgmem.cli.models import models
from sgmem.cli.reconcile import EPILOG as RECONCILE_EPILOG
from sgmem.cli.reconcile import reconcile
from sgmem.cli.rule import EPILOG as RULE_EPILOG
from sgmem.cli.rule import rule
from sgmem.cli.timeline import EPILOG as TIMELINE_EPILOG
from sgmem.cli.timeline import timeline
from sgmem.cli.trace import EPILOG as TRACE_EPILOG
from sgmem.cli.trace import trace
from sgmem.cli.units import EPILOG as UNITS_EPILOG
from sgmem.cli.units import units
from sgmem.version import __version__

EPILOG = """\b
Examples:
  sgmem trace mem_fraction_static
      every place that sets, hands on and uses it, in the sglang found here
  sgmem trace mem_fraction_static --source sglang==VERSION
      the same in a release
  sgmem timeline
      the start-up in order: what is measured, loaded, allocated and freed
  sgmem check
      lint the memory accounting of the sglang found here
  sgmem init && sgmem baseline update
      adopt it in a fork: from then on check reports only what is new
  sgmem explain rest_memory --set mem_fraction_static=0.55 --set ...
      a formula with numbers in it, and where it turns positive
  sgmem rule negative-budget
      what a rule finds, and why it matters

\b
Exit codes:
  0  clean
  1  findings; for explain, numbers that cannot all be true
  2  wrong usage, or an error
  3  nothing was analysed, or the name was not found or is ambiguous
"""

app = typer.Typer(
    name="sgmem",
    help="Trace GPU-memory parameters through SGLang's source, and find what is wrong with its memory accounting.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=TRACE_EPILOG, short_help="Show where a parameter comes from and goes.")(trace)
app.command(epilog=TIMELINE_EPILOG, short_help="Show the start-up in order: what is measured, loaded, allocated.")(timeline)
app.command(epilog=CHECK_EPILOG, short_help="Find mistakes in the memory accounting.")(check)
app.command(epilog=EXPLAIN_EPILOG, short_help="Put numbers into a formula, and find which is wrong.")(explain)
app.command(epilog=RECONCILE_EPILOG, short_help="Check a server's log against the formula.")(reconcile)
app.command(epilog=RULE_EPILOG, short_help="Explain a rule, or list them all.")(rule)
app.command(epilog=MODELS_EPILOG, short_help="List the model rows and what each matches.")(models)
app.command(epilog=UNITS_EPILOG, short_help="Tell which amounts are in a known unit.")(units)
app.command(epilog=CONFIG_EPILOG, short_help="Show the settings in force and from where.")(config)
app.command(epilog=INIT_EPILOG, short_help="Write a commented start of the settings.")(init)
app.add_typer(baseline, name="baseline", short_help="Accept, prune or show the findings that are known.")
app.command(short_help="Forget the facts kept from earlier runs.")(clean)


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sgmem {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version.", callback=show_version, is_eager=True)] = False,
) -> None:
    pass


def _plain(message: str) -> str:
    """What a wrong value is told without the words of the library that checks values."""
    message = message.replace("Value error, ", "").replace("Input should be", "it should be")
    return message.partition(", unable to parse")[0]


def invoke(arguments: list[str]) -> int:
    """Run a command line and return its exit code; errors of the program itself are raised."""
    try:
        code = app(args=arguments, prog_name="sgmem", standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        # Usage errors of typer: the class is typer's or click's own, depending on the version.
        show, exit_code = getattr(error, "show", None), getattr(error, "exit_code", None)
        if show is None or not isinstance(exit_code, int):
            raise
        message = getattr(error, "message", None)
        if isinstance(message, str):
            error.message = _plain(message)  # type: ignore[attr-defined]
        show(file=sys.stderr)
        if arguments[:1] == ["trace"] and isinstance(message, str) and message.startswith("No such option: --"):
            typer.echo("hint: a flag is traced by its name: sgmem trace mem_fraction_static", err=True)
        return exit_code
    return code if isinstance(code, int) else 0
