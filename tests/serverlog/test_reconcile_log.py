"""Logs of our own writing, in the shape of real ones, read and judged without a source."""

from __future__ import annotations

import io
import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgmem.queries.reconcile.query import reconcile
from sgmem.queries.results.reconcile import BootReport, Reconciliation
from sgmem.report.json import render_reconcile_json, schema_text
from sgmem.report.reconcile.terminal import render_reconcile_text
from sgmem.report.view import View


def read(text: str | bytes) -> Reconciliation:
    raw = text.encode() if isinstance(text, str) else text
    return reconcile(io.BytesIO(raw), len(raw), "server.log")


def only(text: str) -> BootReport:
    (boot,) = read(text).boots
    return boot


def start(
    pre: float = 78.0, post: float = 46.0, k: float = 11.15, fraction: float | None = 0.7, rank: str = "TP0", **more: object
) -> str:
    head = f"[2025-02-03 04:05:06] server_args=ServerArgs(model_path='m', mem_fraction_static={fraction}, tp_size=1)\n"
    return head + (
        f"[2025-02-03 04:05:07 {rank}] Load weight begin. avail mem={pre:.2f} GB\n"
        f"[2025-02-03 04:05:17 {rank}] Load weight end. type=M, dtype=torch.bfloat16, avail mem={post:.2f} GB, mem usage={pre - post:.2f} GB.\n"
        f"[2025-02-03 04:05:18 {rank}] KV Cache is allocated. #tokens: {more.get('tokens', 365363)}, K size: {k:.2f} GB, V size: {k:.2f} GB\n"
        f"[2025-02-03 04:05:18 {rank}] Memory pool end. avail mem={post - 2 * k - 0.3:.2f} GB\n"
    )


def test_a_log_that_adds_up() -> None:
    boot = only(start(k=11.3))
    assert boot.verdict == "consistent"
    assert boot.expected_kv == pytest.approx(46 - 78 * 0.3)
    assert boot.difference == pytest.approx(0.0, abs=0.01)


def test_another_fraction_than_the_stated_one_contradicts_and_is_named() -> None:
    boot = only(start(k=16.76, fraction=0.7))
    assert boot.verdict == "inconsistent"
    assert any(one.term == "fraction" and one.value == pytest.approx(0.84, abs=0.002) for one in boot.explanations)


def test_a_limit_on_tokens_is_no_contradiction() -> None:
    text = start(k=0.5, tokens=16384).replace("tp_size=1", "tp_size=1, max_total_tokens=16384")
    assert only(text).verdict == "capped"


def test_without_the_fraction_the_log_is_too_short_and_says_so() -> None:
    boot = only(start(k=13.37, fraction=None))
    assert boot.verdict == "too-short"
    assert any("fraction" in one for one in boot.missing)


def test_the_budget_takes_the_smallest_rank() -> None:
    second = start(pre=77.0, post=45.0, k=10.95, rank="TP1")
    boot = only(start(k=10.95) + second.partition("\n")[2])
    assert boot.expected_kv == pytest.approx(45 - 77 * 0.3)


def test_two_starts_are_told_apart_by_the_memory_that_is_free_again() -> None:
    assert [boot.verdict for boot in read(start(k=11.3) + start(k=11.3)).boots] == ["consistent", "consistent"]


def test_a_draft_loaded_after_the_pools_is_no_new_start_and_no_weight_of_the_target() -> None:
    draft = (
        "[2025-02-03 04:05:19 TP0] Load weight begin. avail mem=23.10 GB\n"
        "[2025-02-03 04:05:20 TP0] Load weight end. type=D, dtype=torch.bfloat16, avail mem=21.10 GB, mem usage=2.00 GB.\n"
        "[2025-02-03 04:05:21 TP0] KV Cache is allocated. #tokens: 365363, K size: 0.40 GB, V size: 0.40 GB\n"
    )
    boot = only(start(k=11.3) + draft)
    assert boot.quantities.post_load == 46.0
    assert boot.quantities.draft_weights == 2.0
    assert [one.draft for one in boot.allocations] == [False, True]
    assert boot.verdict == "consistent"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("[2025", "pod-0 | 2025-02-03T04:05:06Z [2025"),
        lambda text: "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n")),
        lambda text: text.replace("[2025-02-03 04:05:17", "Loading: 100%|####| 4/4 [00:09<00:00]\r[2025-02-03 04:05:17"),
        lambda text: text.replace("ServerArgs(model_path='m', mem_fraction_static=0.7, tp_size=1)", "{'mem_fraction_static': 0.7}"),
        lambda text: text.replace("365363", "365,363"),
        lambda text: text.replace("\n[2025-02-03 04:05:18 TP0] Memory", "[2025-02-03 04:05:18 TP0] Memory"),
    ],
)
def test_the_dress_of_the_lines_does_not_matter(change: object) -> None:
    boot = only(change(start(k=11.3)))  # type: ignore[operator]
    assert boot.verdict == "consistent"
    assert boot.quantities.tokens == 365363


def test_no_room_for_a_pool_says_raise_and_at_run_time_says_lower() -> None:
    begin = start(post=20.0, k=1).split("\n")
    pool = only("\n".join(begin[:3]) + "\nRuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n")
    assert pool.oom is not None and pool.oom.case == "pool"
    assert pool.verdict == "consistent"
    assert pool.fraction_range.low == pytest.approx(1 - 20 / 78, abs=0.001)
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.00 GiB is free.\n"
    late = only(start(k=11.3) + error)
    assert late.oom is not None and late.oom.case == "runtime"
    assert late.fraction_range.high == pytest.approx(0.7 - 1 / 78, abs=0.001)


