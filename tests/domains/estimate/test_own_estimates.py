"""What a class allocates beside the bytes per token that it gives itself."""

from __future__ import annotations

from domains.programs import facts_of

POOL = """
import torch

class Pool:
    def __init__(self, size, model):
        self.size = size
        self.rows = model.rows
        self.width = model.width
        self.size_per_token = {estimate}
        self.buffer = torch.zeros((self.rows, self.size + 1, self.width), dtype=torch.uint8)
{more}
"""


def missing(estimate: str, more: str = "") -> list[tuple[str, str]]:
    found = facts_of(POOL.format(estimate=estimate, more=more)).books.own_uncharged
    return [(one.owner, one.name) for one in found]


def test_a_field_of_bytes_that_leaves_a_dimension_out() -> None:
    assert missing("self.width * 2") == [("Pool", "rows")]


def test_both_dimensions_are_charged_under_another_name() -> None:
    assert missing("model.rows * model.width * 2") == []


def test_an_amount_that_charges_nothing_of_the_buffer_is_of_something_else() -> None:
    assert missing("model.depth * 2") == []


def test_a_function_that_cannot_be_followed_may_charge_anything() -> None:
    assert missing("row_bytes(model) * self.width") == []


def test_what_a_subclass_adds_to_the_buffers_counts_against_the_inherited_estimate() -> None:
    more = """
class Wide(Pool):
    def add(self, planes):
        self.more = torch.zeros((planes, self.rows, self.size, self.width), dtype=torch.uint8)
"""
    assert missing("self.width * self.rows", more) == [("Wide", "planes")]
