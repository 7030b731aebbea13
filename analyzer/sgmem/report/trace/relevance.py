"""What of a trace matters first to a reader who looks for memory: what leads to an allocation, what the parameter's own record
reaches, and what stands in a test or benchmark only.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.queries.results.trace import MADE
from sgmem.report.text import last_name
from sgmem.report.trace.merging import WRITING
from sgmem.report.trace.provenance import Provenance, holds

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Formula, Site, Trace

LARGE = 400
"""Traces of so many sites begin with an overview, and lists of variables take the place of lists of places."""
NO_POOL = 1000
"""Steps that an allocation outside every pool counts more."""

_ASIDE = re.compile(r"(?:^|/)(?:tests?|testing|benchmarks?)/|(?:^|/)(?:test|bench|conftest)(?:_[^/]*)?\.py$")


def is_aside(path: str) -> bool:
    """Whether a file is a test or a benchmark."""
    return _ASIDE.search(path) is not None


class Relevance:
    """Answers about one trace. `roots` are the nodes of the parameter that its tree starts from, `home` the first of them."""

    def __init__(self, trace: Trace, *, brief: bool = True) -> None:
        self.trace = trace
        self.name = last_name(trace.parameter)
        self.provenance = Provenance(trace, brief=brief)
        self.roots = self.provenance.roots(trace.parameter)
        self.home = self.roots[0] if self.roots else None
        self.home_slot = self.provenance.members[self.home][0].slot if self.home is not None else None
        self.large = len(trace.sites) >= LARGE

    @cached_property
    def reached(self) -> frozenset[str]:
        """The ids of the sites that the home's value reaches."""
        if self.home is None:
            return frozenset()
        nodes = {self.home} | self.provenance.reachable(self.home, sure=True)
        return frozenset(site.id for node in nodes for site in self.provenance.merged[node])

    @cached_property
    def _pooled(self) -> dict[str, int]:
        """The nodes from which a pool is reached, and how far it is."""
        return self.provenance.leading_to(lambda site: site.role == "sink" and site.kind == "pool", sure=True)

    @cached_property
    def ways(self) -> dict[str, int]:
        """The nodes from which an allocation is reached, and how far it is, pools before others; where none is known, an object that
        takes the value."""
        known = any(site.role == "sink" and site.kind in MADE for site in self.trace.sites)
        found = self.provenance.leading_to(
            lambda site: site.role == "event" or (site.role == "sink" and (not known or site.kind in MADE)), sure=True
        )
        return {key: self._pooled.get(key, NO_POOL + steps) for key, steps in found.items()}

    def sizes(self, formula: Formula) -> bool:
        """Whether what a formula computes sizes an allocation."""
        return self._node_of[formula.site] in self.ways if formula.site in self._node_of else False

    @cached_property
    def _node_of(self) -> dict[str, str]:
        return {site.id: node for node, sites in self.provenance.merged.items() for site in sites}

    def weight(self, formula: Formula, site: Site | None) -> int:
        """How much a formula of a large trace tells about memory: most for a pool, less for another allocation, less in a test."""
        if not self.large or not self.sizes(formula):
            return 0
        return 1 if site is None or is_aside(site.path) else 3 if self._node_of[formula.site] in self._pooled else 2

    def uses(self) -> dict[str, int]:
        """How many sites there are of each variable that bears the name."""
        found: dict[str, int] = {}
        for site in self.trace.sites:
            if holds(site, self.name) and site.slot is not None:
                found[site.slot] = found.get(site.slot, 0) + 1
        return found

    def variables(self) -> dict[str, list[Site]]:
        """The variables of the parameter's name that something writes, each with its writes: those that the home reaches before the
        others, tests last, and of these those first that most places use."""
        found: dict[str, list[Site]] = {}
        for site in self.trace.sites:
            if site.role in WRITING and holds(site, self.name):
                found.setdefault(site.slot or "", []).append(site)
        uses = self.uses()

        def order(slot: str) -> tuple[bool, bool, int, str]:
            writes = found[slot]
            return (all(is_aside(site.path) for site in writes), not self.is_reached(writes), -uses.get(slot, 0), slot)

        return {slot: found[slot] for slot in sorted(found, key=order)}

    def is_reached(self, writes: list[Site]) -> bool:
        return any(site.id in self.reached for site in writes)
