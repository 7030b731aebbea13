"""The story that started the project, on the bundled example: what hours of searching did not show, as far as a trace says it.

`mem_fraction_static` = 0.55, 94 GiB "total", 21.7 GiB available, and yet a KV cache of 10 GiB had been allocated.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from program_cases import classic
from program_cases.classic import ARGS, MIXIN, RUNNER, WORKER, at, place

from sgmem.queries.options import Direction, TraceOptions

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Formula, FormulaInput, Site, Trace

PROGRAM = classic.texts()


@cache
def traced(name: str = "mem_fraction_static", direction: Direction = "both", to: str | None = None) -> Trace:
    return classic.run(PROGRAM, name, TraceOptions(direction=direction, to=to))


def site(number: str | None) -> Site:
    return next(one for one in traced().sites if one.id == number)


def budget() -> Formula:
    return next(one for one in traced().formulas if one.target == "rest_memory")


def input_of(name: str) -> FormulaInput:
    return next(one for one in budget().inputs if one.name.endswith(name))


def test_the_formula_is_told_with_its_unit() -> None:
    assert budget().text == "available_gpu_memory - total_gpu_memory * (1 - self.mem_fraction_static)"
    assert budget().unit == "GiB"
    assert [one.name for one in budget().inputs] == [
        "available_gpu_memory",
        "total_gpu_memory",
        "self.mem_fraction_static",
    ]


def test_the_total_is_not_the_total_of_the_card() -> None:
    """It is the memory that was free before the weights, the least of all ranks."""
    origin = site(input_of("total_gpu_memory").origin)
    assert (origin.path, origin.line) == place(PROGRAM, RUNNER, "min_per_gpu_memory = get_available_gpu_memory(")
    assert origin.symbol.endswith("ModelRunner.init_torch_distributed")
    assert origin.frame is not None
    assert origin.frame.startswith("free memory")
    assert "min over ranks" in origin.frame
    assert "total" not in origin.frame


def test_it_changed_its_name_on_the_way() -> None:
    lines = [(one.path, one.line) for one in map(site, input_of("total_gpu_memory").via)]
    assert lines == [
        place(PROGRAM, MIXIN, "self.profile_max_num_tokens(total_gpu_memory)"),
        place(PROGRAM, RUNNER, "            min_per_gpu_memory,"),
        place(PROGRAM, RUNNER, "self.initialize(min_per_gpu_memory)"),
        place(PROGRAM, RUNNER, "min_per_gpu_memory = self.init_torch_distributed()"),
        place(PROGRAM, RUNNER, "return min_per_gpu_memory"),
        place(PROGRAM, RUNNER, "min_per_gpu_memory = get_available_gpu_memory("),
    ]


def test_available_and_total_are_one_gauge_read_at_two_places() -> None:
    available, total = (site(input_of(name).origin) for name in ("available_gpu_memory", "total_gpu_memory"))
    assert available.role == total.role == "measurement"
    assert available.code.partition("(")[0] == total.code.partition("(")[0] == "get_available_gpu_memory"
    assert available.unit == total.unit == "GiB"
    assert available.frame == total.frame
    assert available.symbol != total.symbol
    assert {input_of(name).unit for name in ("available_gpu_memory", "total_gpu_memory")} == {"GiB"}


def test_the_fraction_is_the_runner_s_own_copy_handed_in_by_the_worker() -> None:
    via = [(one.path, one.line) for one in map(site, input_of("mem_fraction_static").via)]
    assert place(PROGRAM, RUNNER, "self.mem_fraction_static = mem_fraction_static") in via
    assert place(PROGRAM, WORKER, "mem_fraction_static=server_args.mem_fraction_static") in via
    origin = site(input_of("mem_fraction_static").origin)
    assert (origin.path, origin.line) == place(PROGRAM, ARGS, "mem_fraction_static: float | None = None")
    assert input_of("mem_fraction_static").unit == "fraction"


def test_nothing_writes_the_runner_s_copy_after_its_constructor() -> None:
    (row,) = (one for one in traced().after_construction if one.slot.endswith("ModelRunner.mem_fraction_static"))
    assert (row.verdict, row.sites) == ("none", ())


def test_the_fallback_for_an_unknown_card_is_a_write_with_its_condition() -> None:
    (fallback,) = at(traced(), place(PROGRAM, ARGS, "self.mem_fraction_static = 0.88"), ("store", "write"))
    assert fallback.when == ("self.mem_fraction_static is None", "gpu_mem is None")


@pytest.mark.parametrize("given", ["0.55", "94", "21.7"])
def test_the_budget_can_be_negative_and_the_witness_shows_the_arithmetic(given: str) -> None:
    negative = budget().negative
    assert negative.verdict == "yes"
    assert negative.condition == "self.mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory"
    assert negative.witness is not None
    assert given in negative.witness
    assert negative.witness.endswith("= -20.6")


def test_the_first_check_comes_late() -> None:
    guard = site(budget().guard)
    assert (guard.path, guard.line) == place(PROGRAM, MIXIN, "if self.max_total_num_tokens <= 0")
    assert guard.line > site(budget().site).line


def test_asked_where_the_total_comes_from_it_answers_with_the_measurement() -> None:
    result = traced("total_gpu_memory", direction="back")
    measured = [(one.path, one.line) for one in result.sites if one.role == "measurement"]
    assert place(PROGRAM, RUNNER, "min_per_gpu_memory = get_available_gpu_memory(") in measured
    assert not at(result, place(PROGRAM, MIXIN, "rest_memory = ")), "where it goes was not asked for"
    assert not any(path == ARGS for path, _ in measured), "the card's capacity is another measurement"


def test_the_way_to_the_allocation_leads_through_the_formula_and_the_pool() -> None:
    result = traced("mem_fraction_static", to="torch.zeros")
    for path, code in [
        (ARGS, "mem_fraction_static: float | None = None"),
        (WORKER, "mem_fraction_static=server_args.mem_fraction_static"),
        (RUNNER, "self.mem_fraction_static = mem_fraction_static"),
        (MIXIN, "rest_memory = "),
        (MIXIN, "return int(rest_memory"),
        (MIXIN, "self.max_total_num_tokens = self.profile_max_num_tokens"),
        (classic.POOLS, "shape = (size + page_size, heads, head_dim)"),
        (classic.POOLS, "self.k_buffer = [torch.zeros(shape"),
        (classic.POOLS, "self.kv_buffer = [torch.zeros((size + page_size"),
    ]:
        assert at(result, place(PROGRAM, path, code)), code
    for path, code in [
        (MIXIN, "if self.max_total_num_tokens <= 0"),
        (MIXIN, "logger.info(f"),
        (classic.POOLS, "self.free_pages = torch.arange("),
        (classic.SCHEDULER, "if len(request.input_ids)"),
    ]:
        assert not at(result, place(PROGRAM, path, code)), code
