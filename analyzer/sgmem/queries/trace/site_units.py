"""The unit of every site of a trace, where it is known: of the expression there, else of the variable or field that it concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.units import declared, names_memory
from sgmem.queries.trace.formulas import whole
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.domains.accounting.units import Units
    from sgmem.domains.units.evidence import Evidence
    from sgmem.flow.graph import SiteKey, SliceSite
    from sgmem.flow.slicer import Slicer
    from sgmem.models.load import Models

_OF_SLOT = frozenset({"declaration", "write", "store", "read", "pass"})
"""Roles of sites at which a slot is in the unit in which it is everywhere."""


class SiteUnits:
    """Fills in the units of sites that have none; a guess is marked with a question mark."""

    def __init__(self, slicer: Slicer, units: Units, models: Models) -> None:
        self.slicer = slicer
        self.units = units
        self.models = models

    def fill(self, keys: Iterable[SiteKey]) -> None:
        """Work out the unit at each of the sites, then those of slots that have one unit wherever it is known."""
        by_slot: dict[str, set[str]] = {}
        open_sites: list[SliceSite] = []
        for key in keys:
            site = self.slicer.slice.sites[key]
            evidence = self._at(site) if site.unit is None else None
            if evidence is not None:
                site.unit = evidence.shown
                if evidence.strong and key.slot and key.role in _OF_SLOT:
                    by_slot.setdefault(key.slot, set()).add(site.unit)
            if (site.unit is None or site.unit.endswith("?")) and key.role in _OF_SLOT:
                open_sites.append(site)
        for site in open_sites:
            known = by_slot.get(site.key.slot, set())
            if len(known) == 1:
                site.unit = next(iter(known))

    def _at(self, site: SliceSite) -> Evidence | None:
        file, statement = site.key.file, site.statement
        formula = self.slicer.slice.formulas.get(site.key)
        if formula is not None:
            return self.units.infer(whole(formula), formula.file, formula.statement, deep=True)
        if site.key.role == "declaration":
            return declared(self.models, site.key.slot)
        if site.key.role in ("write", "store"):
            return self._stored(site) or declared(self.models, site.key.slot)
        if isinstance(site.node, ir.Name | ir.Attribute | ir.Subscript):
            near = self.units.infer(site.node, file, statement)
            # What callers hand over is looked for only where the name promises an amount: a trace of a hub has thousands of sites.
            far = near is None and isinstance(site.node, ir.Name) and names_memory(site.node.id)
            return self.units.infer(site.node, file, statement, deep=True) if far else near
        if site.key.role == "measurement":
            return self.units.infer(file.expression(site.key.span), file, statement)
        return None

    def _stored(self, site: SliceSite) -> Evidence | None:
        """What a statement gives its target; of several bindings the one at the site, if any is."""
        file = site.key.file
        for binding in file.statement(site.statement).bindings:
            if binding.value is None or binding.how not in ("assign", "annotate", "augment"):
                continue
            value: ir.Expr = binding.value
            if binding.how == "augment" and binding.operator is not None:
                value = ir.Binary(file.statement(site.statement).span, binding.operator, binding.target, binding.value)
            found = self.units.infer(value, file, site.statement, deep=True)
            if found is not None:
                return found
            if isinstance(binding.target, ir.Name | ir.Attribute):
                return self.units.infer(binding.target, file, site.statement)
        return None
