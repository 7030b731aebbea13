"""What late-guard tells beyond its page: which use is named, and who is shown a check of what was calculated from a budget."""

from __future__ import annotations

from textwrap import dedent

import pytest

from sgmem.findings.finding import Finding, Persona
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree

BUDGET = """
    import dataclasses
    import torch

    @dataclasses.dataclass
    class ServerArgs:
        mem_fraction_static: float = 0.9

    class Runner:
        def __init__(self, server_args: ServerArgs):
            self.share = server_args.mem_fraction_static
            self.total_gb = torch.cuda.mem_get_info()[0] / (1 << 30)

        def size(self, cell_bytes):
            rest_gb = torch.cuda.mem_get_info()[0] / (1 << 30) - self.total_gb * (1 - self.share)
            self.max_total_num_tokens = int(rest_gb * (1 << 30)) // cell_bytes
            {between}
            if self.max_total_num_tokens <= 0:
                raise RuntimeError("not enough memory")
"""


def findings(source: str, persona: Persona) -> tuple[Finding, ...]:
    tree = SourceTree.from_texts({"serving/__init__.py": "", "serving/case.py": dedent(source)})
    return check(tree, [], CheckOptions(select=("late-guard",), persona=persona)).findings


@pytest.mark.parametrize(
    ("between", "persona", "found"),
    [
        ("pass", "regular", 0),
        ("pass", "pedantic", 1),
        ("self.pool = torch.empty(self.max_total_num_tokens)", "regular", 1),
        ("if rest_gb < 0: raise ValueError(rest_gb)", "pedantic", 0),
    ],
)
def test_a_count_that_is_only_kept_until_its_check_is_for_the_pedantic(between: str, persona: Persona, found: int) -> None:
    assert len(findings(BUDGET.format(between=between), persona)) == found


def test_a_check_of_the_budget_itself_is_in_time() -> None:
    checked = BUDGET.replace(
        "self.max_total_num_tokens = ", "if rest_gb <= 0: raise ValueError(rest_gb)\n            self.max_total_num_tokens = "
    )
    assert not findings(checked.format(between="self.pool = torch.empty(self.max_total_num_tokens)"), "pedantic")


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