def test_a_large_log_is_read_as_a_stream() -> None:
    noise = "[2025-02-03 05:00:00 TP0] Decode batch. #running-req: 3, #token: 900, token usage: 0.10, #queue-req: 0\n" * 12_000
    (boot,) = read(noise + start(k=11.3) + noise).boots
    assert boot.verdict == "consistent"
    assert boot.first_line > 12_000


def test_the_json_obeys_its_schema_and_the_text_holds_no_control_characters() -> None:
    result = read(start(k=16.76) + "[2025-02-03 04:06:00 TP0] Load weight end. \x1b]0;evil\x07[x] avail mem=1.00 GB\n")
    jsonschema.validate(json.loads(render_reconcile_json(result)), json.loads(schema_text("reconcile-1")))
    assert "\x1b" not in render_reconcile_text(result, View(width=80))


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.binary(max_size=400), st.lists(st.sampled_from(start().encode().split(b" ")) | st.binary(max_size=9)).map(b" ".join))
)
def test_no_bytes_crash_it(raw: bytes) -> None:
    result = read(raw)
    render_reconcile_json(result)
    render_reconcile_text(result, View(width=80))


def old_start(
    pre: float, post: float, end: float, tokens: int, fraction: float = 0.8, ranks: tuple[str, str] = (" TP0", " TP0")
) -> str:
    """A release that prints no size of the pools: they are known by free memory only."""
    return (
        f"[2025-01-13 10:22:00] server_args=ServerArgs(mem_fraction_static={fraction}, tp_size=1)\n"
        f"[2025-01-13 10:22:01{ranks[0]}] Load weight begin. avail mem={pre:.2f} GB\n"
        f"[2025-01-13 10:22:02{ranks[1]}] Load weight end. type=M, dtype=torch.float16, avail mem={post:.2f} GB\n"
        f"[2025-01-13 10:22:03{ranks[0]}] Memory pool end. avail mem={end:.2f} GB\n"
        f"[2025-01-13 10:22:04{ranks[0]}] max_total_num_tokens={tokens}, max_prefill_tokens=16384, max_running_requests=2049, context_len=16384\n"
    )


def test_tokens_that_fill_the_budget_with_whole_heads_leave_the_rest_to_other_allocations() -> None:
    tokens = int((60.0 - 80.0 * 0.2) * 2**30 / 131072)
    boot = only(old_start(80.0, 60.0, 60.0 - 44.0 - 0.9, tokens))
    assert boot.verdict == "consistent"
    assert any(one.term == "beside the pools" for one in boot.explanations)


def test_tokens_of_another_budget_are_no_whole_heads() -> None:
    tokens = int((60.0 - 80.0 * 0.2 + 0.9) * 2**30 / 131072)
    assert only(old_start(80.0, 60.0, 60.0 - 44.9, tokens)).verdict == "inconsistent"


def test_a_lone_rank_need_not_say_its_name_on_every_line() -> None:
    tokens = int((60.0 - 80.0 * 0.2) * 2**30 / 131072)
    assert only(old_start(80.0, 60.0, 60.0 - 44.1, tokens, ranks=(" TP0", ""))).verdict == "consistent"


@pytest.mark.parametrize(
    ("tokens", "verdict"), [(16384, "capped"), (10240, "capped"), (100000, "capped"), (1024 * 317, "inconsistent")]
)
def test_a_count_that_people_choose_is_a_limit_and_a_computed_multiple_is_none(tokens: int, verdict: str) -> None:
    assert only(old_start(80.0, 60.0, 60.0 - 20.0, tokens)).verdict == verdict


@pytest.mark.parametrize(
    "tag", ["[gpu_id={}]", "[gpu={}]", "[rank={}]", "[rank {}]", "[TP{}]", "[DP0 TP{} EP{}]", "[PP0 TP{}]", "Rank {}:"]
)
def test_ranks_however_they_are_named(tag: str) -> None:
    lines = ["# args: f=0.7"]
    for rank, (pre, post, end) in enumerate([(78.0, 46.0, 23.0), (77.0, 45.5, 22.5)]):
        name = tag.replace("{}", str(rank))
        lines += [
            f"{name} Load weight begin. avail mem={pre:.2f} GB",
            f"{name} Load weight end. type=M, avail mem={post:.2f} GB",
            f"{name} Memory pool end. avail mem={end:.2f} GB",
        ]
    boot = only("\n".join(lines) + "\n")
    assert len({one.rank for one in boot.ranks}) == 2
    assert (boot.verdict, boot.quantities.pre_load, boot.quantities.post_load) == ("consistent", 77.0, 45.5)


def test_the_process_that_a_traceback_names_is_no_rank_of_the_log() -> None:
    text = (
        start(k=11.3, rank="TP0").replace(" TP0] Memory", "] Memory")
        + "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    boot = only(text)
    assert (boot.verdict, [one.rank for one in boot.ranks]) == ("consistent", ["TP0"])
    assert boot.oom is not None


@pytest.mark.parametrize(
    ("beside", "line", "verdict"),
    [
        (1.2, "", "consistent"),
        (2.4, "", "inconsistent"),
        (-0.9, "", "inconsistent"),
        (1.1, "context_length=8192", "inconsistent"),
        (1.2, "max_total_num_tokens=700011, max_prefill_tokens=16384, context_len=8192,", "consistent"),
    ],
)
def test_pools_known_by_free_memory_leave_room_for_the_table_of_requests(beside: float, line: str, verdict: str) -> None:
    text = old_start(80.0, 60.0, 60.0 - 44.0 - beside, 0).rpartition("[2025")[0] + line + "\n"
    assert only(text).verdict == verdict
