"""What a run is doing, on stderr and only where someone watches."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from sgmem.report.console import is_terminal, width_of
from sgmem.report.text import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FRAMES = "|/-\\"
INTERVAL = 0.08
"""Seconds between two updates: no faster than the eye, so that progress costs nothing."""


class Spinner:
    """One line that is rewritten as the work goes on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.turn = 0
        self.last = 0.0
        self.shown = False

    def __call__(self, message: str) -> None:
        now = time.monotonic()
        if self.shown and now - self.last < INTERVAL:
            return
        self.last, self.shown = now, True
        self.turn += 1
        line = f"{FRAMES[self.turn % len(FRAMES)]} {escape(message)}"[: width_of(self.stream, {}) - 1]
        self.write(f"\r\x1b[2K{line}")

    def clear(self) -> None:
        if self.shown:
            self.write("\r\x1b[2K")

    def write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):
            return


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Give the callback that shows a stage, or None where nobody would see it."""
    if quiet or not is_terminal(sys.stderr):
        yield None
        return
    spinner = Spinner(sys.stderr)
    try:
        yield spinner
    finally:
        spinner.clear()
