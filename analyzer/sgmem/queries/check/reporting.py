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
from sgmem.queries.results.check import Checked, CheckResult, Compared, Held
from sgmem.source.uri import is_inside, repository_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.findings.finding import Finding, Persona
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree

_PERSONAS: tuple[Persona, ...] = ("regular", "pedantic", "auditor")
_CONFIDENCES = ("low", "medium", "high")
_SEVERITIES = ("note", "warning", "error")


def reported(checked: Checked, paths: frozenset[str] | None, options: CheckOptions, before: Checked | None = None) -> CheckResult:
    """What to report of everything found. `paths` are those asked about, None for all; `before` is what another source has.

    What is known is decided on all findings, so that an entry of the baseline is not stale because this run asks for less.
    """
    keep = Filter(paths, options)
    known, stale = known_from(checked.findings, options.baseline) if options.baseline is not None else ({}, ())
    against = None if before is None else _Comparison(checked, before, keep)
    new: list[Finding] = []
    baselined: list[Held] = []
    unchanged: list[Held] = []
    for index, finding in enumerate(checked.findings):
        for kept in keep(finding):
            if index in known:
                baselined.append(Held(kept, "baselined"))
            elif against is not None and index in against.unchanged:
                unchanged.append(Held(kept, "unchanged"))
            else:
                new.append(kept)
    suppressed = [msgspec.structs.replace(one, finding=kept) for one in checked.suppressed for kept in keep(one.finding)]
    return CheckResult(
        findings=tuple(new),
        suppressed=len(suppressed),
        baselined=len(baselined),
        source=checked.source,
        held=(*suppressed, *baselined, *unchanged),
        stale=tuple(entry for entry in stale if options.stale != "ignore" and checked.ran(entry.rule)),
        against=against.summary(len(unchanged)) if against is not None else None,
    )


class Filter:
    """Yields a finding, at the level of the settings, if it is for this audience and in the files asked about."""

    def __init__(self, paths: frozenset[str] | None, options: CheckOptions) -> None:
        self.paths = paths
        self.options = options
        self.levels = {name.lower(): level for name, level in options.levels}
        self.is_ignored = _ignored_in_files(options)

    def __call__(self, finding: Finding) -> Iterator[Finding]:
        elsewhere = self.paths is not None and finding.path not in self.paths
        if elsewhere or not _is_loud(finding, self.options) or self.is_ignored(finding):
            return
        level = self.levels.get(finding.rule.lower()) or self.levels.get(finding.code.lower())
        yield finding if level is None else msgspec.structs.replace(finding, severity=level)


class _Comparison:
    """Which findings another source has too. What a comment suppresses there is no less known for it."""

    def __init__(self, checked: Checked, before: Checked, keep: Filter) -> None:
        everything = [*checked.findings, *(one.finding for one in checked.suppressed)]
        pairs = matched(everything, [*before.findings, *(one.finding for one in before.suppressed)])
        self.unchanged = {index for index, (_, other) in enumerate(pairs) if other is not None}
        used = {id(other) for _, other in pairs if other is not None}
        self.gone = sum(id(one) not in used for one in before.findings for _ in keep(one))
        self.source = before.source

    def summary(self, unchanged: int) -> Compared:
        return Compared(self.source, unchanged, self.gone)


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
    if options.stale == "fail" and result.stale:
        return True
    return any(_SEVERITIES.index(finding.severity) >= least for finding in result.findings)
