"""The bundled example, end to end: what the README promises about it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from program_cases import classic
from program_cases.classic import ARGS, ENGINE, MIXIN, POOLS, RUNNER, SCHEDULER, WORKER, at, place

from sgmem.queries.options import TraceOptions

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Formula, Trace

PROGRAM = classic.texts()
WRITING = ("write", "store", "declaration")


@cache
def traced(name: str = "mem_fraction_static") -> Trace:
    return classic.run(PROGRAM, name)


def kv_formula(result: Trace) -> Formula:
    where = place(PROGRAM, MIXIN, "rest_memory = ")
    found = [formula for formula in result.formulas if formula.site in {site.id for site in at(result, where)}]
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("path", "code", "kind"),
    [
        (ARGS, "mem_fraction_static: float | None = None", {"declared", "default"}),
        (ARGS, "default=ServerArgs.mem_fraction_static", {"flag"}),
        (ARGS, "return cls(**{attr", {"constructor", "dynamic"}),
        (ENGINE, "ServerArgs(**kwargs)", {"constructor", "dynamic"}),
        (ARGS, "self.mem_fraction_static = 0.88", {"derived", "conditional", "default"}),
        (ARGS, "self.mem_fraction_static = round(", {"derived", "conditional"}),
        (ARGS, "self.mem_fraction_static = fraction_before", {"derived", "conditional"}),
        (ARGS, "self.mem_fraction_static *= 0.85", {"derived", "conditional"}),
        (RUNNER, "self.mem_fraction_static = mem_fraction_static", {"constructor", "copy"}),
    ],
)
def test_every_write_is_there_with_its_kind(path: str, code: str, kind: set[str]) -> None:
    sites = at(traced(), place(PROGRAM, path, code), WRITING)
    assert sites
    assert {site.kind for site in sites} & kind


@pytest.mark.parametrize(
    ("code", "conditions"),
    [
        ("self.mem_fraction_static = 0.88", ["self.mem_fraction_static is None", "gpu_mem is None"]),
        ("self.mem_fraction_static = fraction_before", ["self.mem_fraction_static is None", "is_multimodal"]),
        ("self.mem_fraction_static *= 0.85", ["attention_backend", "disable_cuda_graph"]),
    ],
)
def test_writes_carry_the_conditions_of_their_callers_too(code: str, conditions: list[str]) -> None:
    sites = at(traced(), place(PROGRAM, ARGS, code), WRITING)
    told = " / ".join(condition for site in sites for condition in site.when)
    for condition in conditions:
        assert condition in told


def test_the_unconditional_writes_carry_no_condition() -> None:
    for site in at(traced(), place(PROGRAM, RUNNER, "self.mem_fraction_static = mem_fraction_static"), WRITING):
        assert site.when == ()


def test_the_worker_hands_it_to_the_runner() -> None:
    assert at(traced(), place(PROGRAM, WORKER, "mem_fraction_static=server_args.mem_fraction_static"), ("pass",))


def test_the_formula_is_found_with_its_inputs_followed_to_their_birth() -> None:
    result = traced()
    formula = kv_formula(result)
    sites = {site.id: site for site in result.sites}
    born = {entry.name.rpartition(".")[2]: sites[entry.origin] for entry in formula.inputs if entry.origin}
    assert set(born) == {"available_gpu_memory", "total_gpu_memory", "mem_fraction_static"}
    assert (born["available_gpu_memory"].path, born["available_gpu_memory"].line) == place(
        PROGRAM, MIXIN, "get_available_gpu_memory(", nth=1
    )
    before_weights = place(PROGRAM, RUNNER, "min_per_gpu_memory = get_available_gpu_memory(")
    assert (born["total_gpu_memory"].path, born["total_gpu_memory"].line) == before_weights
    assert born["total_gpu_memory"].role == "measurement"


def test_the_formula_can_be_negative_and_the_late_check_is_its_guard() -> None:
    result = traced()
    formula = kv_formula(result)
    assert formula.negative.verdict == "yes"
    guards = at(result, place(PROGRAM, MIXIN, "if self.max_total_num_tokens <= 0"))
    assert formula.guard in {site.id for site in guards}


def test_what_follows_from_the_formula_is_marked_as_derived() -> None:
    """Tokens are computed from the fraction; the pools are sized in tokens."""
    result = traced()
    for path, code in [
        (MIXIN, "self.max_total_num_tokens = self.profile_max_num_tokens"),
        (WORKER, "self.max_total_num_tokens = self.model_runner.max_total_num_tokens"),
    ]:
        sites = at(result, place(PROGRAM, path, code), WRITING)
        assert sites
        assert all(site.derived for site in sites)


def test_the_pools_are_reached() -> None:
    assert at(traced(), place(PROGRAM, MIXIN, "                self.max_total_num_tokens,", nth=1), ("sink",))
    assert at(traced(), place(PROGRAM, MIXIN, "                self.max_total_num_tokens,", nth=2), ("sink",))
    assert at(traced(), place(PROGRAM, MIXIN, "ReqToTokenPool(max_num_reqs"), ("sink",))


def test_to_an_undefined_function_reaches_the_allocation_inside_the_pool() -> None:
    result = classic.run(PROGRAM, options=TraceOptions(to="torch.zeros"))
    assert at(result, place(PROGRAM, POOLS, "torch.zeros(shape"))
    assert at(result, place(PROGRAM, MIXIN, "rest_memory = "))
    assert not at(result, place(PROGRAM, SCHEDULER, "if len(request.input_ids) >= min("))


def test_nothing_else_is_called_the_parameter() -> None:
    """Other fields of the same record, handed on by the same calls, are not it."""
    own = [site for site in traced().sites if (site.slot or "").endswith("mem_fraction_static") and not site.derived]
    assert own
    for site in own:
        lines = PROGRAM[site.path].splitlines()[site.line - 1 : site.end_line]
        assert any("mem_fraction" in line or "**" in line or "args" in line for line in lines), (site.path, site.line)
    for path, code in [
        (ARGS, "self.page_size = 64"),
        (ARGS, "self.chunked_prefill_size = 2048"),
        (WORKER, "tp_size=server_args.tp_size"),
        (SCHEDULER, "chunked_prefill_size="),
        (RUNNER, "self.device = server_args.device"),
    ]:
        assert not at(traced(), place(PROGRAM, path, code)), code


def test_nothing_writes_the_runners_copy_after_its_constructor() -> None:
    said = {entry.slot: entry for entry in traced().after_construction}
    runner = [entry for slot, entry in said.items() if slot.endswith("ModelRunner.mem_fraction_static")]
    assert [entry.verdict for entry in runner] == ["none"]


def test_flows_lead_from_the_flag_to_the_formula() -> None:
    result = traced()
    goal = kv_formula(result).site
    onward: dict[str, set[str]] = {}
    for flow in result.flows:
        onward.setdefault(flow.source, set()).add(flow.target)
    reached = {site.id for site in at(result, place(PROGRAM, ARGS, "default=ServerArgs.mem_fraction_static"))}
    waiting = list(reached)
    while waiting:
        fresh = onward.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting.extend(fresh)
    assert goal in reached


def test_to_keeps_only_the_paths_into_that_callee() -> None:
    whole = traced()
    kept = classic.run(PROGRAM, options=TraceOptions(to="ModelRunner"))
    assert at(kept, place(PROGRAM, WORKER, "mem_fraction_static=server_args.mem_fraction_static"))
    assert len(kept.sites) < len(whole.sites)
    assert not at(kept, place(PROGRAM, MIXIN, "rest_memory = "))


def test_a_derived_field_is_traced_from_where_it_is_born_to_the_scheduler() -> None:
    result = traced("max_total_num_tokens")
    assert at(result, place(PROGRAM, MIXIN, "self.max_total_num_tokens = self.profile_max_num_tokens"), WRITING)
    assert at(result, place(PROGRAM, WORKER, "return self.max_total_num_tokens, "))
    assert at(result, place(PROGRAM, SCHEDULER, "= self.tp_worker.get_worker_info()"))
    assert at(result, place(PROGRAM, SCHEDULER, "if len(request.input_ids) >= min("))


def test_a_flag_with_another_dest_is_found() -> None:
    result = traced("tp_size")
    assert at(result, place(PROGRAM, ARGS, 'dest="tp_size"'), WRITING)
    assert at(result, place(PROGRAM, ENGINE, "for rank in range(server_args.tp_size)"))
