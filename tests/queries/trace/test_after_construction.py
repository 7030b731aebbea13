"""What writes a field once its owner is there: assignments, and writes by name into a bag."""

from __future__ import annotations

import pytest
from flow.small import traced

BAG = """
class Bag:
    def __init__(self):
        self.max_budget = 1

    def _set(self, name, value):
        object.__setattr__(self, name, value)


class Context:
    def __init__(self):
        self.bag = Bag()

    def override(self, source: str, **fields):
        for name, value in fields.items():
            self.bag._set(name, value)


CONTEXT = Context()
"""


def verdicts(source: str) -> dict[str, tuple[str, list[int]]]:
    trace = traced(BAG + source, "max_budget")
    lines = {site.id: site.line for site in trace.sites}
    return {row.slot.rpartition(":")[2]: (row.verdict, [lines[one] for one in row.sites]) for row in trace.after_construction}


def test_a_bag_that_is_overridden_by_name_later_is_written_after_construction() -> None:
    found = verdicts("def later(value):\n    CONTEXT.override('later', max_budget=value)\n")
    assert found["Bag.max_budget"] == ("some", [len(BAG.splitlines()) + 2])


@pytest.mark.parametrize("call", ["CONTEXT.override('later', other=value)", "print('later', dict(max_budget=value))"])
def test_other_names_and_other_calls_leave_it_alone(call: str) -> None:
    assert verdicts(f"def later(value):\n    {call}\n")["Bag.max_budget"] == ("none", [])
