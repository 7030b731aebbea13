"""What of a check is reported: the settings' levels, the files and the audience asked for, the baseline, a comparison."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import msgspec

from sgmem.config.errors import NothingAnalysed
from sgmem.findings.baseline import known_from
from sgmem.findings.matching import matched
from sgmem.queries.results_check import Checked, CheckResult, Compared, Held
from sgmem.source.uri import is_inside, repository_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sgmem.findings.finding import Finding, Persona
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree

_PERSONAS: tuple[Persona, ...] = ("regular", "pedantic", "auditor")
_CONFIDENCES = ("low", "medium", "high")
_SEVERITIES = ("note", "warning", "error")


def reported(checked: Checked, paths: frozenset[str] | None, options: CheckOptions, before: Checked | None = None) -> CheckResult:
    """What to report of everything found. `paths` are those asked about, None for all; `before` is what another source has."""
    found = wanted(checked.findings, paths, options)
    suppressed = [
        msgspec.structs.replace(one, finding=kept) for one in checked.suppressed for kept in wanted([one.finding], paths, options)
    ]
    against: Compared | None = None
    unchanged: list[Held] = []
    if before is not None:
        found, unchanged, against = _compared(found, before, options)
    known, stale = known_from(found, options.baseline) if options.baseline is not None else ({}, ())
    baselined = [Held(finding, "baselined") for index, finding in enumerate(found) if index in known]
    return CheckResult(
        findings=tuple(finding for index, finding in enumerate(found) if index not in known),
        suppressed=len(suppressed),
        baselined=len(baselined),
        source=checked.source,
        held=(*suppressed, *baselined, *unchanged),
        stale=stale if paths is None and before is None else (),
        against=against,
    )


def wanted(findings: Iterable[Finding], paths: frozenset[str] | None, options: CheckOptions) -> list[Finding]:
    """The findings for this audience, in these files, at the levels of the settings."""
    ignored = _ignored_in_files(options)
    levels = {name.lower(): level for name, level in options.levels}
    kept = []
    for finding in findings:
        if (paths is not None and finding.path not in paths) or not _is_loud(finding, options) or ignored(finding):
            continue
        level = levels.get(finding.rule.lower()) or levels.get(finding.code.lower())
        kept.append(finding if level is None else msgspec.structs.replace(finding, severity=level))
    return kept


def _is_loud(finding: Finding, options: CheckOptions) -> bool:
    loud = _PERSONAS.index(finding.persona) <= _PERSONAS.index(options.persona)
    return loud and _CONFIDENCES.index(finding.confidence) >= _CONFIDENCES.index(options.min_confidence)


def _ignored_in_files(options: CheckOptions) -> Callable[[Finding], bool]:
    """Whether the settings leave a finding's rule out in its file."""
    if not options.file_ignores:
        return lambda _: False
    import pathspec

    compiled = [
        (pathspec.PathSpec.from_lines("gitignore", [one.pattern]), {name.lower() for name in one.rules}) for one in options.file_ignores
    ]

    def is_ignored(finding: Finding) -> bool:
        spellings = {finding.rule.lower(), finding.code.lower()}
        places = {finding.path, unquote(finding.uri)}
        return any(spellings & rules and any(map(spec.match_file, places)) for spec, rules in compiled)

    return is_ignored


def _compared(found: Sequence[Finding], before: Checked, options: CheckOptions) -> tuple[list[Finding], list[Held], Compared]:
    """The findings that the other source has not, those that it has too, and the numbers. What is suppressed there is no
    less known for it.
    """
    known = [*wanted(before.findings, None, options), *(one.finding for one in before.suppressed)]
    pairs = matched(found, known)
    unchanged = [Held(finding, "unchanged") for finding, other in pairs if other is not None]
    gone = len(wanted(before.findings, None, options)) - len(unchanged)
    new = [finding for finding, other in pairs if other is None]
    return new, unchanged, Compared(before.source, len(unchanged), max(0, gone))


def paths_inside(tree: SourceTree, only: Iterable[str]) -> frozenset[str] | None:
    """The tree's paths that lie in one of these files or folders; None, for all, if none are given.

    Raises NothingAnalysed where there is no such path.
    """
    folders = [os.path.realpath(path) for path in only]
    if not folders:
        return None
    top = str(repository_root(Path.cwd()) or Path.cwd())
    places = {path: os.path.realpath(Path(top, unquote(file.uri))) for path, file in tree.files.items()}
    found = frozenset(path for path, place in places.items() if any(is_inside(place, folder) for folder in folders))
    if not found:
        shown = ", ".join(folders)
        raise NothingAnalysed(f"no file of the source lies in {shown}", hint=f"the source is {tree.root}")
    return found


def fails(result: CheckResult, options: CheckOptions) -> bool:
    """Whether a check fails: by its findings at or above the level that counts, or by stale entries of the baseline."""
    least = _SEVERITIES.index(options.fail_on)
    if options.stale_fails and result.stale:
        return True
    return any(_SEVERITIES.index(finding.severity) >= least for finding in result.findings)
