"""The bundled example as texts, and places in it by what stands there: the tests hold no line numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.queries.options import TraceOptions
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.queries.results.trace import Site, Trace

FOLDER = Path(__file__).parents[2] / "fixtures" / "classic"
PACKAGE = "minisgl"

ARGS = "minisgl/srt/server_args.py"
ENGINE = "minisgl/srt/entrypoints/engine.py"
WORKER = "minisgl/srt/managers/tp_worker.py"
SCHEDULER = "minisgl/srt/managers/scheduler.py"
RUNNER = "minisgl/srt/model_executor/model_runner.py"
MIXIN = "minisgl/srt/model_executor/kv_cache_mixin.py"
POOLS = "minisgl/srt/mem_cache/memory_pool.py"

Place = tuple[str, int]


def texts() -> dict[str, str]:
    return {file.relative_to(FOLDER).as_posix(): file.read_text() for file in sorted(FOLDER.rglob("*.py"))}


def run(program: Mapping[str, str], name: str = "mem_fraction_static", options: TraceOptions | None = None) -> Trace:
    tree = SourceTree.from_texts(program, package=PACKAGE if f"{PACKAGE}/__init__.py" in program else None)
    return trace(tree, name, options or TraceOptions())


def place(program: Mapping[str, str], path: str, code: str, nth: int = 1) -> Place:
    """The line of the `nth` occurrence of `code` in a file."""
    lines = [number for number, line in enumerate(program[path].splitlines(), start=1) if code in line]
    assert len(lines) >= nth, f"{path} has no {code!r}"
    return path, lines[nth - 1]


def at(result: Trace, where: Place, roles: Iterable[str] | None = None) -> list[Site]:
    """The sites that cover a place, in one of the roles if any are named."""
    path, line = where
    return [
        site
        for site in result.sites
        if site.path == path and site.line <= line <= site.end_line and (roles is None or site.role in roles)
    ]
