"""`sgmem check --format markdown`: for job summaries and comments, every finding with its steps folded away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.report.check.full import summary
from sgmem.report.rule_text import by_severity, path_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding
    from sgmem.queries.results.check import CheckResult

MAX_BYTES = 900_000
"""A job summary may have a megabyte."""
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")


def render_check_markdown(result: CheckResult) -> str:
    """Return a heading, the numbers, and the findings, the gravest first."""
    parts = [f"## sgmem check\n\n{plain(summary(result))}\n"]
    room = MAX_BYTES - len(parts[0])
    findings = by_severity(result.findings)
    for number, finding in enumerate(findings):
        part = section(finding)
        room -= len(part.encode("utf-8", "backslashreplace"))
        if room < 0:
            parts.append(f"\n{len(findings) - number} more findings do not fit here.\n")
            break
        parts.append(part)
    if result.stale:
        parts.append("\n**Stale in the baseline** (`sgmem baseline prune` drops them)\n\n")
        parts += [f"- {plain(entry.rule)} in {code(entry.symbol or entry.path)}\n" for entry in result.stale]
    return "".join(parts)


def section(finding: Finding) -> str:
    """One finding: what, where, and its steps, folded away."""
    where = code(f"{path_of(finding)}:{finding.line}")
    lines = [f"\n### {finding.severity}: {plain(finding.rule)} ({plain(finding.code)})\n", f"{where} {plain(finding.message)}\n"]
    if finding.fix:
        lines.append(f"**Help:** {plain(finding.fix)}\n")
    if finding.steps:
        lines.append(f"<details><summary>{len(finding.steps)} steps</summary>\n")
        lines += [
            f"{number}. {code(f'{step.path}:{step.line}')} {plain(step.message)}" + (f"  \n   {code(step.code)}" if step.code else "")
            for number, step in enumerate(finding.steps, 1)
        ]
        lines.append("\n</details>\n")
    return "\n".join(lines)


def plain(text: str) -> str:
    """Text that means nothing to Markdown or HTML."""
    return _MARKUP.sub(r"\\\1", escape(text))


def code(text: str) -> str:
    """Text as code, whatever backticks it has."""
    shown = escape(text).strip()
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
