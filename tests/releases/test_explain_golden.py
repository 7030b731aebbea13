"""The case that sgmem was written for, and the automatic fraction, on published releases."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sgmem.queries.explain.query import explain
from sgmem.queries.options import ExplainOptions
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.queries.results.explain import Explain

GOLDEN = ("mem_fraction_static=0.55", "available_gpu_memory=21.7")


def ask(tree: SourceTree, target: str, *given: str, observed: str | None = None) -> Explain:
    return explain(tree, target, ExplainOptions(given=given, observed=observed))


def test_the_golden_case(release: Callable[[str], SourceTree]) -> None:
    found = ask(release("0.5.9"), "rest_memory", *GOLDEN, "total_gpu_memory=94", observed="rest_memory=10.42")
    assert (found.result.value, found.result.unit) == (-20.6, "GiB")
    assert found.thresholds[0].text == "--mem-fraction-static above 0.7692"
    assert found.observed is not None
    assert found.observed.consistent is False
    first, *others = found.observed.explanations
    assert (first.input, first.value) == ("mem_fraction_static", 0.88)
    assert (round(first.low, 4), round(first.high, 4)) == (0.8794, 0.8806)
    (site,) = first.written_at
    assert (site.path, site.line, site.code) == ("sglang/srt/server_args.py", 1062, "0.88")
    assert site.when[-2:] == ("self.mem_fraction_static is None", "gpu_mem is None")
    assert [(one.input, round(one.value, 2)) for one in others] == [("available_gpu_memory", 52.72), ("total_gpu_memory", 25.07)]
    guard = found.guards[0]
    assert guard.fires
    assert guard.message is not None
    assert guard.message.startswith("Not enough memory. Please try to increase --mem-fraction-static.")


def test_the_golden_case_from_the_command_line(release: Callable[[str], SourceTree]) -> None:
    root = release("0.5.9").root
    sets = [part for one in (*GOLDEN, "total_gpu_memory=94") for part in ("--set", one)]
    command = [sys.executable, "-m", "sgmem", "explain", "rest_memory", "--source", root, *sets, "--observed", "rest_memory=10.42"]
    done = subprocess.run([*command, "-q", "--format", "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["observed"]["explanations"][0]["value"] == 0.88
    shown = subprocess.run([*command, "-q"], capture_output=True, text=True, check=False).stdout
    assert "rest_memory = -20.6 GiB" in shown
    assert "mem_fraction_static = 0.88 [0.8794, 0.8806]" in shown


@pytest.mark.parametrize(
    ("version", "total"),
    [
        ("0.3.0", "total_gpu_memory"),
        ("0.4.9", "total_gpu_memory"),
        ("0.5.16", "pre_model_load_memory"),
        ("0.5.23", "pre_model_load_memory"),
    ],
)
def test_the_budget_is_found_wherever_a_release_keeps_it(release: Callable[[str], SourceTree], version: str, total: str) -> None:
    found = ask(release(version), "rest_memory", *GOLDEN, f"{total}=94", observed="rest_memory=10.42")
    assert found.result.value == -20.6
    assert found.observed is not None
    assert found.observed.explanations[0].input == "mem_fraction_static"
    assert found.observed.explanations[0].value == 0.88


RENAMED = {
    "ModelRunner": "DeviceEngine",
    "ServerArgs": "LaunchOptions",
    "server_args": "launch_options",
    "model_runner": "device_engine",
    "mem_fraction_static": "static_share",
    "mem-fraction-static": "static-share",
    "rest_memory": "left_over",
    "total_gpu_memory": "card_before",
    "available_gpu_memory": "card_after",
    "profile_max_num_token": "fit_tokens",
    "max_total_num_tokens": "token_room",
}
"""Classes, fields, locals and files that a fork may call otherwise."""


def renamed(tree: SourceTree) -> SourceTree:
    """A fork of a release in which all of these are called something else."""
    word = re.compile("|".join(rf"(?<![A-Za-z0-9_]){re.escape(old)}(?![A-Za-z0-9_])" for old in RENAMED).encode())

    def rename(text: bytes) -> bytes:
        return word.sub(lambda found: RENAMED[found[0].decode()].encode(), text)

    return SourceTree.from_texts({rename(path.encode()).decode(): rename(tree.read(path)) for path in tree.files}, package="sglang")


@pytest.mark.parametrize("version", ["0.3.0", "0.4.3"])
def test_the_golden_case_in_a_fork_that_renamed_everything(release: Callable[[str], SourceTree], version: str) -> None:
    given = ("static_share=0.55", "card_after=21.7", "card_before=94")
    found = ask(renamed(release(version)), "left_over", *given, observed="left_over=10.42")
    assert (found.result.value, found.result.unit) == (-20.6, "GiB")
    assert found.thresholds[0].text == "--static-share above 0.7692"
    assert found.observed is not None
    assert [one.input for one in found.observed.explanations] == ["static_share", "card_after", "card_before"]
    assert found.observed.explanations[0].written_at[0].symbol.startswith("sglang.srt.launch_options:LaunchOptions.")
    missing = {row.name: row for row in ask(renamed(release(version)), "left_over").inputs}
    assert missing["card_before"].log_text.startswith("Load weight begin.")
    assert missing["card_after"].log_text.startswith("Load weight end.")


@pytest.mark.parametrize(
    ("version", "given", "fraction"),
    [
        ("0.5.9", ("gpu_mem=24564MiB", "tp_size=1"), 0.847),
        ("0.5.9", ("gpu_mem=24564MiB", "tp_size=8"), 0.806),
        ("0.5.9", ("gpu_mem=24564MiB", "tp_size=8", "enable_dp_attention=true", "dp_size=8"), 0.728),
        ("0.5.9", ("gpu_mem=81559MiB", "tp_size=1"), 0.835),
        ("0.5.9", ("gpu_mem=81559MiB", "tp_size=8"), 0.818),
        ("0.5.9", ("gpu_mem=81559MiB", "tp_size=8", "enable_dp_attention=true", "dp_size=8"), 0.592),
        ("0.5.9", ("gpu_mem=143771MiB", "tp_size=8"), 0.897),
        ("0.5.9", ("gpu_mem=24564MiB", "chunked_prefill_size=16384"), -0.028),
        ("0.5.9", ("gpu_mem=none",), 0.88),
        ("0.5.23", ("gpu_mem=24564MiB", "tp_size=8"), 0.658),
        ("0.5.23", ("gpu_mem=81559MiB", "tp_size=8"), 0.812),
        ("0.5.23", ("gpu_mem=81559MiB", "tp_size=8", "attn_dp_size=8"), 0.586),
    ],
)
def test_the_automatic_fraction(release: Callable[[str], SourceTree], version: str, given: tuple[str, ...], fraction: float) -> None:
    """The numbers of each release; about half of them were also worked out by hand from its source."""
    assert ask(release(version), "mem_fraction_static", *given).result.value == fraction
