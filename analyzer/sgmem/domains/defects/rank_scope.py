"""Defects of rank scope: numbers of some ranks that are used for others. Each kind has a module of its own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.ranks.counts import Counts
from sgmem.domains.ranks.extents import Extents
from sgmem.domains.ranks.groups import Groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.defects.foreign_groups import ForeignGroup
    from sgmem.domains.defects.mixed_extents import MixedExtent
    from sgmem.domains.defects.narrow_reductions import NarrowReduction
    from sgmem.domains.defects.sibling_groups import SiblingGroup
    from sgmem.domains.program_facts import ProgramFacts


class RankScope:
    """The defects of one program, looked for when asked."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.program = facts.program
        self.models = facts.models
        self.groups = Groups(facts.program, facts.models, facts.order)
        self.counts = Counts(facts.models)

    @cached_property
    def extents(self) -> Extents:
        return Extents(self.groups, self.counts)

    def foreign_groups(self) -> Iterator[ForeignGroup]:
        """Counts divided by the size of a group that does not split them."""
        from sgmem.domains.defects.foreign_groups import foreign_groups

        return foreign_groups(self.program, self.groups, self.counts)

    def sibling_groups(self) -> Iterator[SiblingGroup]:
        """Parts of a count taken by the size of another group than in most places that size memory."""
        from sgmem.domains.defects.sibling_groups import sibling_groups

        return sibling_groups(self.program, self.groups, self.counts)

    def mixed_extents(self) -> Iterator[MixedExtent]:
        """Pools that get the whole model's layers beside others that get this stage's."""
        from sgmem.domains.defects.mixed_extents import mixed_extents

        return mixed_extents(self.program, self.extents, self.counts)

    def narrow_reductions(self) -> Iterator[NarrowReduction]:
        """Reductions that leave out ranks that must agree."""
        from sgmem.domains.defects.narrow_reductions import narrow_reductions

        return narrow_reductions(self.program, self.models, self.groups)
