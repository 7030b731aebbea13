"""What late-guard tells beyond its page: which use is named."""

from __future__ import annotations

from textwrap import dedent

from sgmem.findings.finding import Finding, Persona
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree


def findings(source: str, persona: Persona) -> tuple[Finding, ...]:
    tree = SourceTree.from_texts({"serving/__init__.py": "", "serving/case.py": dedent(source)})
    return check(tree, [], CheckOptions(select=("late-guard",), persona=persona)).findings


def test_the_steps_lead_from_the_value_to_the_check_by_its_use() -> None:
    source = """
        import torch

        def split(amount_bytes, parts):
            return amount_bytes // parts

        def share(ranks):
            free_bytes = torch.cuda.mem_get_info()[0]
            count = len(ranks)
            part_bytes = split(free_bytes, count)
            if count == 0:
                raise ValueError("no rank")
            return part_bytes
    """
    (found,) = findings(source, "regular")
    assert [(step.line, step.message.split(";")[0]) for step in found.steps] == [
        (9, "count gets its value here"),
        (10, "it is handed on to split"),
        (5, "parts divides here"),
        (11, "the check comes behind it on every way"),
    ]
