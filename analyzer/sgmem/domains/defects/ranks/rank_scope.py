"""Defects of rank scope and of the unit of a count: numbers of some ranks, or of some things, that are used for others; and of settings
that stand for something else than they say.

Each kind has a module of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.ranks.counts import Counts
from sgmem.domains.ranks.extents import Extents
from sgmem.domains.ranks.groups import Groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.defects.capacity.short_tables import ShortTable
    from sgmem.domains.defects.guards.empty_shares import EmptyShare
    from sgmem.domains.defects.guards.idle_settings import IdleSetting
    from sgmem.domains.defects.provenance.default_guards import DefaultGuard
    from sgmem.domains.defects.provenance.lent_lists import LentList
    from sgmem.domains.defects.ranks.copied_heads import CopiedHeads
    from sgmem.domains.defects.ranks.foreign_groups import ForeignGroup
    from sgmem.domains.defects.ranks.lone_decisions import LoneDecision
    from sgmem.domains.defects.ranks.machine_requests import MachineRequest
    from sgmem.domains.defects.ranks.misnamed_parts import MisnamedPart
    from sgmem.domains.defects.ranks.mixed_extents import MixedExtent
    from sgmem.domains.defects.ranks.mixed_scopes import MixedScope
    from sgmem.domains.defects.ranks.narrow_reductions import NarrowReduction
    from sgmem.domains.defects.ranks.overlapping_strides import OverlappingStride
    from sgmem.domains.defects.ranks.short_products import ShortProduct
    from sgmem.domains.defects.ranks.short_shares import ShortShare
    from sgmem.domains.defects.ranks.sibling_groups import SiblingGroup
    from sgmem.domains.defects.ranks.stage_indices import StageIndex
    from sgmem.domains.defects.ranks.undivided_counts import UndividedCount
    from sgmem.domains.defects.ranks.unreduced_counts import UnreducedCount
    from sgmem.domains.defects.ranks.whole_beside_part import WholeBesidePart
    from sgmem.domains.defects.units.converted_caps import ConvertedCap
    from sgmem.domains.defects.units.foreign_granules import ForeignGranule
    from sgmem.domains.program_facts import ProgramFacts


class RankScope:
    """The defects of one program, looked for when asked."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.program = facts.program
        self.models = facts.models
        self.order = facts.order
        self.gauges = facts.gauges
        self.options = facts.options
        self.groups = Groups(facts.program, facts.models, facts.order)
        self.counts = Counts(facts.models)

    @cached_property
    def extents(self) -> Extents:
        return Extents(self.groups, self.counts)

    def foreign_groups(self) -> Iterator[ForeignGroup]:
        """Counts divided by the size of a group that does not split them."""
        from sgmem.domains.defects.ranks.foreign_groups import foreign_groups

        return foreign_groups(self.program, self.groups, self.counts)

    def copied_heads(self) -> Iterator[CopiedHeads]:
        """Heads of one rank, times its ranks, that are shared out again although ranks may hold copies."""
        from sgmem.domains.defects.ranks.copied_heads import copied_heads

        return copied_heads(self.program, self.groups, self.counts)

    def stage_indices(self) -> Iterator[StageIndex]:
        """Numbers of layers in the whole model that address what one stage holds."""
        from sgmem.domains.defects.ranks.stage_indices import stage_indices

        return stage_indices(self.program)

    def sibling_groups(self) -> Iterator[SiblingGroup]:
        """Parts of a count taken by the size of another group than in most places that size memory."""
        from sgmem.domains.defects.ranks.sibling_groups import sibling_groups

        return sibling_groups(self.program, self.groups, self.counts)

    def sibling_modules(self) -> Iterator[SiblingGroup]:
        """Parts of a count taken by the size of another group than in the modules beside."""
        from sgmem.domains.defects.ranks.sibling_groups import sibling_modules

        return sibling_modules(self.program, self.groups, self.counts)

    @cached_property
    def mixed_extents(self) -> tuple[MixedExtent, ...]:
        """Pools that get the whole model's layers or heads beside others that get this stage's or rank's."""
        from sgmem.domains.defects.ranks.mixed_extents import mixed_extents
        from sgmem.domains.defects.ranks.uncut_lists import uncut_lists

        return (*mixed_extents(self.program, self.extents, self.counts), *uncut_lists(self.program, self.groups, self.counts))

    def mixed_scopes(self) -> Iterator[MixedScope]:
        """Maxima of a count of all ranks and one of a single rank."""
        from sgmem.domains.defects.ranks.mixed_scopes import mixed_scopes

        return mixed_scopes(self.program, self.groups, self.counts)

    def narrow_reductions(self) -> Iterator[NarrowReduction]:
        """Reductions that leave out ranks that must agree."""
        from sgmem.domains.defects.ranks.narrow_reductions import narrow_reductions

        return narrow_reductions(self.program, self.models, self.groups)

    def default_guards(self) -> Iterator[DefaultGuard]:
        """Settings that are changed where they have their default."""
        from sgmem.domains.defects.provenance.default_guards import default_guards

        return default_guards(self.program)

    def idle_settings(self) -> Iterator[IdleSetting]:
        """Tests under which the size of a group is given the value that it has there already."""
        from sgmem.domains.defects.guards.idle_settings import idle_settings

        return idle_settings(self.program, self.models)

    def lone_decisions(self) -> Iterator[LoneDecision]:
        """Choices that ranks must make alike, made by one rank's reading."""
        from sgmem.domains.defects.ranks.lone_decisions import lone_decisions

        return lone_decisions(self.program, self.models)

    def unreduced_counts(self) -> Iterator[UnreducedCount]:
        """Counts that each stage works out of its own layers, without a minimum over the stages."""
        from sgmem.domains.defects.ranks.unreduced_counts import unreduced_counts

        return unreduced_counts(self.program, self.order, self.extents, self.counts)

    def machine_requests(self) -> Iterator[MachineRequest]:
        """The whole machine's memory held against what one rank asks for."""
        from sgmem.domains.defects.ranks.machine_requests import MachineRequests

        return MachineRequests(self.program, self.models, self.gauges, self.groups).found()

    def empty_shares(self) -> Iterator[EmptyShare]:
        """Shares of a server's count of which some ranks may get none."""
        from sgmem.domains.defects.guards.empty_shares import empty_shares

        return empty_shares(self.program, self.groups, self.counts)

    def overlapping_strides(self) -> Iterator[OverlappingStride]:
        """Indices of devices that two ranks share."""
        from sgmem.domains.defects.ranks.overlapping_strides import overlapping_strides

        return overlapping_strides(self.program, self.groups)

    def short_sizes(self) -> Iterator[ShortProduct]:
        """Sizes of groups worked out from fewer numbers than elsewhere."""
        from sgmem.domains.defects.ranks.short_products import short_sizes

        return short_sizes(self.program, self.groups)

    def short_strides(self) -> Iterator[ShortProduct]:
        """Strides of ranks that have fewer factors than the rank was divided by."""
        from sgmem.domains.defects.ranks.short_products import short_strides

        return short_strides(self.program, self.groups)

    def lent_lists(self) -> Iterator[LentList]:
        """Lists of the settings that are changed through another name for them."""
        from sgmem.domains.defects.provenance.lent_lists import lent_lists

        return lent_lists(self.program, self.order, self.options)

    def short_shares(self) -> Iterator[ShortShare]:
        """Amounts for all stages that are divided among the ranks of one."""
        from sgmem.domains.defects.ranks.short_shares import short_shares

        return short_shares(self.program, self.order, self.groups)

    def short_tables(self) -> Iterator[ShortTable]:
        """Tables with fewer rows than the pool has slots by which they are addressed."""
        from sgmem.domains.defects.capacity.short_tables import short_tables

        return short_tables(self.program)

    def converted_caps(self) -> Iterator[ConvertedCap]:
        """Limits applied to a count that is converted afterwards."""
        from sgmem.domains.defects.units.converted_caps import ConvertedCaps

        return ConvertedCaps(self.program, self.order, self.counts.models).found()

    def foreign_granules(self) -> Iterator[ForeignGranule]:
        """Divisions by a granule that holds something else than its name says."""
        from sgmem.domains.defects.units.foreign_granules import foreign_granules

        return foreign_granules(self.program, self.counts)

    def undivided_counts(self) -> Iterator[UndividedCount]:
        """Counts kept whole where siblings keep them divided."""
        from sgmem.domains.defects.ranks.undivided_counts import undivided_counts

        return undivided_counts(self.program, self.groups, self.counts)

    def whole_beside_part(self) -> Iterator[WholeBesidePart]:
        """Counts of all ranks beside one rank's part, asked of one object."""
        from sgmem.domains.defects.ranks.whole_beside_part import whole_beside_part

        return whole_beside_part(self.program, self.groups, self.counts)

    def misnamed_parts(self) -> Iterator[MisnamedPart]:
        """Counts of all ranks that are called one rank's."""
        from sgmem.domains.defects.ranks.misnamed_parts import misnamed_parts

        return misnamed_parts(self.program, self.groups, self.counts)
