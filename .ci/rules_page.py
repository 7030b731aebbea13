"""Writes docs/rules.md, the table of all rules, from their own pages. Run it after a change of a rule; a test compares."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from sgmem.queries.check.rules import SUPPRESSION, RuleInfo, all_rules

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "rules.md"
HEAD = """\
# Rules

`sgmem rule NAME` shows a rule's page in the terminal; the names below link to the same pages. `pedantic` rules report with
`--persona pedantic` only. A rule may lower the persona or the confidence of a single finding: the evidence decides.
"""
FAMILIES = {
    "0": "About sgmem itself",
    "1": "Units, counts and ranks: what a number is",
    "2": "Ranges and guards: whether it can be negative, zero, empty or None",
    "3": "Time and order: when it was measured or copied",
    "4": "Provenance: what becomes of what the user gave",
    "5": "Estimates: what is charged and what is allocated",
}


def page() -> str:
    """The page as it follows from the rules that come with sgmem."""
    parts = [HEAD]
    for family, rules in groupby(all_rules(), key=lambda rule: rule.code[-3]):
        parts.append(f"\n## {FAMILIES[family]}\n\n| rule | code | severity | finds |\n|---|---|---|---|\n")
        parts += map(row, rules)
    return "".join(parts)


def row(rule: RuleInfo) -> str:
    folder = "analyzer/sgmem/findings" if rule.name == SUPPRESSION else "rules/sgmem_rules"
    link = f"../{folder}/{rule.name.replace('-', '_')}.md"
    severity = rule.severity if rule.persona == "regular" else f"{rule.severity}, {rule.persona}"
    return f"| [`{rule.name}`]({link}) | {rule.code} | {severity} | {rule.summary.replace('|', chr(92) + '|')} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
