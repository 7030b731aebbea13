"""The entry point: a fast `--version`, and every error as one line with its exit code."""

from __future__ import annotations

import atexit
import gc
import os
import sys

INTERRUPTED = 130
CANDIDATES_SHOWN = 20


def run() -> int:
    """Run the command line and return its exit code: 0 clean, 1 findings, 2 an error, 3 nothing analysed or found."""
    open_closed_streams()
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        return print_version()
    # A run is short and its trees hold no cycles: collecting them costs a quarter of the time and frees nothing.
    gc.disable()
    atexit.register(gc.freeze)  # nor is there a use in looking for garbage when the process ends
    try:
        from sgmem.cli.app import invoke

        return invoke(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return report(error, debug="--debug" in arguments)


def open_closed_streams() -> None:
    """Give stdin, stdout and stderr a place where the caller closed them (`>&-`): else the next file that is opened would take
    their number, and what is said on stderr would be printed among the results."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            while (descriptor := os.open(os.devnull, os.O_RDWR)) < number:
                continue
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


def print_version() -> int:
    """Print the version without importing anything heavy: editors and hooks ask often."""
    from sgmem.version import __version__

    try:
        print(f"sgmem {__version__}", flush=True)
    except OSError:
        return 2
    return 0


def report(error: Exception, *, debug: bool) -> int:
    """Say on stderr what went wrong, in one line and a hint, and return the exit code; a traceback if asked for."""
    from sgmem.config.errors import NothingAnalysed, SgmemError

    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SgmemError):
        say(f"error: {error.message}")
        if isinstance(error, NothingAnalysed):
            list_candidates(error.candidates)
        if error.hint:
            say(f"hint: {error.hint}")
        return error.exit_code
    if isinstance(error, OSError) and error.filename is not None:
        # A path that was named, or lies around one, and may not even be looked at.
        say(f"error: {os.fsdecode(error.filename)}: {error.strerror or type(error).__name__}")
        return 2
    remedy = "" if debug else " (run with --debug for the traceback)"
    say(f"internal error: {type(error).__name__}: {error}{remedy}")
    return 2


def list_candidates(candidates: tuple[str, ...]) -> None:
    """List what could have been meant."""
    for candidate in candidates[:CANDIDATES_SHOWN]:
        say(f"  {candidate}")
    if len(candidates) > CANDIDATES_SHOWN:
        say(f"  ... and {len(candidates) - CANDIDATES_SHOWN} more")


def say(text: str) -> None:
    """Write one line to stderr; names in it may come from the analysed source."""
    from sgmem.report.text import escape

    try:
        print(escape(text), file=sys.stderr)
    except OSError:
        return
