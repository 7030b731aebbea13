"""`sgmem check [PATHS]`: mistakes in the memory accounting, found over the whole program, reported where asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.queries.remembered import key_of, remembered
from sgmem.queries.results_check import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.queries.options import CheckOptions
    from sgmem.source.tree import SourceTree


def check(tree: SourceTree, paths: Iterable[Path], options: CheckOptions) -> CheckResult:
    """Check a program. `paths`, absolute files or folders, only filter where findings are reported.

    Raises UsageError for an unknown rule and where none are installed; NothingAnalysed where no file of the source lies
    in `paths`. A result computed before for the same source, by the same rules, is taken from the store.
    """
    only = tuple(str(path) for path in paths)

    def key() -> str:
        from sgmem.findings.registry import rules_stamp

        asked = (options.persona, options.select, options.ignore, options.min_confidence, only, str(Path.cwd()))
        return key_of(tree, (*asked, rules_stamp()))

    def computed() -> CheckResult:
        # The engine and its parsers are imported only when there is something to compute.
        from sgmem.queries.checking import compute

        return compute(tree, only, options)

    return remembered(options.store, "check", key, CheckResult, computed)
