"""What rules may use, and all they may use: rule packages import from here only.

A rule is a class derived from `Rule` in a module of its own, with a page of the same name beside it:

    from sgmem.api import Facts, Report, Rule

    class OddFraction(Rule):
        name = "odd-fraction"
        code = "XYZ101"

        def check(self, facts: Facts):
            for formula in facts.formulas:
                ...
                yield Report(formula.location, "what is wrong, in the user's own names")

The facts are worked out by the engine when they are asked for; rules select among them and word what they select. A
package offers its rules through the entry-point group `sgmem.rules`.
"""

from __future__ import annotations

from sgmem.domains.accounting.checks import Check
from sgmem.domains.accounting.claims import Claim
from sgmem.domains.accounting.events import EventSite
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.accounting.reach import Reach, Sink
from sgmem.domains.defects.capacity.foreign_rows import foreign_rows
from sgmem.domains.defects.capacity.missing_pages import missing_pages
from sgmem.domains.defects.capacity.mixed_counts import mixed_lookups, uneven_shares
from sgmem.domains.defects.capacity.partial_capacities import partial_capacities
from sgmem.domains.defects.capacity.short_buffers import ShortBuffer, short_buffers
from sgmem.domains.defects.capacity.tokens_by_request import tokens_by_request
from sgmem.domains.defects.capacity.uneven_charges import uneven_charges
from sgmem.domains.defects.capacity.uneven_rows import long_buffers, uneven_cuts, uneven_rows
from sgmem.domains.defects.capacity.weaker_checks import weaker_checks
from sgmem.domains.defects.guards.advice import contradicting_advice
from sgmem.domains.defects.guards.dead_guards import DeadGuard, dead_guards
from sgmem.domains.defects.guards.directions import wrong_directions
from sgmem.domains.defects.guards.empty_sequences import empty_sequences
from sgmem.domains.defects.guards.empty_shares import EmptyShare
from sgmem.domains.defects.guards.late_guards import LateGuard, late_guards
from sgmem.domains.defects.guards.none_settings import NoneSetting, none_settings
from sgmem.domains.defects.guards.raised_counts import RaisedCount, raised_counts
from sgmem.domains.defects.guards.raising_queries import raising_queries, uneven_queries
from sgmem.domains.defects.guards.reservations import FixedReservation, fixed_reservations
from sgmem.domains.defects.guards.settled_guards import SettledGuard, settled_guards
from sgmem.domains.defects.guards.shares import unchecked_shares
from sgmem.domains.defects.guards.switched_off import SwitchedOff, switched_off
from sgmem.domains.defects.guards.told_values import told_values
from sgmem.domains.defects.guards.unchecked_limits import unchecked_limits
from sgmem.domains.defects.guards.unchecked_none import UncheckedNone, unchecked_nones
from sgmem.domains.defects.guards.zero_divisors import ZeroDivisor, zero_divisors
from sgmem.domains.defects.order.careless_branches import CarelessBranch, careless_branches
from sgmem.domains.defects.order.early_checks import early_checks
from sgmem.domains.defects.order.early_readings import EarlyReading, early_readings
from sgmem.domains.defects.order.early_reads import early_reads
from sgmem.domains.defects.order.loop_readings import LoopReading, loop_readings
from sgmem.domains.defects.order.lost_readings import lost_readings
from sgmem.domains.defects.order.readings import SameReading, free_totals, same_readings, uneven_readings
from sgmem.domains.defects.order.snapshots import LaterChange, stale_copies
from sgmem.domains.defects.order.stale_results import StaleResult, stale_results
from sgmem.domains.defects.order.timing import MeasuredInput, MixedTimes, Passage
from sgmem.domains.defects.provenance.default_guards import DefaultGuard
from sgmem.domains.defects.provenance.overrides import SettingChange
from sgmem.domains.defects.provenance.unguarded_defaults import UnguardedDefault, unguarded_defaults
from sgmem.domains.defects.provenance.unused_options import unused_options
from sgmem.domains.defects.ranks.foreign_groups import ForeignGroup
from sgmem.domains.defects.ranks.lone_decisions import LoneDecision
from sgmem.domains.defects.ranks.machine_amounts import MachineAmount, machine_amounts
from sgmem.domains.defects.ranks.machine_requests import MachineRequest
from sgmem.domains.defects.ranks.misnamed_parts import MisnamedPart
from sgmem.domains.defects.ranks.mixed_extents import MixedExtent
from sgmem.domains.defects.ranks.narrow_reductions import NarrowReduction
from sgmem.domains.defects.ranks.overlapping_strides import OverlappingStride
from sgmem.domains.defects.ranks.short_products import ShortProduct
from sgmem.domains.defects.ranks.sibling_groups import SiblingGroup
from sgmem.domains.defects.ranks.stage_indices import StageIndex
from sgmem.domains.defects.ranks.undivided_counts import UndividedCount
from sgmem.domains.defects.ranks.unreduced_counts import UnreducedCount
from sgmem.domains.defects.ranks.whole_beside_part import WholeBesidePart
from sgmem.domains.defects.units.branch_units import BranchUnit, branch_units
from sgmem.domains.defects.units.contradictions import Contradiction, LostConversion, is_mixed_thousands, is_share
from sgmem.domains.defects.units.converted_caps import ConvertedCap
from sgmem.domains.defects.units.foreign_granules import ForeignGranule
from sgmem.domains.defects.units.mismatches import Side, UnitMismatch
from sgmem.domains.estimate.copied_rows import copied_rows
from sgmem.domains.estimate.divided_twice import divided_twice
from sgmem.domains.estimate.dropped_subtractions import dropped_subtractions
from sgmem.domains.estimate.handed_back import handed_back
from sgmem.domains.estimate.ignored_counts import ignored_counts
from sgmem.domains.estimate.short_terms import IdleTerm, LonePart, idle_terms, lone_parts
from sgmem.domains.estimate.sibling_sizes import sibling_sizes
from sgmem.domains.estimate.spent_twice import spent_twice
from sgmem.domains.estimate.unreported import unreported
from sgmem.domains.frames.frame import Frame
from sgmem.domains.program_facts import Formula, Input, Origin
from sgmem.domains.program_facts import ProgramFacts as Facts
from sgmem.domains.ranges.negative import NegativeVerdict
from sgmem.domains.startup.late_loads import Later, late_loads
from sgmem.domains.units.evidence import Evidence, Strength
from sgmem.domains.units.unit import Unit
from sgmem.findings.finding import Persona, Severity
from sgmem.findings.rule import Change, Confidence, Point, Report, Rule

