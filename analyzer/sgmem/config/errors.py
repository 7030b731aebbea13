"""The errors that end a run with one clear line, and the exit code each stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class SgmemError(Exception):
    """A run cannot go on. The message is one line that names what is wrong; `hint`, if any, says what to do instead."""

    exit_code: int = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SgmemError):
    """What was asked for does not make sense: a path that is missing, a bad option, a broken configuration."""


class NothingAnalysed(SgmemError):
    """Nothing to look at, or NAME was not found or is ambiguous; `candidates` are what could have been meant."""

    exit_code = 3

    def __init__(self, message: str, *, hint: str | None = None, candidates: Iterable[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.candidates: tuple[str, ...] = tuple(candidates)
