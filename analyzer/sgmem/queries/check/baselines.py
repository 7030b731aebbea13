"""`sgmem baseline`: writing, pruning and showing the file of known findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.findings.baseline import Baseline, BaselineEntry, entry_of, known_from
from sgmem.queries.check.query import everything
from sgmem.queries.check.reporting import Filter

if TYPE_CHECKING:
    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree


class BaselineState(msgspec.Struct, frozen=True):
    """A baseline and the source it is for: entries that match a finding, those that match none, and what is not in it."""

    known: tuple[BaselineEntry, ...]
    stale: tuple[BaselineEntry, ...]
    new: tuple[BaselineEntry, ...]

    @property
    def updated(self) -> Baseline:
        """The baseline that knows everything that is there, and nothing else."""
        return Baseline(findings=(*self.known, *self.new))

    @property
    def pruned(self) -> Baseline:
        """The baseline without what matches nothing."""
        return Baseline(findings=self.known)


def baseline_state(tree: SourceTree, baseline: Baseline, options: CheckOptions) -> BaselineState:
    """Compare a baseline with a source. Known entries are renewed, so that they say where the code is now.

    `options` decide what counts as new; an entry of a rule that was not run is kept as it is.
    """
    checked = everything(tree, options)
    known, unmatched = known_from(checked.findings, baseline)
    keep = Filter(None, options)
    others = [finding for index, finding in enumerate(checked.findings) if index not in known for finding in keep(finding)]
    return BaselineState(
        known=(
            *(entry_of(checked.findings[index]) for index in known),
            *(entry for entry in unmatched if not checked.ran(entry.rule)),
        ),
        stale=tuple(entry for entry in unmatched if checked.ran(entry.rule)),
        new=tuple(map(entry_of, others)),
    )
