"""`sgmem reconcile` as a command: exit codes and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "out-of-memory.log"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "sgmem", "reconcile", *arguments], input=stdin, capture_output=True, check=False)


def test_a_contradiction_is_exit_code_1_in_every_format() -> None:
    assert run(str(EXAMPLE)).returncode == 1
    done = run(str(EXAMPLE), "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["boots"][0]["verdict"] == "inconsistent"


def test_a_log_that_adds_up_is_exit_code_0_from_stdin_too() -> None:
    log = EXAMPLE.read_bytes().replace(b"mem_fraction_static=0.55", b"mem_fraction_static=0.88")
    assert run("-", stdin=log).returncode == 0


def test_a_missing_log_is_exit_code_2_and_one_without_figures_3(tmp_path: Path) -> None:
    assert run(str(tmp_path / "absent.log")).returncode == 2
    empty = tmp_path / "empty.log"
    empty.write_text("nothing of interest\n")
    assert run(str(empty)).returncode == 3
