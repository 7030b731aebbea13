"""Computes a check: runs the rules over the facts, applies suppression comments, keeps what was asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sgmem.config.errors import NothingAnalysed
from sgmem.domains.program_facts import ProgramFacts
from sgmem.domains.program_location import Location, of_statement
from sgmem.findings.finding import Finding, Persona, Step
from sgmem.findings.fingerprints import Fingerprints
from sgmem.findings.suppressions import MARK, Suppression, suppressions_in
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.queries.results_check import CheckResult
from sgmem.queries.rules import SUPPRESSION, SUPPRESSION_CODE, all_rules, chosen_rules
from sgmem.queries.sites import source_info
from sgmem.source.uri import is_inside, repository_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.findings.registry import InstalledRule
    from sgmem.findings.rule import Report
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree

_PERSONAS: tuple[Persona, ...] = ("regular", "pedantic", "auditor")
_CONFIDENCES = ("low", "medium", "high")


def compute(tree: SourceTree, only: tuple[str, ...], options: CheckOptions) -> CheckResult:
    """Check a program; see `check`."""
    progress = options.progress or (lambda _: None)
    rules, judges_comments = chosen_rules(options.select, options.ignore)
    paths = _paths_inside(tree, only)
    program = Program(tree, tuple(tree.files))
    facts = ProgramFacts(program, load_models())
    findings: list[Finding] = []
    comments = Comments(tree, program, paths)
    fingerprints = Fingerprints()
    suppressed = 0
    for rule in rules:
        progress(f"checking {rule.name}")
        for report in sorted(rule.rule.check(facts), key=_place):
            finding = as_finding(report, rule, tree, fingerprints)
            if finding.path not in paths:
                continue
            if comments.cover(report.location, rule):
                suppressed += _is_wanted(finding, options)
            else:
                findings.append(finding)
    if judges_comments:
        findings += comments.findings({one.name for one in rules}, fingerprints)
    kept = (one for one in findings if _is_wanted(one, options))
    ordered = sorted(kept, key=lambda one: (one.path, one.line, one.column, one.code, one.fingerprint))
    return CheckResult(tuple(ordered), suppressed, 0, source_info(tree, program))


def as_finding(report: Report, rule: InstalledRule, tree: SourceTree, fingerprints: Fingerprints) -> Finding:
    """A report with the rule's name, its place as numbers, and its identity."""
    at = report.location
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
        steps=tuple(
            Step(
                point.location.path,
                point.location.line,
                point.message,
                point.location.column,
                point.location.first_line,
            )
            for point in report.steps
        ),
        fingerprint=fingerprints.of(rule.name, at.symbol, report.key or at.code),
        fix=report.fix,
    )


class Comments:
    """The suppression comments of the files that findings are reported for."""

    def __init__(self, tree: SourceTree, program: Program, paths: frozenset[str]) -> None:
        self.tree = tree
        self.by_path: dict[str, list[Suppression]] = {}
        for path in tree.mentioning(MARK):
            source = program.files.source(path) if path in paths else None
            found = suppressions_in(source.text) if source is not None else []
            if found:
                self.by_path[path] = found

    def cover(self, at: Location, rule: InstalledRule) -> bool:
        """Whether a comment suppresses a rule's report at a place; every comment that does is noted as used."""
        around = of_statement(at.file, at.statement).span
        first, last = min(at.line, around.line), max(at.span.end_line, around.end_line)
        names = (rule.name, rule.code)
        covering = [one for one in self.by_path.get(at.path, ()) if one.covers(first, last, names)]
        return bool(covering)

    def findings(self, run: set[str], fingerprints: Fingerprints) -> Iterator[Finding]:
        """What is wrong with the comments, given the names of the rules that were run."""
        spellings = {spelling.lower(): one.name for one in all_rules() for spelling in (one.name, one.code)}
        for path, comments in sorted(self.by_path.items()):
            for comment in comments:
                for message in _problems(comment, spellings, run):
                    yield self._finding(path, comment, message, fingerprints)

    def _finding(self, path: str, comment: Suppression, message: str, fingerprints: Fingerprints) -> Finding:
        return Finding(
            rule=SUPPRESSION,
            code=SUPPRESSION_CODE,
            message=message,
            severity="warning",
            confidence="high",
            persona="regular",
            path=path,
            uri=self.tree.files[path].uri,
            line=comment.line,
            column=comment.column,
            end_line=comment.line,
            end_column=comment.end_column,
            symbol="",
            steps=(),
            fingerprint=fingerprints.of(SUPPRESSION, path, message),
        )


def _problems(comment: Suppression, spellings: dict[str, str], run: set[str]) -> Iterator[str]:
    if comment.problem is not None:
        yield f"this suppression {comment.problem}"
        return
    for name in comment.rules:
        rule = spellings.get(name)
        if rule is None:
            yield f"this suppression names {name!r}, which is no rule; sgmem rule lists them all"
        elif rule in run and name not in comment.used:
            yield f"this suppression of {name} suppresses nothing; remove it"


def _is_wanted(finding: Finding, options: CheckOptions) -> bool:
    loud = _PERSONAS.index(finding.persona) <= _PERSONAS.index(options.persona)
    return loud and _CONFIDENCES.index(finding.confidence) >= _CONFIDENCES.index(options.min_confidence)


def _place(report: Report) -> tuple[str, int, int, str]:
    return report.location.path, report.location.line, report.location.column, report.message


def _paths_inside(tree: SourceTree, only: Iterable[str]) -> frozenset[str]:
    """The tree's paths that lie in one of these files or folders; all, if none are given."""
    folders = [os.path.realpath(path) for path in only]
    if not folders:
        return frozenset(tree.files)
    top = str(repository_root(Path.cwd()) or Path.cwd())
    places = {path: os.path.realpath(Path(top, unquote(file.uri))) for path, file in tree.files.items()}
    found = frozenset(path for path, place in places.items() if any(is_inside(place, folder) for folder in folders))
    if not found:
        shown = ", ".join(folders)
        raise NothingAnalysed(f"no file of the source lies in {shown}", hint=f"the source is {tree.root}")
    return found


__all__ = ["compute"]