__all__ = [
    "BranchUnit",
    "CarelessBranch",
    "Change",
    "Check",
    "Claim",
    "Confidence",
    "Contradiction",
    "ConvertedCap",
    "DeadGuard",
    "DefaultGuard",
    "EarlyReading",
    "EmptyShare",
    "EventSite",
    "Evidence",
    "Facts",
    "FixedReservation",
    "ForeignGranule",
    "ForeignGroup",
    "Formula",
    "Frame",
    "IdleTerm",
    "Input",
    "LateGuard",
    "Later",
    "LaterChange",
    "Location",
    "LoneDecision",
    "LonePart",
    "LoopReading",
    "LostConversion",
    "MachineAmount",
    "MachineRequest",
    "MeasuredInput",
    "MisnamedPart",
    "MixedExtent",
    "MixedTimes",
    "NarrowReduction",
    "NegativeVerdict",
    "NoneSetting",
    "Origin",
    "OverlappingStride",
    "Passage",
    "Persona",
    "Point",
    "RaisedCount",
    "Reach",
    "Report",
    "Rule",
    "SameReading",
    "SettingChange",
    "SettledGuard",
    "Severity",
    "ShortBuffer",
    "ShortProduct",
    "SiblingGroup",
    "Side",
    "Sink",
    "StageIndex",
    "StaleResult",
    "Strength",
    "SwitchedOff",
    "UncheckedNone",
    "UndividedCount",
    "UnguardedDefault",
    "Unit",
    "UnitMismatch",
    "UnreducedCount",
    "WholeBesidePart",
    "ZeroDivisor",
    "branch_units",
    "careless_branches",
    "contradicting_advice",
    "copied_rows",
    "dead_guards",
    "divided_twice",
    "dropped_subtractions",
    "early_checks",
    "early_readings",
    "early_reads",
    "empty_sequences",
    "fixed_reservations",
    "foreign_rows",
    "free_totals",
    "handed_back",
    "idle_terms",
    "ignored_counts",
    "is_mixed_thousands",
    "is_share",
    "late_guards",
    "late_loads",
    "lone_parts",
    "long_buffers",
    "loop_readings",
    "lost_readings",
    "machine_amounts",
    "missing_pages",
    "mixed_lookups",
    "none_settings",
    "of_statement",
    "partial_capacities",
    "raised_counts",
    "raising_queries",
    "same_readings",
    "settled_guards",
    "short_buffers",
    "sibling_sizes",
    "spent_twice",
    "stale_copies",
    "stale_results",
    "switched_off",
    "tokens_by_request",
    "told_values",
    "unchecked_limits",
    "unchecked_nones",
    "unchecked_shares",
    "uneven_charges",
    "uneven_cuts",
    "uneven_queries",
    "uneven_readings",
    "uneven_rows",
    "uneven_shares",
    "unguarded_defaults",
    "unreported",
    "unused_options",
    "weaker_checks",
    "wrong_directions",
    "zero_divisors",
]
