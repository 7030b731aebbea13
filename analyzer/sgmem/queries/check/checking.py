"""Computes a check: runs the rules over the facts and applies suppression comments. Nothing is left out yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.cache.store import NullStore
from sgmem.findings.finding import Finding
from sgmem.findings.fingerprints import Fingerprints
from sgmem.queries.check.comments import Comments
from sgmem.queries.check.kept import KeptAnswers
from sgmem.queries.check.rules import SUPPRESSION, chosen_rules
from sgmem.queries.check.units import Units, planned
from sgmem.queries.own_models import models_with
from sgmem.queries.results.check import Checked, Held
from sgmem.queries.results.trace import SourceInfo, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sgmem.program.files import Files
    from sgmem.queries.check.units import Answer
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree


def compute(tree: SourceTree, options: CheckOptions, key: Callable[[], str]) -> Checked:
    """Everything that the chosen rules report, with what comments suppress beside it; see `check`. Answers of an earlier check are
    found by the key, if there is a store.
    """
    progress = options.progress or (lambda _: None)
    rules, judges_comments = chosen_rules(options.select, options.ignore, options.named)
    store = options.store or NullStore()
    units = Units(tree, rules, models_with(options.own), notes=store.keeps)
    kept = KeptAnswers(store, key, units)
    answers = [kept.get(unit, units.answer) for unit in planned(rules, tree, store.keeps)]
    kept.save()
    reports = [report for answer in answers for report in answer.reports]
    findings: list[Finding] = []
    held: list[Held] = []
    comments = Comments(tree, kept.marked)
    fingerprints = Fingerprints()
    for rule in rules:
        progress(f"checking {rule.name}")
        for report in sorted((one for one in reports if one.finding.rule == rule.name), key=lambda one: one.order):
            finding = report.with_fingerprint(fingerprints)
            reason = comments.cover(report, rule)
            if reason is not None:
                held.append(Held(finding, "suppressed", reason))
            else:
                findings.append(finding)
    if judges_comments:
        findings += comments.findings({one.name for one in rules}, fingerprints)
    ordered = sorted(findings, key=order)
    return Checked(
        findings=tuple(ordered),
        suppressed=tuple(sorted(held, key=lambda one: order(one.finding))),
        source=_source_info(tree, answers, units.files),
        rules=(*(one.name for one in rules), *([SUPPRESSION] if judges_comments else [])),
        all_rules=not options.select and not options.ignore,
    )


def order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.path, finding.line, finding.column, finding.code, finding.fingerprint


def _source_info(tree: SourceTree, answers: Iterable[Answer], files: Files) -> SourceInfo:
    """What was read: all files of the package, those parsed, those that could not be."""
    parsed: set[str] = set()
    unreadable: dict[str, str] = {}
    for answer in answers:
        parsed |= answer.parsed
        unreadable |= answer.unreadable
    if not parsed:
        # No rule asked for any file: because nothing there is about memory, or because nothing can be read?
        parsed = {path for path in tree.files if files.get(path) is not None}
        unreadable |= files.unreadable
    parsed -= set(unreadable)
    unreadable |= {row.path: row.why for row in tree.unreadable}
    rows = tuple(Unreadable(path, why) for path, why in sorted(unreadable.items()))
    return SourceInfo(tree.root, tree.version, len(tree.files), len(parsed), rows)
