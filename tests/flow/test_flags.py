"""Flags of a parameter: declared, made from annotations, given on command lines."""

from __future__ import annotations

import pytest
from flow.small import MAIN, traced

MAKER = """
from typing import Annotated, get_type_hints


A = Annotated


def add_flags(parser, cls):
    for name, hint in get_type_hints(cls, include_extras=True).items():
        names = ["--" + name.replace("_", "-")]
        parser.add_argument(*names, help=hint.__metadata__[0])
"""

RECORD = """
from dataclasses import dataclass

from prog.maker import A, add_flags


def Help(text): ...


@dataclass
class Args:
    max_budget: A[
        float, {said}
    ] = 0.9
    limit: A[int, "how many"] = 1
"""


def flags(files: dict[str, str] | str, name: str = "max_budget") -> list[tuple[int, str | None, str]]:
    trace = traced(files, name)
    assert all(site.path == MAIN for site in trace.sites if site.slot.startswith("flag "))
    return [(site.line, site.note, site.role) for site in trace.sites if site.slot == "flag --max-budget"]


@pytest.mark.parametrize("said", ['"how much"', 'Help("how much")', '"how " + "much", "more"'])
def test_a_flag_that_is_made_from_an_annotation_has_a_site_there(said: str) -> None:
    found = flags({"maker": MAKER, "main": RECORD.format(said=said)})
    assert found == [(12, "the flag is made from this annotation", "declaration")]


def test_the_flag_leads_to_the_field() -> None:
    trace = traced({"maker": MAKER, "main": RECORD.format(said='"how much"')}, "max_budget")
    sites = {site.id: site for site in trace.sites}
    led = [sites[flow.target] for flow in trace.flows if sites[flow.source].slot.startswith("flag ")]
    assert [site.slot for site in led] == ["prog.main:Args.max_budget"]


@pytest.mark.parametrize(
    ("maker", "record"),
    [
        (MAKER, RECORD.format(said="3")),  # says nothing that a flag could be made of
        (MAKER, RECORD.format(said='"how much"').replace("A[\n        float, ", "dict[\n        float, ")),
        (MAKER.replace("parser.add_argument(*names", "parser.note(*names"), RECORD.format(said='"how much"')),
        (MAKER.replace("*names,", '"--other",'), RECORD.format(said='"how much"')),
        (MAKER.replace("get_type_hints", "hints").replace("__metadata__", "said"), RECORD.format(said='"how much"')),
    ],
)
def test_where_no_flags_are_made_of_annotations_there_is_none(maker: str, record: str) -> None:
    assert flags({"maker": maker, "main": record}) == []


@pytest.mark.parametrize("given", ['["--max-budget", "0.5"]', '("serve", "--max-budget", str(x))', '["--max-budget"]'])
def test_a_flag_on_a_command_line_is_handed_on(given: str) -> None:
    source = f"class Args:\n    max_budget = 1\ndef start(x):\n    launch({given})\n"
    assert flags(source) == [(4, "given on a command line", "pass")]


@pytest.mark.parametrize("given", ['["--max-budget-extra", "1"]', '"--max-budget 0.5"', '{"--max-budget": 1}', 'text("--max-budget")'])
def test_other_texts_are_no_command_lines(given: str) -> None:
    source = f"class Args:\n    max_budget = 1\ndef start(x):\n    launch({given})\n"
    assert [row for row in flags(source) if row[2] == "pass"] == []
