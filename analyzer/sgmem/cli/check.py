"""`sgmem check [PATHS]`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sgmem.cli import completion, options
from sgmem.cli.shared import Given, reporting

if TYPE_CHECKING:
    from sgmem.config.load import Configuration
    from sgmem.findings.baseline import Baseline

EPILOG = """\b
Examples:
  sgmem check
  sgmem check python/sglang/srt
  sgmem check --source sglang==VERSION --select negative-budget
  sgmem check --persona pedantic --format concise
  sgmem check --against origin/main
  sgmem check --diff
  sgmem check --against sglang==VERSION
  sgmem check -o full:- -o json:findings.json
"""


@reporting("check")
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATHS", help="Report only findings in these files or folders. The whole program is analysed."),
    ] = None,
    persona: Annotated[
        Literal["regular", "pedantic", "auditor"] | None, typer.Option(help="How much to report: sure defects, or more.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Run only this rule, by name or code. May be repeated.", autocompletion=completion.rules),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="RULE", help="Leave out this rule. May be repeated.", autocompletion=completion.rules)
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="REF", help="Report only what is new since a git revision or a release (package==version)."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Do not report the findings in this file; see sgmem baseline.")
    ] = None,
    no_baseline: Annotated[bool, typer.Option("--no-baseline", help="Report the findings of the settings' baseline too.")] = False,
    fail_on: Annotated[
        Literal["note", "warning", "error"] | None, typer.Option(help="The least severity of a finding that makes the exit code 1.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Write the safe fixes, then report what is left.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, and write nothing.")] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="With --fix or --diff: also fixes that change what the program does.")
    ] = False,
    min_confidence: options.MinConfidence = None,
    *,
    shared: Given,
) -> int:
    """Find mistakes in the memory accounting: mixed units, measurements at different times, budgets below zero."""
    from sgmem.cli.paths import existing, package_around
    from sgmem.cli.session import finish, opened, settle
    from sgmem.queries.check.asked import check_options, with_store
    from sgmem.queries.check.reporting import fails

    only = existing(paths or [])
    settled = settle(shared, around=package_around(only))
    known = known_findings(settled.configuration, baseline, no_baseline)
    asked = check_options(
        settled.configuration, persona=persona, select=selected(select), ignore=split(ignore), min_confidence=min_confidence,
        baseline=known, fail_on=fail_on,
    )  # fmt: skip
    with opened(settled) as session:
        from sgmem.cli.fix import make_fixes, show_diff
        from sgmem.queries.check.query import check as query

        asked = with_store(asked, store=session.store, progress=session.progress)
        other = session.other_state(against) if against is not None else None
        result = query(session.tree, only, asked, other)
        if diff:
            show_diff(session.tree, result, unsafe=unsafe_fixes, quiet=settled.quiet)
            return 1 if fails(result, asked) else 0
        changed = fix and make_fixes(session.tree, result, unsafe=unsafe_fixes, quiet=settled.quiet)
    if changed:
        with opened(settled) as session:
            asked = with_store(asked, store=session.store, progress=session.progress)
            result = query(session.tree, only, asked, session.other_state(against) if against is not None else None)
    return finish(result, result.source, settled, 1 if fails(result, asked) else 0)


def known_findings(found: "Configuration", file: Path | None, without: bool) -> "Baseline | None":
    """The baseline of a run: the one that is named, else the settings' one, if any."""
    from sgmem.cli.main import say
    from sgmem.findings.baseline import read_baseline

    if without:
        return None
    if file is not None:
        return read_baseline(file)
    path = found.baseline
    if path is not None and not path.exists():
        say(f"note: there is no {path} yet, so nothing is known; sgmem baseline update writes it")
        return None
    return read_baseline(path) if path is not None else None


def selected(values: list[str] | None) -> tuple[str, ...]:
    """The rules that `--select` names. Raises UsageError where it names none: a variable that happens to be empty is no wish
    for all rules."""
    from sgmem.config.errors import UsageError

    names = split(values)
    if values and not names:
        raise UsageError("--select names no rule", hint="leave it out to run all rules; sgmem rule lists them")
    return names


def split(values: list[str] | None) -> tuple[str, ...]:
    """Accept `--select a --select b` and `--select a,b`."""
    parts = (part.strip() for value in values or [] for part in value.split(","))
    return tuple(part for part in parts if part)
