"""`--format` and `-o`: which formats go where, checked before any work is done."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sgmem.cli.write import write_file, write_stdout
from sgmem.config.errors import UsageError
from sgmem.report.console import view_of
from sgmem.report.registry import Format, find_format, format_names
from sgmem.report.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from sgmem.report.console import ColorMode

STDOUT = "-"
SHOWN = 200


class Output(msgspec.Struct, frozen=True):
    """One format and its destination, "-" for stdout."""

    format: Format
    destination: str


def parse_outputs(kind: str, format_name: str | None, specs: Sequence[str]) -> list[Output]:
    """Read the options of a command whose result is of this kind; without any, the default format goes to stdout.

    Raises UsageError for an unknown format, a bad spec, a folder that does not exist, or one destination named twice.
    """
    outputs = [] if format_name is None else [Output(known_format(kind, format_name), STDOUT)]
    for spec in specs:
        name, colon, destination = spec.partition(":")
        if not colon or not destination:
            names = ", ".join(format_names(kind))
            raise UsageError(f"-o {spec}: expected FORMAT:DEST", hint=f"formats are {names}; DEST - is stdout")
        outputs.append(Output(known_format(kind, name), destination))
    places = [place(output.destination) for output in outputs]
    for output in outputs:
        check_destination(output.destination, places.count(place(output.destination)))
    return outputs or [Output(known_format(kind, format_names(kind)[0]), STDOUT)]


def known_format(kind: str, name: str) -> Format:
    found = find_format(kind, name)
    if found is None:
        raise UsageError(f"unknown format {name!r}", hint=f"{kind} knows {', '.join(format_names(kind))}")
    return found


def place(destination: str) -> str:
    """What two destinations have in common that are one file: `a.json` and `./a.json`, a link and what it points to.

    Raises UsageError for what no file can be called.
    """
    if destination == STDOUT:
        return STDOUT
    try:
        return str(Path(destination).resolve())
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a null byte
        raise UsageError(f"cannot write {shortened(destination)}: {getattr(error, 'strerror', None) or error}") from error


def shortened(text: str) -> str:
    """A text as an error may show it: one that is endless is cut."""
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def check_destination(destination: str, uses: int) -> None:
    if uses > 1:
        where = "stdout" if destination == STDOUT else destination
        raise UsageError(f"two formats are to be written to {where}", hint="give each its own -o FORMAT:DEST")
    if destination == STDOUT:
        return
    path = Path(destination)
    try:
        if not path.parent.is_dir():
            raise UsageError(f"cannot write {shortened(destination)}: no such folder")
        if path.is_dir():
            raise UsageError(f"cannot write {shortened(destination)}: it is a folder")
        with contextlib.suppress(FileNotFoundError):
            path.lstat()  # `exists` of newer Pythons says no of a name that no file can have
    except OSError as error:  # a name that is too long
        raise UsageError(f"cannot write {shortened(destination)}: {error.strerror or error}") from error


def emit(result: object, outputs: Sequence[Output], color: ColorMode, stdout: TextIO, **view: object) -> None:
    """Render `result` to every output; `view` are fields of `View` that the command set."""
    for output in outputs:
        if output.destination == STDOUT:
            shown = msgspec.structs.replace(view_of(stdout, color), **view)
            write_stdout(stdout, output.format.render(result, shown), utf8=not output.format.for_people)
        else:
            plain = View(width=view_of(stdout, color).width, color=color == "always")
            shown = msgspec.structs.replace(plain, **view)
            write_file(Path(output.destination), output.format.render(result, shown))
