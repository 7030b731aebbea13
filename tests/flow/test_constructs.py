"""Every construct under `fixtures/constructs`: the trace finds the flow that is there, and not the twin's.

The expectations are the trailing comments of the fixtures; `fixtures/constructs/__init__.py` explains them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from sgmem.queries.options import TraceOptions
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDER = FIXTURES / "constructs"
MARKS = {"from", "reached", "not-reached", "write"}
WRITING = {"write", "store", "declaration"}

_COMMENT = re.compile(r"#\s*((?:from|reached|not-reached|write)(?:\s*,\s*[a-z-]+)*)\s*$")
_QUERY = re.compile(r"^# query: (\S+)$", re.MULTILINE)


class Construct(msgspec.Struct, frozen=True):
    """A small program with its expectations; `expected` maps a mark to the (path, line) pairs that bear it."""

    name: str
    query: str
    texts: dict[str, str]
    expected: dict[str, list[tuple[str, int]]]


def _constructs() -> list[str]:
    return sorted(entry.stem for entry in FOLDER.iterdir() if not entry.name.startswith(("__", ".")))


def _load(name: str) -> Construct:
    folder = FOLDER / name
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [FOLDER / f"{name}.py"]
    texts = {file.relative_to(FIXTURES).as_posix(): file.read_text() for file in files}
    expected: dict[str, list[tuple[str, int]]] = {mark: [] for mark in MARKS}
    query = "budget"
    for path, text in texts.items():
        if named := _QUERY.search(text):
            query = named.group(1)
        for number, line in enumerate(text.splitlines(), start=1):
            if marked := _COMMENT.search(line):
                for mark in re.split(r"\s*,\s*", marked.group(1)):
                    expected[mark].append((path, number))
    return Construct(name, query, {"constructs/__init__.py": "", **texts}, expected)


def _trace(construct: Construct) -> Trace:
    tree = SourceTree.from_texts(construct.texts, package="constructs")
    return trace(tree, construct.query, TraceOptions(hops="all"))


def _covered(result: Trace, roles: set[str] | None = None) -> set[tuple[str, int]]:
    return {
        (site.path, line)
        for site in result.sites
        if roles is None or site.role in roles
        for line in range(site.line, site.end_line + 1)
    }


def _shown(construct: Construct, places: list[tuple[str, int]]) -> str:
    return "\n".join(f"{path}:{line}: {construct.texts[path].splitlines()[line - 1].strip()}" for path, line in places)


@pytest.mark.parametrize("name", _constructs())
def test_every_flow_of_the_construct_is_found(name: str) -> None:
    construct = _load(name)
    covered = _covered(_trace(construct))
    missed = [place for place in construct.expected["reached"] + construct.expected["from"] if place not in covered]
    assert not missed, f"not reached:\n{_shown(construct, missed)}"


@pytest.mark.parametrize("name", _constructs())
def test_the_twin_without_a_flow_stays_out(name: str) -> None:
    construct = _load(name)
    covered = _covered(_trace(construct))
    wrong = [place for place in construct.expected["not-reached"] if place in covered]
    assert not wrong, f"reached, but nothing flows there:\n{_shown(construct, wrong)}"


@pytest.mark.parametrize("name", [name for name in _constructs() if _load(name).expected["write"]])
def test_every_write_is_reported_as_a_write(name: str) -> None:
    construct = _load(name)
    writes = _covered(_trace(construct), WRITING)
    missed = [place for place in construct.expected["write"] if place not in writes]
    assert not missed, f"no write reported:\n{_shown(construct, missed)}"


@pytest.mark.parametrize("name", _constructs())
def test_the_fixture_marks_a_flow_and_a_twin(name: str) -> None:
    """A fixture without both proves nothing."""
    expected = _load(name).expected
    assert expected["from"]
    assert expected["reached"] or expected["write"]
    assert expected["not-reached"]
