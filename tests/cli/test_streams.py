"""A caller may close any of the three streams, or point one at a disk that is full."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRACE = f"trace mem_fraction_static --no-cache --source '{ROOT}/fixtures/classic'"
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


def run(command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which `sgmem` stands for the command."""
    script = f'sgmem() {{ "{sys.executable}" -m sgmem "$@"; }}\n{command}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"})


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_nothing_but_what_is_seen(closed: str) -> None:
    ended = run(f"sgmem {TRACE} {closed}")
    assert ended.returncode == 0
    assert ended.stderr == ""
    assert ("rest_memory" in ended.stdout) == (">&-" not in closed.replace("2>&-", ""))


def test_what_is_said_on_a_closed_stderr_is_not_printed_among_the_results(tmp_path: Path) -> None:
    ended = run(f"sgmem {TRACE} -o text:'{tmp_path}/t.txt' 2>&-")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert run("sgmem rule nope 2>&-").stdout == ""


@needs_full
@pytest.mark.parametrize("arguments", [TRACE, TRACE + " --format json", "rule", "rule negative-budget", "config"])
def test_a_full_disk_behind_stdout_is_one_clear_error(arguments: str) -> None:
    ended = run(f"sgmem {arguments} >/dev/full")
    assert ended.returncode == 2
    assert ended.stderr == "error: cannot write to stdout: No space left on device\n"


@needs_full
def test_a_version_that_cannot_be_printed_is_an_error() -> None:
    ended = run("sgmem --version >/dev/full")
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
