"""Which figures of a start are its pools and its budget: drafts, pipeline stages, ranks without names, sums, printed inputs."""

from __future__ import annotations

import io

import pytest

from sgmem.queries.reconcile.query import reconcile
from sgmem.queries.results.reconcile import BootReport

ARGS = "server_args=ServerArgs(mem_fraction_static=0.8, max_total_tokens={cap})"


def judged(*lines: str, cap: str = "None") -> BootReport:
    raw = "\n".join([ARGS.format(cap=cap), *lines, ""]).encode()
    (boot,) = reconcile(io.BytesIO(raw), len(raw), "x.log").boots
    return boot


def loaded(rank: str = "", pre: float = 50.0, post: float = 30.0) -> tuple[str, str]:
    tag = f"[2025-07-08 09:10:11{rank}] "
    return (
        f"{tag}Load weight begin. avail mem={pre:.2f} GB",
        f"{tag}Load weight end. type=Toy, dtype=torch.bfloat16, avail mem={post:.2f} GB, mem usage={pre - post:.2f} GB.",
    )


def pool(size: float, tokens: int, rank: str = "") -> str:
    return f"[2025-07-08 09:10:12{rank}] KV Cache is allocated. #tokens: {tokens}, KV size: {size:.2f} GB"


def test_the_count_that_a_draft_profiles_is_not_the_budget_of_the_target() -> None:
    draft = "[2025-07-08 09:10:20] max_total_tokens=20480 is larger than the profiled value -777. Use the profiled value instead."
    boot = judged(*loaded(), pool(2.5, 20480), "[2025-07-08 09:10:12] Memory pool end. avail mem=27.3 GB", draft, cap="20480")
    assert boot.quantities.profiled_tokens is None
    assert (boot.verdict, boot.oom) == ("capped", None)


def test_before_a_pool_the_same_line_is_the_failure() -> None:
    line = "[2025-07-08 09:10:20] max_total_tokens=20480 is larger than the profiled value -777. Use the profiled value instead."
    boot = judged(*loaded(post=8.0), line, cap="20480")
    assert boot.quantities.profiled_tokens == -777
    assert boot.oom is not None
    assert boot.verdict == "consistent"


def test_of_the_stages_of_a_pipeline_the_one_with_most_layers_fills_the_budget() -> None:
    boot = judged(*loaded(" PP0 TP0"), *loaded(" PP1 TP0"), pool(17.0, 900, " PP0 TP0"), pool(20.0, 900, " PP1 TP0"))
    assert (boot.quantities.kv, boot.verdict) == (20.0, "consistent")


def test_ranks_without_names_print_their_pools_again() -> None:
    boot = judged(*loaded(), *[pool(15.0, 900), pool(5.0, 300)] * 4)
    assert (boot.quantities.kv, boot.verdict) == (20.0, "consistent")


def test_a_sum_of_pools_counts_where_they_are_not_printed_one_by_one() -> None:
    total = "[2025-07-08 09:10:12] SWAKVPool mem usage: 20.00 GB, swa size: 300, full size: 900"
    assert judged(*loaded(), total).quantities.kv == 20.0
    assert judged(*loaded(), pool(15.0, 900), pool(5.0, 300), total).quantities.kv == 20.0


def test_the_inputs_that_the_program_prints_beat_those_of_other_lines() -> None:
    line = "[2025-07-08 09:10:12] Profile: available_gpu_memory=29.50 GB, total_gpu_memory=50.00 GB, rest_memory=19.50 GB"
    boot = judged(*loaded(), line)
    assert boot.expected_kv == pytest.approx(19.5)
    assert (boot.quantities.budget, boot.verdict) == (19.5, "consistent")


def test_a_state_cache_without_room_is_the_failure_of_a_pool() -> None:
    line = "ValueError: Not enough GPU memory for hybrid (mamba/linear-attention) state cache: max_mamba_cache_size=-9, total_rest_memory=-2.05 GB"
    boot = judged(*loaded(post=8.0), line)
    assert boot.oom is not None and boot.oom.case == "pool"
    assert (boot.quantities.budget, boot.verdict) == (-2.05, "consistent")


def test_replicas_that_are_named_like_ranks_have_token_counts_of_their_own() -> None:
    lines = []
    for number, pre in enumerate((50.0, 44.0)):
        lines += [*loaded(f" TP{number}", pre, pre - 20), pool(pre * 0.8 - 20, 100 + number, f" TP{number}")]
        lines.append(f"[2025-07-08 09:10:13 TP{number}] max_total_num_tokens={100 + number}, max_running_requests=9, context_len=77")
    boot = judged(*lines)
    assert (boot.quantities.pre_load, boot.quantities.kv, boot.verdict) == (50.0, 20.0, "consistent")


def test_a_log_that_begins_with_the_end_of_the_weights_does_not_take_the_draft_for_the_card() -> None:
    draft = ("Load weight begin. avail mem=28.0 GB", "Load weight end. type=Draft, avail mem=27.00 GB, mem usage=1.00 GB.")
    boot = judged(
        "Load weight end. type=Toy, avail mem=28.10 GB, mem usage=21.90 GB.",
        *draft,
        "KV Cache is allocated. #tokens: 9, KV size: 17.0 GB",
    )
    assert (boot.quantities.pre_load, boot.quantities.post_load, boot.verdict) == (50.0, 27.0, "consistent")


def test_a_draft_that_finds_no_memory_does_not_ask_for_a_higher_fraction() -> None:
    failed = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
    boot = judged(*loaded(), pool(20.0, 900), *loaded(pre=9.0, post=1.0), failed)
    assert boot.oom is not None and boot.oom.case == "runtime" and "draft" in boot.oom.text
    assert boot.verdict == "consistent"


def test_pools_larger_than_the_budget_tell_the_bytes_of_a_token() -> None:
    boot = judged(*loaded(), pool(22.0, 1 << 20))
    assert boot.verdict == "inconsistent"
    (told,) = [one for one in boot.explanations if one.term == "bytes per token"]
    assert told.value == pytest.approx(20.0 * 2**30 / 2**20)


@pytest.mark.parametrize(
    "printed",
    ["20.00 GB", "20.00GiB", "20480.0 MB", "21474836480", "21474836480 bytes", "21474836480 (20.000 GiB)", "21474836480 / 20.00 GB"],
)
def test_a_budget_in_any_unit(printed: str) -> None:
    boot = judged(*loaded(), f"[2025-07-08 09:10:12] sizing: available_bytes={printed}, cell_size=14143")
    assert (boot.quantities.budget, boot.verdict) == (pytest.approx(20.0, abs=0.01), "consistent")


def test_a_printed_budget_above_the_formula_s_contradicts_it_even_where_both_are_negative() -> None:
    line = "ValueError: Not enough GPU memory for hybrid (mamba/linear-attention) state cache: total_rest_memory={} GB"
    assert judged(*loaded(post=6.0), line.format("-2.00")).verdict == "inconsistent"
    assert judged(*loaded(post=6.0), line.format("-6.00")).verdict == "consistent"
