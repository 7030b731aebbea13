"""`sgmem rule [NAME]`."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from sgmem.cli import completion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.queries.results.check import RuleInfo

EPILOG = """\b
Examples:
  sgmem rule
  sgmem rule negative-budget
"""


def rule(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="A rule by name or code. Without it, all rules are listed.", autocompletion=completion.rules
        ),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
) -> int:
    """Explain a rule: what it finds, why it matters, how to fix it or turn it off. Without NAME, list the rules."""
    from sgmem.cli.write import write_stdout
    from sgmem.queries.check.rules import all_rules

    rules = sorted(all_rules(), key=lambda one: one.code)
    text = listing(rules) if name is None else page(find(rules, name))
    write_stdout(sys.stdout, text, utf8=False)
    return 0


def listing(rules: "Sequence[RuleInfo]") -> str:
    """One line per rule, in columns."""
    from sgmem.report.text import escape

    rows = [tuple(map(escape, (one.code, one.name, one.severity, one.persona, one.summary))) for one in rules]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows]
    return "".join(line.rstrip() + "\n" for line in lines) or "No rules are installed.\n"


def page(one: "RuleInfo") -> str:
    """The page of a rule, control characters made visible line by line."""
    from sgmem.report.text import escape

    return "\n".join(escape(line) for line in one.page_markdown.strip("\n").split("\n")) + "\n"


def find(rules: "Sequence[RuleInfo]", name: str) -> "RuleInfo":
    """Return the rule of this name or code; raises UsageError with what could have been meant."""
    from sgmem.config.errors import UsageError
    from sgmem.findings.registry import close_rules

    wanted = name.lower()
    for one in rules:
        if wanted in (one.name.lower(), one.code.lower()):
            return one
    close = close_rules(name, [one.name for one in rules])
    hint = f"did you mean {' or '.join(close)}?" if close else "sgmem rule lists them all"
    raise UsageError(f"no rule {name!r}", hint=hint)
