"""Runs that are killed at any moment, or that share the store, leave every later answer right."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLASSIC = Path(__file__).parents[2] / "fixtures" / "classic"
COMMANDS = {"check": ["check", "--fail-on", "error"], "trace": ["trace", "mem_fraction_static"]}


def start(command: str, folder: Path, cache: Path, *more: str) -> subprocess.Popen[bytes]:
    full = [sys.executable, "-m", "sgmem", *COMMANDS[command], "--format", "json", "-q", "--source", str(folder), *more]
    return subprocess.Popen(full, env={**os.environ, "SGMEM_CACHE_DIR": str(cache)}, stdout=subprocess.PIPE, cwd=folder)


def answer(command: str, folder: Path, cache: Path, *more: str) -> bytes:
    process = start(command, folder, cache, *more)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return output


def edit(folder: Path, number: int) -> None:
    target = sorted(folder.rglob("*.py"))[number % 7]
    target.write_text(f"{target.read_text()}\ndef edit_{number}(server_args):\n    return server_args.mem_fraction_static\n")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_kill_at_any_moment_changes_no_later_answer(tmp_path: Path, command: str) -> None:
    folder, cache = tmp_path / "classic", tmp_path / "cache"
    shutil.copytree(CLASSIC, folder)
    begun = time.monotonic()
    answer(command, folder, cache)
    whole = time.monotonic() - begun
    moments = random.Random(1)
    for number in range(4):
        edit(folder, number)
        process = start(command, folder, cache)
        time.sleep(moments.uniform(0.3, 1.0) * whole)
        process.kill()
        process.communicate()
    assert answer(command, folder, cache) == answer(command, folder, cache, "--no-cache")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_two_runs_at_once_give_the_same_answer(tmp_path: Path, command: str) -> None:
    folder, cache = tmp_path / "classic", tmp_path / "cache"
    shutil.copytree(CLASSIC, folder)
    for number in range(2):
        edit(folder, number)
        runs = [start(command, folder, cache) for _ in range(2)]
        outputs = {process.communicate(timeout=120)[0] for process in runs}
        assert outputs == {answer(command, folder, cache, "--no-cache")}
