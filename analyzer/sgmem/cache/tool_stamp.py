"""A name for the code that computes facts: facts of other code must not be found."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE = Path(__file__).resolve().parent.parent
_DATA_SUFFIXES = (".py", ".toml")
_PARSER = "libcst"


@cache
def tool_stamp() -> str:
    """16 hex digits that change with the version of sgmem, Python and the parser, and with every edit of sgmem itself.

    The last matters to whoever works on sgmem: an editable install keeps its version while its code changes.
    """
    stamp = hashlib.blake2b(f"{__version__} {sys.implementation.cache_tag}".encode(), digest_size=8)
    for line in sorted(_states(str(_PACKAGE))):
        stamp.update(os.fsencode(line))
    stamp.update(_parser_state().encode())
    return stamp.hexdigest()


def _states(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            children = list(entries)
    except OSError:
        return
    for entry in children:
        if entry.name.endswith(_DATA_SUFFIXES):
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns}\n"
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _states(entry.path)


def _parser_state() -> str:
    """Found, not imported: importing it takes longer than many a whole run."""
    spec = importlib.util.find_spec(_PARSER)
    if spec is None or spec.origin is None:
        return ""
    try:
        return f"{spec.origin} {Path(spec.origin).stat().st_mtime_ns}"
    except OSError:
        return spec.origin
