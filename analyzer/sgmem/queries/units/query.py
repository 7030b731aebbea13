"""Counts amounts of memory by unit and ranks the rows that would decide the unknown ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sgmem.queries.own_models import models_with
from sgmem.queries.results.units import UnitsResult, UnitSuggestion, UnknownAmount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.config.settings import OwnModels
    from sgmem.domains.accounting.undecided import AmountSite, Root
    from sgmem.source.tree import SourceTree

MAX_PLACES = 5
_KINDS = {"result": "result", "parameter": "local", "field": "field"}
"""The kind of a `unit` row for each kind of root."""


def units(tree: SourceTree, own: OwnModels, *, suggest: bool = False, most: int = 10) -> UnitsResult:
    """Look at every amount of memory; with `suggest`, also name at most `most` rows that would decide the most.

    Raises UsageError for a row of the project that is not sound.
    """
    from sgmem.domains.accounting.undecided import amount_sites
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.program import Program
    from sgmem.queries.sites import source_info

    models = models_with(own)
    program = Program(tree, tuple(tree.files), models.config)
    sites = list(amount_sites(ProgramFacts(program, models)))
    known = Counter(str(site.unit) for site in sites if site.unit is not None)
    unknown = [site for site in sites if site.unit is None]
    return UnitsResult(
        source_info(tree, program),
        len(sites),
        dict(known.most_common()),
        tuple(_told(site, tree) for site in unknown),
        tuple(ranked(unknown)[:most]) if suggest else (),
    )


def _told(site: AmountSite, tree: SourceTree) -> UnknownAmount:
    at = site.location
    because = tuple(one.root.name for one in site.origins)
    return UnknownAmount(at.path, tree.files[at.path].uri, at.line, at.column, at.symbol, at.code, str(site.needed), because)


def ranked(unknown: Iterable[AmountSite]) -> list[UnitSuggestion]:
    """The roots of unknown amounts, those first that decide the most by themselves."""
    alone: dict[Root, list[AmountSite]] = {}
    shared: dict[Root, list[AmountSite]] = {}
    for site in unknown:
        for origin in site.origins:
            (alone if len(site.origins) == 1 else shared).setdefault(origin.root, []).append(site)
    merged = _merged(alone, shared)
    found = [_suggestion(root, mine, others) for root, (mine, others) in merged.items()]
    return sorted(found, key=lambda one: (-one.alone, -one.shared, one.name))


def _merged(
    alone: dict[Root, list[AmountSite]], shared: dict[Root, list[AmountSite]]
) -> dict[Root, tuple[list[AmountSite], list[AmountSite]]]:
    """By kind and name, since a field is met at many places; the first place stands for all."""
    first: dict[tuple[str, str], Root] = {}
    merged: dict[Root, tuple[list[AmountSite], list[AmountSite]]] = {}
    for number, group in enumerate((alone, shared)):
        for root, sites in group.items():
            merged.setdefault(first.setdefault((root.kind, root.name), root), ([], []))[number].extend(sites)
    return merged


def _suggestion(root: Root, alone: list[AmountSite], shared: list[AmountSite]) -> UnitSuggestion:
    needed = Counter(
        site.needed
        for site in (*alone, *shared)
        for origin in site.origins
        if (origin.root.kind, origin.root.name) == (root.kind, root.name) and origin.same
    )
    best = needed.most_common(1)[0][0] if needed else None
    unit = str(best.replaced(loose=False)) if best is not None else None
    note = ""
    if best is None:
        note = "say which"
    elif len(needed) > 1:
        note = "not what all of them need: look"
    elif best.loose:
        note = f"or {best}: the name or label leaves that open"
    places = tuple(f"{site.location.path}:{site.location.line}" for site in (*alone, *shared)[:MAX_PLACES])
    at = root.location
    return UnitSuggestion(
        root.kind, root.name, at.path, at.line, len(alone), len(shared), unit, len(needed) > 1, _row(root, unit, note), places
    )


def _row(root: Root, unit: str | None, note: str) -> str:
    """The row as TOML; `note` says what is left for the reader to decide about its unit."""
    lines = ["[[model.unit]]", f'names = ["{pattern(root)}"]', f'kind = "{_KINDS[root.kind]}"', f'unit = "{unit or "bytes"}"']
    lines[-1] += f"  # {note}" if note else ""
    return "\n".join([*lines, 'why = "say where the fact comes from"'])


def pattern(root: Root) -> str:
    """A qualified pattern that still matches where packages around the module move."""
    module, colon, name = root.name.partition(":")
    if colon:
        return f"**.{module.rpartition('.')[2]}:{name}" if "." in module else f"**:{name}"
    return f"**:*.{root.name.rpartition('.')[2]}" if root.name.startswith(("self.", "*.")) else f"**:{root.name.rpartition('.')[2]}"
