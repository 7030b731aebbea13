"""Writing results: whole files or none, and a stdout that may be closed or speak any encoding."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TextIO

from sgmem.config.errors import UsageError


def write_stdout(stdout: TextIO, text: str, *, utf8: bool) -> None:
    """Write `text`; as UTF-8 whatever the locale where `utf8` is set, else with what stdout cannot encode spelled out.

    A reader that has gone away (`| head`) is no error: the exit code still tells the result. Raises UsageError for any other
    failure, such as a full disk behind `>`.
    """
    encoding = "utf-8" if utf8 else stdout.encoding or "utf-8"
    raw = text.encode(encoding, "backslashreplace")
    binary = getattr(stdout, "buffer", None)
    try:
        stdout.flush()
        if binary is None:
            stdout.write(raw.decode(encoding))
        else:
            binary.write(raw)
        stdout.flush()
    except BrokenPipeError:
        discard(stdout)
    except OSError as error:
        discard(stdout)
        raise UsageError(f"cannot write to stdout: {error.strerror or error}") from error


def discard(stdout: TextIO) -> None:
    """Point a broken stdout to nowhere, so that the interpreter's last flush does not complain."""
    try:
        descriptor = stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def write_file(path: Path, text: str) -> None:
    """Write `text` as UTF-8; readers see the old file or the whole new one. Raises UsageError where it cannot."""
    raw = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)  # a pipe or a device cannot be replaced
        else:
            replace(path.resolve(), raw)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def replace(path: Path, raw: bytes) -> None:
    """Put `raw` at `path` in one step, with the permissions of the file that was there, or the usual ones."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
        Path(temporary).chmod(permissions(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def permissions(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
