"""Logs that were wrapped, glued or coloured on their way to us read as they were printed."""

from __future__ import annotations

import io
import json
import textwrap
from typing import TYPE_CHECKING

import pytest

from sgmem.queries.reconcile.query import reconcile

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.queries.results.reconcile import BootReport

NOTE = "# args: --mem-fraction-static 0.8, and a note that is much longer than any line of the log that follows, so that it is no measure of width"
TAGGED = [
    "[2025-04-05 06:07:08 TP1] Load weight begin. avail mem=38.10 GB",
    "[2025-04-05 06:07:08 TP0] Load weight begin. avail mem=38.00 GB",
    "[2025-04-05 06:07:18 TP0] Load weight end. type=ToyForCausalLM, dtype=torch.bfloat16, avail mem=20.00 GB, mem usage=18.00 GB.",
    "[2025-04-05 06:07:19 TP1] Load weight end. type=ToyForCausalLM, dtype=torch.bfloat16, avail mem=20.10 GB, mem usage=18.00 GB.",
    "[2025-04-05 06:07:20 TP0] KV Cache is allocated. #tokens: 101310, K size: 6.20 GB, V size: 6.20 GB",
    "[2025-04-05 06:07:20 TP1] KV Cache is allocated. #tokens: 101310, K size: 6.20 GB, V size: 6.20 GB",
    "[2025-04-05 06:07:20 TP0] Memory pool end. avail mem=7.30 GB",
    "[2025-04-05 06:07:30 TP0] max_total_num_tokens=101310, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=32768",
]
BARE = [line.partition("] ")[2] for line in TAGGED if "TP0" in line]


def judged(lines: list[str]) -> BootReport:
    raw = "\n".join([NOTE, *lines, ""]).encode()
    (boot,) = reconcile(io.BytesIO(raw), len(raw), "x.log").boots
    return boot


def soft(width: int, indent: str = "") -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        return [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False)]

    return change


def hard(width: int) -> Callable[[list[str]], list[str]]:
    return lambda lines: [line[at : at + width] for line in lines for at in range(0, len(line), width)]


@pytest.mark.parametrize("lines", [TAGGED, BARE])
@pytest.mark.parametrize(
    "change",
    [
        soft(60), soft(80), soft(100, "        "), hard(60), hard(77), hard(80), hard(120),
        lambda lines: [" ".join(lines)],
        lambda lines: ["\\n".join(lines)],
        lambda lines: [json.dumps({"detail": "\n".join(lines)})],
        lambda lines: [f"[32m{line}[0m" for line in lines],
        lambda lines: [f"^[[1;36m{line}^[[0m" for line in lines],
    ],
)  # fmt: skip
def test_a_changed_form_tells_the_same(change: Callable[[list[str]], list[str]], lines: list[str]) -> None:
    boot = judged(change(lines))
    assert (boot.verdict, boot.quantities.kv, boot.quantities.tokens) == ("consistent", 12.4, 101310)
    assert boot.expected_kv == pytest.approx(20 - 38 * 0.2)


def test_a_short_list_of_values_under_a_message_is_read_with_it() -> None:
    boot = judged(["Load weight end. elapsed=9.10 s,", "type=Toy, quant=fp8,", "avail mem=20.00 GB,", "mem usage=18.00 GB.", *BARE[2:]])
    assert (boot.quantities.pre_load, boot.quantities.post_load) == (38.0, 20.0)


def test_a_message_is_not_completed_from_the_next_one() -> None:
    boot = judged(["Load weight end. type=Toy, avail mem=20.00 GB", "Init torch distributed ends. mem usage=3.00 GB", *BARE[2:]])
    assert boot.quantities.pre_load is None
    assert boot.verdict == "too-short"


def test_a_traceback_adds_nothing_to_the_line_before_it() -> None:
    trace = ["Traceback (most recent call last):", '  File "toy.py", line 3, in main', "    size = avail mem=99.00 GB"]
    assert judged([*TAGGED[:4], *trace, *TAGGED[4:]]).quantities.post_load == 20.0


def test_text_of_many_long_lines_is_read_in_time_that_grows_with_it() -> None:
    lines = ["x" * 80] * 3000
    assert judged([*lines, *TAGGED]).verdict == "consistent"


def test_a_pipe_of_unknown_length_is_read_like_a_file() -> None:
    raw = "\n".join([NOTE, *soft(60)(TAGGED), ""]).encode()
    (boot,) = reconcile(io.BytesIO(raw), 1 << 30, "stdin").boots
    assert boot.verdict == "consistent"
    long = b"[2025-04-05 06:00:00 TP0] Decode batch. #running-req: 3, #queue-req: 0\n" * 9000 + "\n".join([NOTE, *TAGGED, ""]).encode()
    (boot,) = reconcile(io.BytesIO(long), 1 << 30, "stdin").boots
    assert (boot.verdict, boot.first_line) == ("consistent", 9002)
