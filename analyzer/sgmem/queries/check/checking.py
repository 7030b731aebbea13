"""Computes a check: runs the rules over the facts and applies suppression comments. Nothing is left out yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.program_facts import ProgramFacts
from sgmem.findings.finding import Edit, Finding, Step
from sgmem.findings.fingerprints import Fingerprints, likenesses
from sgmem.program.program import Program
from sgmem.queries.check.comments import Comments
from sgmem.queries.check.rules import SUPPRESSION, chosen_rules
from sgmem.queries.own_models import models_with
from sgmem.queries.results.check import Checked, Held
from sgmem.queries.sites import source_info

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.findings.registry import InstalledRule
    from sgmem.findings.rule import Change, Point, Report
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree


def compute(tree: SourceTree, options: CheckOptions) -> Checked:
    """Everything that the chosen rules report, with what comments suppress beside it; see `check`."""
    progress = options.progress or (lambda _: None)
    rules, judges_comments = chosen_rules(options.select, options.ignore, options.named)
    models = models_with(options.own)
    program = Program(tree, tuple(tree.files), models.config)
    facts = ProgramFacts(program, models)
    findings: list[Finding] = []
    held: list[Held] = []
    comments = Comments(tree, program)
    fingerprints = Fingerprints()
    for rule in rules:
        progress(f"checking {rule.name}")
        for report in sorted(rule.rule.check(facts), key=_place):
            finding = as_finding(report, rule, tree, fingerprints)
            reason = comments.cover(report, rule)
            if reason is not None:
                held.append(Held(finding, "suppressed", reason))
            else:
                findings.append(finding)
    if judges_comments:
        findings += comments.findings({one.name for one in rules}, fingerprints)
    if not program.files.parsed:
        # No rule asked for any file: because nothing there is about memory, or because nothing can be read?
        for path in tree.files:
            program.files.get(path)
    ordered = sorted(findings, key=order)
    return Checked(
        findings=tuple(ordered),
        suppressed=tuple(sorted(held, key=lambda one: order(one.finding))),
        source=source_info(tree, program),
        rules=(*(one.name for one in rules), *([SUPPRESSION] if judges_comments else [])),
        all_rules=not options.select and not options.ignore,
    )


def order(finding: Finding) -> tuple[str, int, int, str, str]:
    return finding.path, finding.line, finding.column, finding.code, finding.fingerprint


def as_finding(report: Report, rule: InstalledRule, tree: SourceTree, fingerprints: Fingerprints) -> Finding:
    """A report with the rule's name, its place as numbers, and its identity."""
    at = report.location
    key = report.key or at.code
    return Finding(
        rule=rule.name,
        code=rule.code,
        message=report.message,
        severity=report.severity or rule.severity,
        confidence=report.confidence,
        persona=report.persona or rule.persona,
        path=at.path,
        uri=tree.files[at.path].uri,
        line=at.line,
        column=at.column,
        end_line=at.span.end_line,
        end_column=at.span.end_column,
        symbol=at.symbol,
        steps=tuple(_step(point, tree) for point in report.steps),
        fingerprint=fingerprints.of(rule.name, at.symbol, key),
        fix=report.fix,
        likenesses=likenesses(rule.name, at.symbol, key, report.message),
        edits=_edits(report.changes),
        byte_column=_bytes(at, at.line, at.column),
        end_byte_column=_bytes(at, at.span.end_line, at.span.end_column),
    )


def _bytes(at: Location, line: int, column: int) -> int:
    """A column in bytes of UTF-8; 0 where nothing before it is longer than a byte."""
    before = at.file.source.line(line)[: column - 1]
    return 0 if before.isascii() else len(before.encode("utf-8", "surrogatepass")) + 1


def _step(point: Point, tree: SourceTree) -> Step:
    at = point.location
    return Step(at.path, at.line, point.message, at.column, at.first_line, tree.files[at.path].uri)


def _edits(changes: Iterable[Change]) -> tuple[Edit, ...]:
    """Changes of a report as plain positions; what is inserted goes behind a whole statement."""
    edits = []
    for change in changes:
        at = change.location
        span = at.span if change.kind == "replace" else of_statement(at.file, at.statement).span
        edits.append(Edit(change.kind, at.path, span.line, span.column, span.end_line, span.end_column, change.text, change.safe))
    return tuple(edits)


def _place(report: Report) -> tuple[str, int, int, str]:
    return report.location.path, report.location.line, report.location.column, report.message


__all__ = ["compute"]
