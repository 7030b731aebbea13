"""Quantities that are worked out of another before a later call replaces that."""

from __future__ import annotations

from domains.programs import facts_of

from sgmem.domains.defects.order.early_reads import early_reads

RUNNER = """
class Runner:
    def __init__(self, context):
        self.max_total_num_tokens = self.profile()
        {first}
        {second}
        self.req_pool_size = reqs

    def requests(self, context):
        return int(self.max_total_num_tokens / context * 512)

    def split(self):
        self.max_total_num_tokens = self.max_total_num_tokens * 4 // 5
"""
WORKED_OUT = "reqs = int(self.max_total_num_tokens / context * 512)"


def found(first: str, second: str) -> list[tuple[str, bool]]:
    return [(one.kept, one.own) for one in early_reads(facts_of(RUNNER.format(first=first, second=second)))]


def test_what_a_function_works_out_before_it_calls_what_changes_the_quantity() -> None:
    assert found(WORKED_OUT, "self.split()") == [("req_pool_size", True)]


def test_what_it_works_out_afterwards_fits() -> None:
    assert found("self.split()", WORKED_OUT) == []
