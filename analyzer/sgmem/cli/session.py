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
from sgmem.config.load import Configuration, configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.cache.store import Store
    from sgmem.queries.results.trace import SourceInfo
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
    configuration: Configuration


class Opened(msgspec.Struct, frozen=True):
    """A source that is ready to be asked, the store of facts, and the way to show progress."""

    tree: SourceTree
    store: Store
    progress: Callable[[str], None] | None
    configuration: Configuration

    def other_state(self, reference: str) -> SourceTree:
        """The same source in another revision or release."""
        from sgmem.source.other_state import open_other_state

        settings = self.configuration.source_settings
        return open_other_state(self.tree, reference, working_folder=Path.cwd(), settings=settings, store=self.store)


def shared_options(
    kind: str,
    format_name: str | None,
    output: list[str] | None,
    config: Path | None,
    *,
    isolated: bool = False,
    source: str | None = None,
    package: str | None = None,
    strict: bool = False,
    **rest: Any,
) -> Shared:
    """Check the shared options of a command whose result is of this kind; what is not given is taken from the settings."""
    outputs = parse_outputs(kind, format_name, output or [])
    found = configuration(working_folder(), config, isolated=isolated)
    return Shared(
        outputs=outputs,
        source=source if source is not None else found.source,
        package=package if package is not None else found.settings.package,
        strict=strict or found.settings.strict,
        configuration=found,
        **rest,
    )


def working_folder() -> Path:
    """The working folder. Raises UsageError where it was removed meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the working folder does not exist any more") from error


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
            settings = shared.configuration.source_settings
            tree = open_source(shared.source, package=shared.package, working_folder=Path.cwd(), settings=settings, store=store)
            yield Opened(tree, store, callback, shared.configuration)
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
