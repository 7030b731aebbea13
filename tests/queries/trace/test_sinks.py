"""What the parameter sizes: arguments of pools and allocations, whether it comes as it is or computed."""

from __future__ import annotations

from flow.small import at, line_of, sliced, traced

SIZED = """
import torch

class Pool:
    def __init__(self, size, page):
        self.table = torch.zeros((size + page, 8), dtype=torch.int32)  # the pool's own
        self.filled = torch.full((4,), size)
        self.like = self.table.new_empty(size, 2)

class SlotAllocator:
    def __init__(self, size, budget):
        self.size = size

class Report:
    def __init__(self, size):
        self.size = size

def build(budget: int):
    pool = Pool(budget, 1)
    slots = SlotAllocator(budget // 2, budget)
    report = Report(budget)
    torch.zeros(4, budget, device=budget.device)
    torch.zeros(4, device=budget)
    return pool, slots, report
"""


def sinks(code: str) -> list[tuple[str | None, bool, str | None]]:
    """The slot of every sink at a line, whether it is derived, and what it makes."""
    found = at(traced(SIZED), line_of(SIZED, code), "sink")
    return [(site.slot, site.derived, site.kind) for site in found]


def test_a_pool_that_takes_the_parameter_is_a_sink() -> None:
    assert sinks("pool = Pool(") == [("prog.main:Pool.__init__.size", False, "pool")]


def test_an_allocation_inside_the_pool_is_a_sink() -> None:
    assert sinks("torch.zeros((size") == [("torch.zeros.size", True, "pool")]
    assert sinks("self.table.new_empty(") == [("self.table.new_empty.size", False, "pool")]


def test_a_shape_may_be_several_arguments() -> None:
    assert sinks("torch.zeros(4, budget") == [("torch.zeros.size", False, "tensor")]


def test_a_parameter_of_the_same_name_only_hands_it_on() -> None:
    assert sinks("slots = SlotAllocator(") == [("prog.main:SlotAllocator.__init__.size", True, "allocator")]


def test_what_fills_a_tensor_or_is_no_pool_is_none() -> None:
    assert sinks("self.filled = torch.full") == []
    assert sinks("report = Report(") == []
    assert sinks("torch.zeros(4, device=budget)") == []


def test_sinks_take_no_room_from_what_is_followed() -> None:
    """They stand beside the sites of their arguments; the limit on places counts those."""
    found = sliced(SIZED).slice
    assert found.places == sum(key.role != "sink" for key in found.sites)
