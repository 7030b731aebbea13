"""Turns the sites and flows of a slice into the rows of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.control.predicates import TRUE
from sgmem.control.rendering import render
from sgmem.domains.accounting.location import one_line, symbol_of
from sgmem.flow.graph import SiteKey, SliceSite
from sgmem.flow.guards import Conditions
from sgmem.flow.occurrences import CONFIDENCE, Occurrence
from sgmem.flow.slicer import Slicer
from sgmem.program.program import Program
from sgmem.queries.results.trace import Flow, Site, SourceInfo, Unreadable

if TYPE_CHECKING:
    from sgmem.source.tree import SourceTree


class SiteReports:
    """Numbers sites and renders them."""

    def __init__(self, program: Program, slicer: Slicer, tree: SourceTree) -> None:
        self.program = program
        self.slicer = slicer
        self.tree = tree
        self.conditions = Conditions(program, slicer.order)
        self._ids: dict[SiteKey, str] = {}

    def number(self, keys: list[SiteKey]) -> None:
        """Give the kept sites ids in reading order."""
        ordered = sorted(keys, key=lambda key: (key.file.path, key.span, key.role, key.slot))
        self._ids = {key: f"s{number}" for number, key in enumerate(ordered, 1)}

    def id_of(self, key: SiteKey) -> str | None:
        return self._ids.get(key)

    def id_of_write(self, seen: Occurrence) -> str | None:
        """The site of a write occurrence."""
        span = seen.file.statement(seen.statement).span
        for key, number in self._ids.items():
            if key.file is seen.file and key.span == span and key.role in ("write", "store", "declaration"):
                return number
        return None

    def rows(self) -> tuple[Site, ...]:
        return tuple(self._row(key, number) for key, number in self._ids.items())

    def flows(self) -> tuple[Flow, ...]:
        """The flows between kept sites; a flow into a dropped site is not bridged."""
        rows = []
        for (source, target), (kind, grade) in self.slicer.slice.edges.items():
            first, second = self._ids.get(source), self._ids.get(target)
            if first is not None and second is not None:
                rows.append(Flow(first, second, kind, CONFIDENCE[grade]))
        return tuple(sorted(rows, key=lambda flow: (int(flow.source[1:]), int(flow.target[1:]))))

    def _row(self, key: SiteKey, number: str) -> Site:
        site = self.slicer.slice.sites[key]
        file, span = key.file, key.span
        when = self._when(site)
        kind = site.kind
        if when and kind in ("constant", "copy", "derived") and key.role in ("store", "write"):
            kind = "conditional" if kind != "derived" else kind
        return Site(
            id=number,
            role=key.role,
            path=file.path,
            uri=self.tree.files[file.path].uri,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            symbol=symbol_of(file, site.statement),
            code=one_line(file.source.slice(span)),
            when=when,
            slot=key.slot,
            derived=site.derived,
            confidence=CONFIDENCE[site.grade],
            unit=site.unit,
            frame=site.frame,
            note=site.note,
            kind=kind,
        )

    def _when(self, site: SliceSite) -> tuple[str, ...]:
        """The conditions as text, outermost first, each once. Left out are those that always hold, and checks before the site whose
        other outcome raises: they say what is valid, not when the site is reached."""
        if site.key.role == "declaration":
            return ()
        conditions = self.conditions.of(site.key.file, site.statement, site.ancestors, site.node)
        return tuple(dict.fromkeys(render(c.predicate) for c in conditions if c.predicate != TRUE and c.how != "check"))


def source_info(tree: SourceTree, program: Program) -> SourceInfo:
    """What was read: all files of the package, those parsed, those that could not be."""
    unreadable = {row.path: row.why for row in tree.unreadable} | program.files.unreadable
    rows = tuple(Unreadable(path, why) for path, why in sorted(unreadable.items()))
    return SourceInfo(tree.root, tree.version, len(tree.files), program.files.parsed, rows)
