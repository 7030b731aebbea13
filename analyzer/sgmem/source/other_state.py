"""Another state of a source that is open: the same package in a revision of its repository, or in a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.source.locate import open_source
from sgmem.source.names import printable
from sgmem.source.uri import repository_root

if TYPE_CHECKING:
    from sgmem.cache.store import Store
    from sgmem.config.settings import SourceSettings
    from sgmem.source.tree import SourceTree


def open_other_state(tree: SourceTree, reference: str, *, working_folder: Path, settings: SourceSettings, store: Store) -> SourceTree:
    """The source that `reference` names: a revision of the repository of `tree`, or anything that `open_source` takes.

    In a revision, the package is looked for where it is now, then anywhere. Raises UsageError, NothingAnalysed.
    """
    if "==" in reference or ":" in reference or (working_folder / reference).is_dir():
        return open_source(reference, working_folder=working_folder, settings=settings, store=store)
    folder = _holder(tree, working_folder)
    root = repository_root(folder)
    if root is None:
        raise UsageError(f"{printable(str(folder))} is in no git repository, so it has no revision {printable(reference)}")
    below = folder.resolve().relative_to(root.resolve()).as_posix()
    package = tree.package or None
    if below != ".":
        try:
            return open_source(f"{reference}:{below}", package=package, working_folder=root, settings=settings, store=store)
        except (UsageError, NothingAnalysed) as error:
            if not isinstance(error, NothingAnalysed) and "does not exist" not in error.message:
                raise
    return open_source(f"{reference}:", package=package, working_folder=root, settings=settings, store=store)


def _holder(tree: SourceTree, working_folder: Path) -> Path:
    """The folder that holds the package on disk; the working folder where the source is none."""
    folder = Path(tree.root)
    return folder if folder.is_absolute() and folder.is_dir() else working_folder
