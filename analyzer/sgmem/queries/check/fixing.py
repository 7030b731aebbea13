"""`sgmem check --fix` and `--diff`: which edits are made in which files, and what they come to. Nothing is written here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.source.tree import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.findings.finding import Edit, Finding
    from sgmem.source.tree import SourceTree


class FileChange(msgspec.Struct, frozen=True):
    """A file before and after its fixes, and the findings that these mend."""

    path: str
    place: str
    before: bytes
    after: bytes
    findings: tuple[Finding, ...]


class Fixes(msgspec.Struct, frozen=True):
    """The changes, by file, and why the other findings with edits are not among them."""

    changes: tuple[FileChange, ...]
    left: tuple[tuple[Finding, str], ...]

    @property
    def count(self) -> int:
        return sum(len(change.findings) for change in self.changes)


def is_fixable(finding: Finding, *, unsafe: bool) -> bool:
    return bool(finding.edits) and (unsafe or all(edit.safe for edit in finding.edits))


def fixes(tree: SourceTree, findings: Iterable[Finding], *, unsafe: bool = False) -> Fixes:
    """Work out the fixes of these findings. Two are never made on one line, and all edits of a finding or none.

    Raises UsageError for a source that is no folder: what git or a package registry holds cannot be changed.
    """
    left: list[tuple[Finding, str]] = []
    chosen: dict[str, list[Finding]] = {}
    taken: set[tuple[str, int]] = set()
    for finding in findings:
        if not is_fixable(finding, unsafe=unsafe):
            continue
        lines = {(edit.path, line) for edit in finding.edits for line in range(edit.line, edit.end_line + 1)}
        if len({edit.path for edit in finding.edits}) > 1:
            left.append((finding, "it changes several files"))
        elif lines & taken:
            left.append((finding, "another fix is on its line; run again"))
        else:
            taken |= lines
            chosen.setdefault(finding.edits[0].path, []).append(finding)
    changes = []
    for path, some in sorted(chosen.items()):
        change, why = _changed(tree, path, some)
        if change is not None:
            changes.append(change)
        else:
            left += [(finding, why) for finding in some]
    return Fixes(tuple(changes), tuple(left))


def _changed(tree: SourceTree, path: str, findings: list[Finding]) -> tuple[FileChange | None, str]:
    """A file with its fixes, or why it cannot have them."""
    from sgmem.findings.rewriting import NotRewritten, rewritten

    place = tree.place(path)
    if place is None or not Path(tree.root).is_dir():
        raise UsageError(f"{tree.root} is no folder, so nothing can be fixed in it", hint="check out what is to be fixed")
    expected = tree.digest(path)
    try:
        before = Path(place).read_bytes()
    except OSError as error:
        return None, f"it cannot be read: {error.strerror or error}"
    if content_digest(before) != expected:
        return None, "the file changed since it was analysed; run again"
    edits: list[Edit] = [edit for finding in findings for edit in finding.edits]
    try:
        return FileChange(path, place, before, rewritten(before, edits), tuple(findings)), ""
    except NotRewritten as error:
        return None, str(error)


def diff(changes: Iterable[FileChange], uris: dict[str, str]) -> str:
    """The changes as a unified diff, which `git apply` and `patch` read."""
    from difflib import unified_diff

    parts: list[str] = []
    for change in changes:
        name = uris.get(change.path, change.path)
        before, after = (_lines(data) for data in (change.before, change.after))
        for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
            parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(data: bytes) -> list[str]:
    """Lines with their ends, cut at newlines only, as diff does."""
    text = data.decode("utf-8", "surrogateescape")
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
