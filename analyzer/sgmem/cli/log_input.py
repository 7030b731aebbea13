"""Opening a log and reconciling it with the source that is asked for."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from sgmem.cli.main import say
from sgmem.config.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.cli.session import Settled
    from sgmem.queries.results.reconcile import Reconciliation


@contextmanager
def opened_log(log: str) -> Iterator[tuple[BinaryIO, int, str]]:
    """The log as a stream, with its size and its name; stdin counts as large."""
    if log == "-":
        yield sys.stdin.buffer, 1 << 30, "stdin"
        return
    path = Path(log)
    try:
        if path.is_dir():
            raise UsageError(f"{log} is a folder", hint="name the log file itself")
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {log}: {getattr(error, 'strerror', None) or error}") from error
    with stream:
        yield stream, path.stat().st_size, log


def reconciled(stream: BinaryIO, size: int, name: str, settled: Settled, *, fetch: bool) -> Reconciliation:
    """The result, with the source that was named, else without one; with `fetch` with the one that the log is of."""
    from sgmem.queries.reconcile.query import reconcile

    if settled.source is None and settled.package is None:
        if not fetch:
            return reconcile(stream, size, name)
        if not stream.seekable():
            raise UsageError("--fetch needs a log that can be read twice", hint="save it to a file")
        first = reconcile(stream, size, name)
        release = next((boot.release.value for boot in first.boots if boot.release.value), None)
        if release is None:
            raise UsageError("the log does not tell its release", hint="name it: --source sglang==VERSION")
        if not settled.quiet:
            say(f"using sglang=={release}")
        settled = msgspec.structs.replace(settled, source=f"sglang=={release}")
        stream.seek(0)
    from sgmem.cli.session import opened

    with opened(settled) as session:
        return reconcile(stream, size, name, session.tree, session.store, session.progress)
