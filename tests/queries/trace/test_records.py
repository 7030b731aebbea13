"""Which of several records that declare a name is taken for its home."""

from __future__ import annotations

import pytest
from flow.small import traced

from sgmem.queries.options import TraceOptions
from sgmem.report.trace.relevance import Relevance

SERVER = """
    from dataclasses import dataclass
    from prog.fields import Parallel

    {decorator}
    class ServerArgs{bases}:
        mem_fraction_static: float = 0.9
        {field}


    def start(args: ServerArgs):
        show(args.ranks)
"""
OTHERS = """
    from dataclasses import dataclass


    @dataclass
    class ImageArgs:
        ranks: int = 1
        width: int = 2
        height: int = 3


    def adjust(args: ImageArgs):
        args.ranks = 2
        args.ranks = 3
        args.ranks = 4
        show(args.ranks)
"""
FIELDS = """
    class Parallel:
        ranks: int = 1
"""


def program(**words: str) -> dict[str, str]:
    return {"server": SERVER.format(**words), "image": OTHERS, "fields": FIELDS}


OWN = {"decorator": "@dataclass", "bases": "", "field": "ranks: int = 1"}
INHERITED = {"decorator": "@dataclass", "bases": "(Parallel)", "field": "pages: int = 1"}
UNRELATED = {"decorator": "@dataclass", "bases": "", "field": "pages: int = 1"}


@pytest.mark.parametrize(
    ("words", "home"), [(OWN, "prog.server:ServerArgs.ranks"), (INHERITED, "prog.fields:Parallel.ranks"), (UNRELATED, None)]
)
def test_the_record_with_an_anchor_is_the_home(words: dict[str, str], home: str | None) -> None:
    result = traced(program(**words), "ranks", TraceOptions())
    assert result.home == home
    assert "prog.image:ImageArgs.ranks" in result.records
    if home is not None:
        assert Relevance(result).home_slot == home


def test_another_anchor_chooses_another_record() -> None:
    result = traced(program(**OWN), "ranks", TraceOptions(anchors=("width",)))
    assert (result.home, result.records) == ("prog.image:ImageArgs.ranks", ("prog.server:ServerArgs.ranks",))
