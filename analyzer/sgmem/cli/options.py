"""The options that commands share, each with its help."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Confidence = Literal["low", "medium", "high"]
Color = Literal["auto", "always", "never"]

Source = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="SOURCE",
        help="What to analyse: a folder, REV: or REV:path of the repository here, or package==version. "
        "By default the sglang in this folder, else an installed one.",
    ),
]
Package = Annotated[
    str | None, typer.Option(metavar="NAME", help="The package to analyse, where a source holds several or is unusual.")
]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Read the settings from this file, not the nearest sgmem.toml or pyproject.toml."),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Look at no settings but those of --config, and at no variable.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep facts of earlier runs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show code and lists in full.")]
ColorOption = Annotated[Color, typer.Option("--color", help="NO_COLOR and FORCE_COLOR are obeyed too.")]
MinConfidence = Annotated[Confidence | None, typer.Option(help="Leave out what is less certain.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 2 where a file of the source could not be read.")]
