"""Exit codes of explain: 0 for an answer, 1 for a contradiction, 2 for wrong use, 3 for what is not found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CLASSIC = Path(__file__).parents[2] / "fixtures" / "classic"
NUMBERS = ("--set", "mem_fraction_static=0.55", "--set", "total_gpu_memory=94GiB", "--set", "available_gpu_memory=21.7GiB")


def explain(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sgmem", "explain", *arguments, "--source", str(CLASSIC), "--no-cache", "-q"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("rest_memory", *NUMBERS), 0),
        (("rest_memory", *NUMBERS, "--observed", "rest_memory=-20.6"), 0),
        (("rest_memory", *NUMBERS, "--observed", "rest_memory=10.42"), 1),
        (("rest_memory", "--set", "rest_memory"), 2),
        (("rest_memory", "--set", "nothing_like_it=3"), 2),
        (("rest_memory", *NUMBERS, "--observed", "total_gpu_memory=94"), 2),
        (("nothing_like_it",), 3),
    ],
)
def test_the_exit_code_is_the_same_in_every_format(form: str, arguments: tuple[str, ...], code: int) -> None:
    assert explain(*arguments, "--format", form).returncode == code


def test_the_bundled_example_tells_the_story() -> None:
    done = explain("rest_memory", *NUMBERS, "--observed", "rest_memory=10.42", "--format", "json")
    found = json.loads(done.stdout)
    assert found["result"]["value"] == -20.6
    first = found["observed"]["explanations"][0]
    assert (first["input"], first["value"]) == ("mem_fraction_static", 0.88)
    assert first["written_at"][0]["path"] == "minisgl/srt/server_args.py"


def test_exact_leaves_no_room() -> None:
    done = explain("rest_memory", *NUMBERS, "--exact", "--observed", "rest_memory=-20.61", "--format", "json")
    assert done.returncode == 1
