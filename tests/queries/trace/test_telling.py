"""In a trace of many formulas those stay that say something of memory; the others are counted, and nothing of the parameter is lost."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from flow.small import at, line_of, traced

from sgmem.queries.options import TraceOptions
from sgmem.queries.trace.formulas import ENOUGH

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

MANY = "".join(f"    at_{number} = place // page\n" for number in range(ENOUGH))

PROGRAM = f"""\
import torch
import triton

class Args:
    page: int = 1

class RowPool:
    def __init__(self, size, rows):
        self.size = size
        self.groups = size

    def fill(self, args: Args, size):
        buffer_size = size - args.page
        offset = size - args.page
        return buffer_size, offset

    def shapes(self, args: Args, size):
        lines = size + args.page
        return (lines, 2), (lines, 4)

def number_of_pages(args: Args, size):
    return round_up(size + args.page)

class Planner:
    def __init__(self, args: Args, heads):
        self.page = args.page
        self.width = heads // self.page
        self.rows = heads * self.page
        self.row_width = heads + self.page

    def build(self, place, total):
        shift = place % self.page
        show(shift)
        if total % self.page:
            raise ValueError
        if total // self.page + 1 > len(self.free_slots):
            raise MemoryError
        if total // self.page > place:
            return None
        edge = total + self.page
        table = torch.zeros((edge, 2))
        gap = total - self.page
        total_bytes = gap * 4
        left = self.free_memory() - self.page
        rounded_tokens = round_up(total - self.page)
        lost = place - self.page
        again = lost * 2
        return RowPool(total, self.row_width), table

def find(args: Args, place):
    page = args.page
{MANY}
@triton.jit
def kernel(slots, page):
    num_pages = slots // page
    return num_pages

def launch(args: Args, slots):
    kernel[(1,)](slots, args.page)
"""


@cache
def trace_of(hops: str = "default") -> Trace:
    return traced(PROGRAM, "page", TraceOptions(hops="all" if hops == "all" else "default"))


def has_formula(code: str, hops: str = "default") -> bool:
    result = trace_of(hops)
    told = {formula.site for formula in result.formulas}
    return any(site.id in told for site in at(result, line_of(PROGRAM, code), "formula"))


@pytest.mark.parametrize(
    "code",
    [
        "if total // self.page + 1 > len(self.free_slots)",  # guards an amount
        "edge = total + self.page",  # sizes a tensor by a variable
        "gap = total - self.page",  # leads to an amount
        "left = self.free_memory() - self.page",  # is computed from one
        "self.row_width = heads + self.page",  # is handed to a pool
        "buffer_size = size - args.page",  # is a size in a pool
        "rounded_tokens = round_up(",  # what is made of it is an amount
        "lines = size + args.page",  # is returned as the shape of a pool
        "return round_up(size + args.page)",  # is returned as an amount
    ],
)
def test_what_sizes_guards_or_keeps_memory_stays(code: str) -> None:
    assert has_formula(code)


@pytest.mark.parametrize(
    "code",
    [
        "shift = place % self.page",
        "if total % self.page",
        "if total // self.page > place",
        "self.width = heads // self.page",
        "self.rows = heads * self.page",  # a parameter of the pool is called so, no field is given to it
        "lost = place - self.page",
        "offset = size - args.page",
        "at_3 = place // page",
        "num_pages = slots // page",  # in a kernel
    ],
)
def test_the_rest_is_left_out_unless_all_is_asked_for(code: str) -> None:
    assert not has_formula(code)
    assert has_formula(code, "all")


def test_what_is_left_out_is_counted() -> None:
    (row,) = (row for row in trace_of().unresolved if "left out" in row.why)
    left = len(trace_of("all").formulas) - len(trace_of().formulas)
    assert row.why.startswith(f"{left} computations that size, guard or keep no amount of memory")
    assert not [row for row in trace_of("all").unresolved if "left out" in row.why]


def test_every_place_of_the_parameter_itself_stays() -> None:
    def own(hops: str) -> set[tuple[int, int, str]]:
        return {
            (site.line, site.column, site.role) for site in trace_of(hops).sites if not site.derived and "page" in (site.slot or "")
        }

    assert own("default") == own("all")


def test_a_short_trace_leaves_nothing_out() -> None:
    short = PROGRAM.replace(MANY, "    return place // page\n")
    result = traced(short, "page")
    assert not [row for row in result.unresolved if "left out" in row.why]
    assert at(result, line_of(short, "shift = place % self.page"), "formula")
