"""The options that the analysing commands share: declared once, added to the options of each command."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from sgmem.cli import completion, options
from sgmem.report.registry import format_names

Command = Callable[..., int]


class Given(msgspec.Struct, frozen=True):
    """What was given for the shared options, before settings fill the gaps; `kind` is the kind of the command's result."""

    kind: str
    source: str | None = None
    package: str | None = None
    format_name: str | None = None
    output: list[str] | None = None
    config: Path | None = None
    isolated: bool = False
    no_cache: bool = False
    color: options.Color = "auto"
    quiet: bool = False
    verbose: bool = False
    strict: bool = False


def reporting(kind: str) -> Callable[[Command], Command]:
    """For a command that analyses a source and reports a result of this kind in a format that can be chosen."""
    format_option = typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        autocompletion=completion.formats(kind),
        help=f"One of: {', '.join(format_names(kind))}. The same as -o FORMAT:-.",
    )

    output_option = typer.Option(
        "--output",
        "-o",
        metavar="FORMAT:DEST",
        autocompletion=completion.outputs(kind),
        help="Write FORMAT to DEST (- is stdout). May be repeated; replaces the default output.",
    )

    def declared(
        source: options.Source = None,
        package: options.Package = None,
        format_name: Annotated[str | None, format_option] = None,
        output: Annotated[list[str] | None, output_option] = None,
        config: options.Config = None,
        isolated: options.Isolated = False,
        no_cache: options.NoCache = False,
        color: options.ColorOption = "auto",
        quiet: options.Quiet = False,
        verbose: options.Verbose = False,
        strict: options.Strict = False,
        debug: options.Debug = False,
    ) -> None: ...

    return with_options_of(declared, kind)


def analysing(kind: str) -> Callable[[Command], Command]:
    """For a command that analyses a source and has one way to say what came out."""

    def declared(
        source: options.Source = None,
        package: options.Package = None,
        config: options.Config = None,
        isolated: options.Isolated = False,
        no_cache: options.NoCache = False,
        quiet: options.Quiet = False,
        debug: options.Debug = False,
    ) -> None: ...

    return with_options_of(declared, kind)


def with_options_of(declared: Callable[..., None], kind: str) -> Callable[[Command], Command]:
    """Let a command whose parameter `shared` takes a `Given` be called with the options of `declared` instead."""
    added = inspect.signature(declared).parameters

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(**values: Any) -> int:
            given = {name: values.pop(name) for name in added if name in values}
            given.pop("debug", None)  # the entry point reads it from the command line, before anything can fail
            return command(**values, shared=Given(kind, **given))

        own = [one for one in inspect.signature(command).parameters.values() if one.name != "shared"]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in [*own, *added.values()]]
        called.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
        return called

    return decorate
