"""What every analysing command does around its query: check shared options, open the source, emit, set the code."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.cli.main import say
from sgmem.cli.outputs import Output, emit, parse_outputs
from sgmem.cli.progress import progress
from sgmem.config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.cache.store import Store
    from sgmem.queries.results import SourceInfo
    from sgmem.report.console import ColorMode
    from sgmem.source.tree import SourceTree

UNREADABLE = 2


class Shared(msgspec.Struct, frozen=True):
    """The values of the options that commands share; `outputs` is what `--format` and `-o` come to."""

    outputs: list[Output]
    source: str | None
    package: str | None
    no_cache: bool
    quiet: bool
    verbose: bool
    color: ColorMode
    strict: bool


class Opened(msgspec.Struct, frozen=True):
    """A source that is ready to be asked, the store of facts, and the way to show progress."""

    tree: SourceTree
    store: Store
    progress: Callable[[str], None] | None


def shared_options(kind: str, format_name: str | None, output: list[str] | None, config: Path | None, **rest: Any) -> Shared:
    """Check the shared options of a command whose result is of this kind."""
    shared = Shared(outputs=parse_outputs(kind, format_name, output or []), **rest)
    if config is not None:
        if not config.is_file():
            raise UsageError(f"no such file: {config}")
        if not shared.quiet:
            say("note: no command uses a setting of --config yet")
    return shared


@contextmanager
def opened(shared: Shared) -> Iterator[Opened]:
    """Open the source and the store; what the run learned is kept even if it is interrupted."""
    from sgmem.cache.store import NullStore, Store
    from sgmem.source.locate import open_source

    store = NullStore() if shared.no_cache else Store.open()
    try:
        with progress(quiet=shared.quiet) as callback:
            if callback is not None:
                callback("looking for the source")
            tree = open_source(shared.source, package=shared.package, working_folder=Path.cwd(), store=store)
            yield Opened(tree, store, callback)
    finally:
        store.close()


def finish(result: object, source: SourceInfo, shared: Shared, code: int, **view: object) -> int:
    """Write the result to its outputs and return the exit code, which is the same in every format."""
    emit(result, shared.outputs, shared.color, sys.stdout, verbose=shared.verbose, **view)
    if not shared.quiet:
        for output in shared.outputs:
            if output.destination != "-":
                say(f"wrote {output.destination}")
    if source.unreadable and shared.strict:
        say(f"error: {len(source.unreadable)} files of the source could not be read (--strict)")
        return UNREADABLE
    return code
