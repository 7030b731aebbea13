"""What every analysing command does around its query: check shared options, open the source, emit, set the code."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sgmem.cli.main import say
from sgmem.cli.outputs import Output, emit, parse_outputs
from sgmem.cli.progress import progress
from sgmem.config.errors import UsageError
from sgmem.config.load import Configuration, configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.cache.store import Store
    from sgmem.cli.shared import Given
    from sgmem.queries.results.trace import SourceInfo, Unreadable
    from sgmem.report.console import ColorMode
    from sgmem.source.tree import SourceTree

UNREADABLE = 2


class Settled(msgspec.Struct, frozen=True):
    """The shared options and the settings, put together; `outputs` is what `--format` and `-o` come to."""

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


def settle(given: Given, *, around: str | None = None) -> Settled:
    """Check the shared options; what is not given is taken from the settings.

    `around` is the source to take where none is given, whatever the settings name.
    """
    outputs = parse_outputs(given.kind, given.format_name, given.output or [])
    found = configuration(working_folder(), given.config, isolated=given.isolated)
    return Settled(
        outputs=outputs,
        source=first_given(given.source, around, found.source),
        package=first_given(given.package, found.settings.package),
        no_cache=given.no_cache,
        quiet=given.quiet,
        verbose=given.verbose,
        color=given.color,
        strict=given.strict or found.settings.strict,
        configuration=found,
    )


def first_given(*values: str | None) -> str | None:
    return next((value for value in values if value is not None), None)


def working_folder() -> Path:
    """The working folder. Raises UsageError where it was removed meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UsageError("the working folder does not exist any more") from error


@contextmanager
def opened(settled: Settled) -> Iterator[Opened]:
    """Open the source and the store; what the run learned is kept even if it is interrupted."""
    from sgmem.cache.store import NullStore, Store
    from sgmem.source.locate import open_source

    store = NullStore() if settled.no_cache else Store.open()
    try:
        with progress(quiet=settled.quiet) as callback:
            if callback is not None:
                callback("looking for the source")
            settings = settled.configuration.source_settings
            tree = open_source(settled.source, package=settled.package, working_folder=Path.cwd(), settings=settings, store=store)
            yield Opened(tree, store, callback, settled.configuration)
    finally:
        store.close()


def finish(result: object, source: SourceInfo, settled: Settled, code: int, **view: object) -> int:
    """Write the result to its outputs and return the exit code, which is the same in every format."""
    emit(result, settled.outputs, settled.color, sys.stdout, verbose=settled.verbose, **view)
    if not settled.quiet:
        for output in settled.outputs:
            if output.destination != "-":
                say(f"wrote {output.destination}")
        if any(output.format.name == "concise" for output in settled.outputs):  # the others tell it themselves
            for item in source.unreadable:
                say(_not_read(item))
    if source.unreadable and settled.strict:
        from sgmem.report.text import plural

        first, more = _not_read(source.unreadable[0]), len(source.unreadable) - 1
        others = f", nor {plural(more, 'other file')}" if more else ""
        say(f"error: {first}{others} (--strict)")
        return UNREADABLE
    return code


def _not_read(item: Unreadable) -> str:
    from sgmem.report.text import escape

    return f"not read: {escape(item.path)}: {escape(item.why)}"
