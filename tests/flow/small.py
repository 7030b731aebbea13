"""Small programs with their expectations as trailing comments: `#+` the trace has a site on this line, `#-` it has none."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from sgmem.flow.frontier import Budget
from sgmem.flow.seeds import Seeds
from sgmem.flow.slicer import Slicer
from sgmem.flow.wanted import Wanted
from sgmem.program.program import Program
from sgmem.queries.options import TraceOptions
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.queries.results.trace import Site, Trace

PACKAGE = "prog"
MAIN = f"{PACKAGE}/main.py"
Line = tuple[str, int]

_MARK = re.compile(r"#([+-])\s*$")


def texts(source: str | Mapping[str, str]) -> dict[str, str]:
    """The files of a program: one text is `prog/main.py`; names of several are relative to the package."""
    files = {"main": source} if isinstance(source, str) else source
    return {f"{PACKAGE}/__init__.py": ""} | {f"{PACKAGE}/{name}.py": dedent(text) for name, text in files.items()}


def tree_of(source: str | Mapping[str, str]) -> SourceTree:
    return SourceTree.from_texts(texts(source), package=PACKAGE)


def program_of(source: str | Mapping[str, str]) -> Program:
    tree = tree_of(source)
    return Program(tree, tuple(tree.files))


def sliced(source: str | Mapping[str, str], name: str = "budget", budget: Budget = Budget()) -> Slicer:
    """The forward slice of a name, without the rest of a trace."""
    slicer = Slicer(program_of(source), budget)
    wanted = Wanted(name)
    seeds = Seeds(slicer, wanted.bare)
    if wanted.is_qualified:
        seeds.wanted, _ = wanted.choose(slicer.program, seeds.bearers())
    seeds.plant()
    slicer.run()
    return slicer


def traced(source: str | Mapping[str, str], name: str = "budget", options: TraceOptions = TraceOptions()) -> Trace:
    return trace(tree_of(source), name, options)


def lines_of(sites: Iterable[Site]) -> set[Line]:
    return {(site.path, line) for site in sites for line in range(site.line, site.end_line + 1)}


def slice_lines(slicer: Slicer) -> set[Line]:
    spans = [(key.file.path, key.span) for key in slicer.slice.sites]
    return {(path, line) for path, span in spans for line in range(span.line, span.end_line + 1)}


def marked(source: str | Mapping[str, str]) -> tuple[set[Line], set[Line]]:
    """The lines that must be reached and those that must not."""
    found: dict[str, set[Line]] = {"+": set(), "-": set()}
    for path, text in texts(source).items():
        for number, line in enumerate(text.splitlines(), 1):
            if mark := _MARK.search(line):
                found[mark.group(1)].add((path, number))
    return found["+"], found["-"]


def assert_marks(source: str | Mapping[str, str], covered: set[Line]) -> None:
    """Every `#+` is covered and no `#-` is."""
    wanted, unwanted = marked(source)
    assert wanted or unwanted, "the program marks nothing"
    assert not [shown(source, line) for line in sorted(wanted - covered)], "not reached"
    assert not [shown(source, line) for line in sorted(unwanted & covered)], "reached, but nothing flows there"


def shown(source: str | Mapping[str, str], line: Line) -> str:
    return f"{line[0]}:{line[1]}: {texts(source)[line[0]].splitlines()[line[1] - 1].strip()}"


def line_of(source: str | Mapping[str, str], code: str, name: str = "main") -> Line:
    """The only line that holds `code`."""
    path = f"{PACKAGE}/{name}.py"
    found = [number for number, line in enumerate(texts(source)[path].splitlines(), 1) if code in line]
    assert len(found) == 1, (code, found)
    return path, found[0]


def at(result: Trace, line: Line, *roles: str) -> list[Site]:
    """The sites that cover a line, in one of the roles if any are named."""
    path, number = line
    return [
        site
        for site in result.sites
        if site.path == path and site.line <= number <= site.end_line and (not roles or site.role in roles)
    ]


def told(slicer: Slicer) -> list[str]:
    """The budgets that stopped a slice, as it reports them."""
    return [why for _, _, why in slicer.slice.unresolved if "could not be resolved" not in why]
