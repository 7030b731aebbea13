"""`sgmem baseline update|prune|show`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sgmem.cli.shared import Given, analysing

if TYPE_CHECKING:
    from sgmem.findings.baseline import BaselineEntry
    from sgmem.queries.check.baselines import BaselineState

EPILOG = """\b
Examples:
  sgmem baseline update
      accept what is there now: check reports only what is new
  sgmem baseline prune
      drop the entries of findings that are gone, add none
  sgmem baseline show
  sgmem baseline update --baseline ci/known.json --persona pedantic
"""
USUAL = "sgmem-baseline.json"

app = typer.Typer(
    help="The file of findings that are known: check does not report them.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help=f"The file; by default that of the settings, else {USUAL} here."),
]
Persona = Annotated[
    Literal["regular", "pedantic", "auditor"] | None, typer.Option(help="Whose findings are added; by default as in the settings.")
]


@app.command(short_help="Accept everything that is found now.")
@analysing("check")
def update(
    baseline: File = None,
    persona: Persona = None,
    *,
    shared: Given,
) -> int:
    """Write the baseline anew: every finding of now is known, entries that match none are dropped."""
    path, state, configured = examined(shared, baseline, persona, missing_is_empty=True)
    from sgmem.cli.write import write_file
    from sgmem.findings.baseline import written

    write_file(path, written(state.updated))
    told(f"{len(state.known)} known, {len(state.new)} added, {len(state.stale)} dropped: wrote {path}", shared.quiet)
    if baseline is None and not configured:
        told(f'note: check does not read it yet: write baseline = "{path}" into the settings', shared.quiet)
    return 0


@app.command(short_help="Drop the entries of findings that are gone.")
@analysing("check")
def prune(
    baseline: File = None,
    *,
    shared: Given,
) -> int:
    """Drop the entries that match no finding any more; nothing is added."""
    path, state, _ = examined(shared, baseline)
    from sgmem.cli.write import write_file
    from sgmem.findings.baseline import written

    write_file(path, written(state.pruned))
    told(f"{len(state.known)} known, {len(state.stale)} dropped: wrote {path}", shared.quiet)
    return 0


@app.command(short_help="List the entries, and which of them match nothing.")
@analysing("check")
def show(
    baseline: File = None,
    *,
    shared: Given,
) -> int:
    """List the entries of the baseline: known ones, and stale ones, which match no finding any more."""
    from sgmem.cli.write import write_stdout

    path, state, _ = examined(shared, baseline)
    lines = [line("known", entry) for entry in state.known] + [line("stale", entry) for entry in state.stale]
    write_stdout(sys.stdout, "".join(sorted(lines)), utf8=False)
    told(f"{len(state.known)} known, {len(state.stale)} stale in {path}; {len(state.new)} findings are not in it", shared.quiet)
    return 0


def examined(
    shared: Given,
    file: Path | None,
    persona: Literal["regular", "pedantic", "auditor"] | None = None,
    *,
    missing_is_empty: bool = False,
) -> "tuple[Path, BaselineState, bool]":
    """The path of the baseline, how it stands to the source, and whether the settings name one."""
    from sgmem.cli.session import opened, settle
    from sgmem.findings.baseline import Baseline, read_baseline
    from sgmem.queries.check.asked import check_options, with_store
    from sgmem.queries.check.baselines import baseline_state

    settled = settle(shared)
    path = file or settled.configuration.baseline or Path(USUAL)
    configured = settled.configuration.baseline is not None
    known = Baseline() if missing_is_empty and not path.exists() else read_baseline(path)
    asked = check_options(settled.configuration, persona=persona)
    with opened(settled) as session:
        asked = with_store(asked, store=session.store, progress=session.progress)
        return path, baseline_state(session.tree, known, asked), configured


def line(state: str, entry: "BaselineEntry") -> str:
    from sgmem.report.text import escape

    return escape(f"{state}  {entry.path}  {entry.rule}  {entry.symbol.partition(':')[2] or entry.symbol}: {entry.message}") + "\n"


def told(text: str, quiet: bool) -> None:
    from sgmem.cli.main import say

    if not quiet:
        say(text)
