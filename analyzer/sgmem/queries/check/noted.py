"""What rules report, as plain data: it outlives the program it was found in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.findings.finding import Edit, Finding, Step
from sgmem.findings.fingerprints import Fingerprints, likenesses
from sgmem.queries.moving import told_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.findings.registry import InstalledRule
    from sgmem.findings.rule import Change, Point, Report
    from sgmem.source.tree import SourceTree


Placed = TypeVar("Placed", Finding, Step, Edit)


class Place(msgspec.Struct, frozen=True, array_like=True):
    """The lines of a place and of the statement it stands in; of a compound statement its header."""

    path: str
    first: int
    last: int


class Noted(msgspec.Struct, frozen=True, array_like=True):
    """A report: a finding without its fingerprint, which depends on the others; the key for it; the places that it names."""

    finding: Finding
    key: str
    places: tuple[Place, ...]

    @property
    def order(self) -> tuple[str, int, int, str]:
        return self.finding.path, self.finding.line, self.finding.column, self.finding.message

    def with_fingerprint(self, fingerprints: Fingerprints) -> Finding:
        one = self.finding
        return msgspec.structs.replace(one, fingerprint=fingerprints.of(one.rule, one.symbol, self.key))


def noted(report: Report, rule: InstalledRule, tree: SourceTree) -> Noted:
    """A report with the rule's name and its place as numbers."""
    at = report.location
    key = report.key or at.code
    finding = Finding(
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
        fingerprint="",
        fix=report.fix,
        likenesses=likenesses(rule.name, at.symbol, key, report.message),
        edits=_edits(report.changes),
        byte_column=_bytes(at, at.line, at.column),
        end_byte_column=_bytes(at, at.span.end_line, at.span.end_column),
    )
    places = dict.fromkeys([at, *(step.location for step in report.steps)])
    return Noted(finding, key, tuple(_lines(place) for place in places))


def moved(report: Noted, line: Callable[[str, int], int | None]) -> Noted | None:
    """A report with the lines of its places where they are now; None if one of them is not the same any more."""
    lines = {place: line(*place) for place in _named_lines(report)}
    if None in lines.values() or _tells_other_lines(report, line):
        return None
    if all(place[1] == now for place, now in lines.items()):
        return report

    def at(path: str, number: int) -> int:
        return lines.get((path, number)) or 0

    one = report.finding
    steps = [_replaced(step, at(step.path, step.line), at(step.path, step.end_line)) for step in one.steps]
    edits = [_replaced(edit, at(edit.path, edit.line), at(edit.path, edit.end_line)) for edit in one.edits]
    finding = _replaced(one, at(one.path, one.line), at(one.path, one.end_line))
    finding = msgspec.structs.replace(finding, steps=tuple(steps), edits=tuple(edits))
    places = tuple(Place(place.path, at(place.path, place.first), at(place.path, place.last)) for place in report.places)
    return Noted(finding, report.key, places)


def _replaced(one: Placed, line: int, end_line: int) -> Placed:
    return msgspec.structs.replace(one, line=line, end_line=end_line)


def _tells_other_lines(report: Noted, line: Callable[[str, int], int | None]) -> bool:
    """Whether its wording names a line, in whichever of its files, that is another one now."""
    one = report.finding
    paths = sorted({one.path, *(step.path for step in one.steps)})
    return any(told_elsewhere(text, paths, line) for text in (one.message, one.fix or "", *(step.message for step in one.steps)))


def _named_lines(report: Noted) -> Iterator[tuple[str, int]]:
    one = report.finding
    yield from ((one.path, one.line), (one.path, one.end_line))
    for edit in one.edits:
        yield from ((edit.path, edit.line), (edit.path, edit.end_line))
    for step in report.finding.steps:
        yield from ((step.path, number) for number in (step.line, step.end_line) if number)
    for place in report.places:
        yield from ((place.path, place.first), (place.path, place.last))


def _lines(at: Location) -> Place:
    around = of_statement(at.file, at.statement).span
    return Place(at.path, min(at.line, around.line), max(at.span.end_line, around.end_line))


def _bytes(at: Location, line: int, column: int) -> int:
    """A column in bytes of UTF-8; 0 where nothing before it is longer than a byte."""
    before = at.file.source.line(line)[: column - 1]
    return 0 if before.isascii() else len(before.encode("utf-8", "surrogatepass")) + 1


def _step(point: Point, tree: SourceTree) -> Step:
    at = point.location
    uri, span = tree.files[at.path].uri, at.span
    return Step(at.path, at.line, point.message, at.column, at.first_line, uri, span.end_line, span.end_column)


def _edits(changes: Iterable[Change]) -> tuple[Edit, ...]:
    """Changes of a report as plain positions; what is inserted goes behind a whole statement."""
    edits = []
    for change in changes:
        at = change.location
        span = at.span if change.kind == "replace" else of_statement(at.file, at.statement).span
        edits.append(Edit(change.kind, at.path, span.line, span.column, span.end_line, span.end_column, change.text, change.safe))
    return tuple(edits)
