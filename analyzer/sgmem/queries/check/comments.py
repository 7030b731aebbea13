"""The suppression comments of a program: what they suppress, and which of them are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.findings.finding import Edit, Finding
from sgmem.findings.registry import close_rules
from sgmem.findings.suppressions import Suppression, suppressions_in
from sgmem.queries.check.rules import SUPPRESSION, SUPPRESSION_CODE, all_rules
from sgmem.syntax.text import Undecodable, decode_with_comments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.findings.fingerprints import Fingerprints
    from sgmem.findings.registry import InstalledRule
    from sgmem.queries.check.noted import Noted
    from sgmem.source.tree import SourceTree


class Comments:
    """The suppression comments of a program: those of the files that mention the word by which such comments are found."""

    def __init__(self, tree: SourceTree, paths: Iterable[str]) -> None:
        self.tree = tree
        self.by_path: dict[str, list[Suppression]] = {}
        for path in paths:
            try:
                found = suppressions_in(decode_with_comments(tree.read(path)))
            except Undecodable:
                continue
            if found:
                self.by_path[path] = found

    def cover(self, report: Noted, rule: InstalledRule) -> str | None:
        """The reason of a comment that suppresses a report: at its place, or at a step from its sources to its sink, each
        with its statement.

        Every comment that does is noted as used.
        """
        names = (rule.name, rule.code)
        reasons = [
            comment.reason
            for at in report.places
            for comment in self.by_path.get(at.path, ())
            if comment.covers(at.first, at.last, names)
        ]
        return next(iter(reasons), None)

    def findings(self, run: set[str], fingerprints: Fingerprints) -> Iterator[Finding]:
        """What is wrong with the comments, given the names of the rules that were run."""
        spellings = {spelling.lower(): one.name for one in all_rules() for spelling in (one.name, one.code)}
        for path, comments in sorted(self.by_path.items()):
            for comment in comments:
                for message, names in _problems(comment, spellings, run):
                    yield self._finding(path, comment, message, names, fingerprints)

    def _finding(self, path: str, comment: Suppression, message: str, names: tuple[str, ...], fingerprints: Fingerprints) -> Finding:
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
            fix=("take it out of the comment" if comment.without(names) else "remove the comment") if names else None,
            edits=(_removal(path, comment, names),) if names else (),
        )


def _removal(path: str, comment: Suppression, names: tuple[str, ...]) -> Edit:
    """Take names out of a comment; the comment goes with the last of them."""
    line, text = comment.line, comment.without(names)
    return Edit("comment", path, line, comment.column, line, comment.end_column, text)


def _problems(comment: Suppression, spellings: dict[str, str], run: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is wrong with a comment, each with the names that may be taken out of it."""
    if comment.problem is not None:
        yield f"this suppression {comment.problem}", ()
        return
    unused = []
    for name in comment.rules:
        rule = spellings.get(name.lower())
        if rule is None:
            yield f"this suppression names {name!r}, which is no rule{_suggestion(name, spellings)}", ()
        elif rule in run and name.lower() not in comment.used:
            unused.append(name)
    if unused:
        yield f"this suppression of {' and '.join(unused)} suppresses nothing; remove it", tuple(unused)


def _suggestion(name: str, spellings: dict[str, str]) -> str:
    close = close_rules(name, spellings)
    return f"; did you mean {close[0]}?" if close else "; sgmem rule lists them all"
