"""The sentence that a start comes to: what is the matter and what to do or paste next."""

from __future__ import annotations

import io

import pytest

from sgmem.queries.reconcile.query import reconcile
from sgmem.report.reconcile.advice import advice
from sgmem.report.reconcile.terminal import render_reconcile_text
from sgmem.report.view import View

ARGS = "server_args=ServerArgs(mem_fraction_static=0.8)"
BEGIN = "Load weight begin. avail mem=50.00 GB"
END = "Load weight end. type=Toy, avail mem=30.00 GB"
FULL = "Load weight end. type=Toy, avail mem=6.00 GB"
POOL = "KV Cache is allocated. #tokens: 1000003, K size: 10.00 GB, V size: 10.00 GB"
LARGE = "KV Cache is allocated. #tokens: 1000003, K size: 13.00 GB, V size: 13.00 GB"
LEFT = "Memory pool end. avail mem=9.60 GB"
NO_POOL = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
TRIED = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 51.00 GiB of which 1.00 GiB is free."


def said(*lines: str) -> tuple[str, str]:
    raw = "\n".join([*lines, ""]).encode()
    result = reconcile(io.BytesIO(raw), len(raw), "x.log")
    return advice(result.boots[-1]), render_reconcile_text(result, View(width=100))


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((ARGS, BEGIN, END, POOL, LEFT), "The figures add up: the pools fill the budget."),
        ((ARGS, BEGIN, END, LARGE), "the pools got 6.00 GiB more than the formula gives. Look first at: bytes per token."),
        ((ARGS, BEGIN, FULL, NO_POOL), "raise --mem-fraction-static above 0.8800 (it was 0.8)"),
        ((ARGS, BEGIN, END, NO_POOL), "by what is stated there was memory for the pools, but the server found none"),
        ((ARGS, BEGIN, END, POOL, LEFT, TRIED), "lower --mem-fraction-static below 0.7600 (it was 0.8)"),
        ((ARGS, BEGIN, TRIED), "The weights alone do not fit on the card"),
        ((ARGS, END, POOL), "one figure is not in the log. Paste the line named below with it."),
        ((ARGS, POOL), "these figures are not in the log. Paste the lines named below with it."),
        ((NO_POOL,), "By how much, the missing lines would tell."),
        ((ARGS.replace(")", ", max_total_tokens=4096)"), BEGIN, END, POOL.replace("1000003", "4096").replace("10.00", "1.00")), "18.00 GiB of the budget stay unused"),
    ],
)  # fmt: skip
def test_it_names_what_to_do(lines: tuple[str, ...], wanted: str) -> None:
    sentence, report = said(*lines)
    assert wanted in sentence
    assert sentence in report


def test_what_is_missing_is_named_by_the_line_that_shows_it_and_by_the_value_that_would_fit() -> None:
    _, report = said(ARGS, END, POOL)
    assert 'free memory before the weights: the line "Load weight begin' in report
    assert "50.00 GiB would fit" in report
    _, report = said(ARGS, BEGIN, POOL)
    assert "30.00 GiB would fit" in report


def test_two_attempts_with_opposite_errors_leave_no_fraction() -> None:
    sentence, report = said(f"--mem-fraction-static 0.71 -> {NO_POOL}", f"--mem-fraction-static 0.72 -> {TRIED}")
    assert "0.71 the pools have no room, at 0.72 what runs beside them has none" in sentence
    assert report.count("smaller draft") == 1


def test_a_range_is_told_in_short_and_then_why() -> None:
    captured = "Capture cuda graph end. Time elapsed: 2.00 s. mem usage=0.60 GB. avail mem=9.00 GB."
    _, report = said(ARGS, BEGIN, END, POOL, LEFT, captured)
    lines = report.split("\n")
    (at,) = [number for number, line in enumerate(lines) if "fraction that would work" in line]
    assert lines[at].strip() == "fraction that would work: above 0.4000 and below 0.9800"
    assert lines[at + 1].startswith("    above 0.4000 = 1 - 30.00 / 50.00")


def test_without_the_graphs_the_upper_end_is_open_and_a_long_request_has_a_number_of_its_own() -> None:
    ready = "max_total_num_tokens=1000003, max_running_requests=2048, context_len=1400000"
    _, report = said(ARGS, BEGIN, END, POOL, LEFT, ready)
    assert "the upper end is open" in report
    assert "1400000 tokens or 28.00 GiB, needs above 0.9600" in report
