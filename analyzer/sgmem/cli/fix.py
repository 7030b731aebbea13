"""`--fix` and `--diff` of `sgmem check`: writes what `sgmem.queries.check.fixing` works out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.cli.main import say
from sgmem.cli.write import replace, write_stdout
from sgmem.queries.check.fixing import FileChange, Fixes, diff, fixes, is_fixable
from sgmem.report.text import plural

if TYPE_CHECKING:
    from sgmem.queries.results.check import CheckResult
    from sgmem.source.tree import SourceTree


def show_diff(tree: SourceTree, result: CheckResult, *, unsafe: bool, quiet: bool) -> None:
    """Print what `--fix` would change as a unified diff; nothing is written."""
    found = fixes(tree, result.findings, unsafe=unsafe)
    write_stdout(sys.stdout, diff(found.changes, {path: file.uri for path, file in tree.files.items()}), utf8=True)
    if not quiet:
        tell(found, result, unsafe=unsafe, done="would be fixed")


def make_fixes(tree: SourceTree, result: CheckResult, *, unsafe: bool, quiet: bool) -> bool:
    """Write the fixes; whether anything was written. A file that is not as it was analysed is left alone."""
    found = fixes(tree, result.findings, unsafe=unsafe)
    refused = [change for change in found.changes if not written(change)]
    done = Fixes(
        tuple(change for change in found.changes if change not in refused),
        (*found.left, *((one, "the file changed meanwhile") for change in refused for one in change.findings)),
    )
    if not quiet:
        tell(done, result, unsafe=unsafe, done="fixed")
    return bool(done.changes)


def written(change: FileChange) -> bool:
    """Replace a file in one step, unless it changed since its fixes were worked out or cannot be written."""
    path = Path(change.place).resolve()
    try:
        if path.read_bytes() != change.before:
            return False
        replace(path, change.after)
    except OSError as error:
        say(f"cannot write {path}: {error.strerror or error}")
        return False
    return True


def tell(found: Fixes, result: CheckResult, *, unsafe: bool, done: str) -> None:
    """How many were fixed, which were not and why, and what else could be."""
    say(f"{plural(found.count, 'finding')} {done} in {plural(len(found.changes), 'file')}")
    for finding, why in found.left:
        say(f"not fixed: {finding.path}:{finding.line} {finding.rule}: {why}")
    more = sum(is_fixable(one, unsafe=True) and not is_fixable(one, unsafe=False) for one in result.findings)
    if more and not unsafe:
        say(f"{more} more with --unsafe-fixes, which may change what the program does")
