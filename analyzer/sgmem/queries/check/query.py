"""`sgmem check [PATHS]`: mistakes in the memory accounting, found over the whole program, reported where asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.config.errors import NothingAnalysed
from sgmem.queries.check.asked import question
from sgmem.queries.check.reporting import paths_inside, reported
from sgmem.queries.own_models import own_stamp
from sgmem.queries.remembered import key_of, place_key, remembered
from sgmem.queries.results.check import Checked, CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree


def check(tree: SourceTree, paths: Iterable[Path], options: CheckOptions, against: SourceTree | None = None) -> CheckResult:
    """Check a program. `paths`, absolute files or folders, only filter where findings are reported; so does `against`,
    another state of the program: what it has too is not reported.

    Raises UsageError for an unknown rule and where none are installed; NothingAnalysed where no file of the source lies
    in `paths`.
    """
    inside = paths_inside(tree, map(str, paths))
    before = everything(against, options) if against is not None else None
    return reported(everything(tree, options), inside, options, before)


def everything(tree: SourceTree, options: CheckOptions) -> Checked:
    """All that the rules find in a source. What was computed before for the same source, by the same rules, is taken from
    the store, whatever of it is to be reported. Raises NothingAnalysed where no file can be read.
    """

    def asked() -> tuple[object, ...]:
        from sgmem.findings.registry import rules_stamp

        return (*question(options), rules_stamp(), own_stamp(options.own))

    def computed() -> Checked:
        # The engine and its parsers are imported only when there is something to compute.
        from sgmem.queries.check.checking import compute

        return compute(tree, options, lambda: place_key(tree, asked()))

    found = remembered(options.store, "check", lambda: key_of(tree, asked()), Checked, computed)
    if not found.source.analysed:
        first = next(iter(found.source.unreadable), None)
        hint = f"{first.path}: {first.why}" if first is not None else None
        raise NothingAnalysed(f"no file of {tree.root} could be read", hint=hint)
    return found
