"""The fraction in effect: options cut short, several attempts in one paste, factors that the program applied."""

from __future__ import annotations

import io

import pytest

from sgmem.queries.reconcile.query import reconcile
from sgmem.queries.results.reconcile import BootReport


def start(post: float, kv: float, given: str = "", release: str = "", more: str = "", rank: str = "") -> BootReport:
    text = (
        f"{release}\n{given}\n"
        f"[2025-06-07 08:09:10{rank}] Load weight begin. avail mem=90.00 GB\n{more}\n"
        f"[2025-06-07 08:09:20{rank}] Load weight end. type=Toy, dtype=torch.bfloat16, avail mem={post:.2f} GB\n"
        f"[2025-06-07 08:09:21{rank}] KV Cache is allocated. #tokens: 123457, K size: {kv / 2:.2f} GB, V size: {kv / 2:.2f} GB\n"
    )
    raw = text.encode()
    (boot,) = reconcile(io.BytesIO(raw), len(raw), "x.log").boots
    return boot


@pytest.mark.parametrize(
    "given",
    [
        "python -m sglang.launch_server --model m --mem-fraction-static 0.8 --tp 2",
        "python -m sglang.launch_server --model m --mem-fraction=0.8",
        "sglang serve --mem-frac 0.8 --port 1",
        "MEM_FRACTION_STATIC=0.8 ./serve.sh",
        "server_args={'mem_fraction_static': 0.8, 'tp_size': 1}",
        '"mem_fraction_static": "0.8",',
        "# memory-relevant args: f = 0.8, nothing else",
        "# args: f 0.8 from the command line",
        "# args: mem-frac was about 0.8 of the card",
    ],
)
def test_however_it_is_written(given: str) -> None:
    boot = start(60.0, 42.0, given)
    assert (boot.quantities.fraction, boot.verdict) == (0.8, "consistent")


@pytest.mark.parametrize(
    "given", ["--mem-layout 0.8", "# args: half of 0.8 is 0.4", "xmem_fraction_static=0.8", "--mem-fraction-static auto"]
)
def test_what_is_no_fraction(given: str) -> None:
    assert start(60.0, 42.0, given).quantities.fraction is None


def test_the_attempt_that_made_the_log_counts_not_what_was_tried_after_it() -> None:
    text = (
        "server_args=ServerArgs(mem_fraction_static=0.8)\n"
        "[2025-06-07 08:09:10] Load weight begin. avail mem=90.00 GB\n"
        "[2025-06-07 08:09:20] Load weight end. type=Toy, avail mem=60.00 GB\n"
        "[2025-06-07 08:09:21] KV Cache is allocated. #tokens: 5, KV size: 42.00 GB\n"
        "I also tried --mem-fraction-static 0.6 and it did not help\n"
    )
    (boot,) = reconcile(io.BytesIO(text.encode()), len(text), "x.log").boots
    assert (boot.quantities.fraction, boot.verdict) == (0.8, "consistent")


LOWERED = "[2025-06-07 08:09:11] Automatically reduce --mem-fraction-static to {} because this is a multimodal model."


def test_a_lowered_fraction_is_the_product_not_its_rounding() -> None:
    boot = start(60.0, 46.07, "mem_fraction_static=0.9395", "# sglang version: 0.4.6", LOWERED.format("0.846"))
    assert boot.quantities.fraction == pytest.approx(0.84555)
    assert boot.verdict == "consistent"


def test_a_lowered_fraction_that_is_no_product_is_taken_as_printed() -> None:
    assert start(60.0, 39.3, "mem_fraction_static=0.9", "# sglang version: 0.4.6", LOWERED.format("0.770")).quantities.fraction == 0.77


def test_an_adjustment_without_a_number_holds_where_only_it_adds_up() -> None:
    said = "[2025-06-07 08:09:11] Automatically turn off the chunks and adjust --mem-fraction-static for multimodal models."
    version = "# sglang version: 0.3.4"
    scaled = start(60.0, 60 - 90 * (1 - 0.88 * 0.95), "mem_fraction_static=0.88", version, said)
    assert (scaled.verdict, scaled.quantities.fraction) == ("consistent", pytest.approx(0.836))
    assert scaled.explanations[0].term == "scale"
    plain = start(60.0, 60 - 90 * 0.12, "mem_fraction_static=0.88", version, said)
    assert (plain.verdict, plain.quantities.fraction) == ("consistent", 0.88)
    silent = start(60.0, 60 - 90 * (1 - 0.88 * 0.95), "mem_fraction_static=0.88", version)
    assert silent.verdict == "inconsistent"


@pytest.mark.parametrize(
    ("release", "ranks", "gap", "verdict"),
    [
        ("0.4.3", 8, 1.0, "consistent"),
        ("0.4.3", 8, 3.0, "inconsistent"),
        ("0.4.3", 1, 1.0, "inconsistent"),
        ("0.4.8", 8, 1.0, "inconsistent"),
    ],
)
def test_communicators_explain_as_much_as_they_may_take(release: str, ranks: int, gap: float, verdict: str) -> None:
    kv = 60.0 - (90.0 + gap) * 0.5
    assert start(60.0, kv, f"mem_fraction_static=0.5, tp_size={ranks}", f"# sglang version: {release}", rank=" TP0").verdict == verdict


def test_what_setting_up_took_by_the_log_bounds_it() -> None:
    took = "[2025-06-07 08:09:09 TP0] Init torch distributed ends. mem usage=0.30 GB"
    boot = start(60.0, 60.0 - 91.0 * 0.5, "mem_fraction_static=0.5, tp_size=8", "# sglang version: 0.4.3", took, rank=" TP0")
    assert boot.verdict == "inconsistent"


def test_of_several_fractions_in_one_paste_the_one_that_fits_is_that_start_s() -> None:
    both = "server_args=ServerArgs(mem_fraction_static=0.8)\nserver_args=ServerArgs(mem_fraction_static=0.7)"
    boot = start(60.0, 42.0, both)
    assert (boot.verdict, boot.quantities.fraction) == ("consistent", 0.8)
    assert "only 0.8 fits" in boot.explanations[0].text
    assert start(60.0, 50.0, both).verdict == "inconsistent"
