from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sgmem
from sgmem.cache.tool_stamp import tool_stamp


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the tool that can be edited."""
    assert sgmem.__file__ is not None
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(sgmem.__file__).parent, tmp_path / "tool" / "sgmem", ignore=ignored)
    return tmp_path / "tool"


def stamp_of(tool: Path) -> str:
    script = "from sgmem.cache.tool_stamp import tool_stamp; print(tool_stamp())"
    path = os.pathsep.join([str(tool), *sys.path])
    run = [sys.executable, "-B", "-c", script]
    return subprocess.run(run, env={**os.environ, "PYTHONPATH": path}, check=True, capture_output=True, text=True).stdout


def test_the_same_code_has_one_stamp(copy: Path) -> None:
    assert tool_stamp() == tool_stamp()
    assert len(tool_stamp()) == 16
    assert stamp_of(copy) == stamp_of(copy) != tool_stamp() + "\n"


@pytest.mark.parametrize("edited", ["sgmem/source/tree.py", "sgmem/models/new.toml", "sgmem/new/module.py"])
def test_every_edit_changes_it(edited: str, copy: Path) -> None:
    before = stamp_of(copy)
    (copy / edited).parent.mkdir(exist_ok=True)
    with (copy / edited).open("a") as file:
        file.write("\n")
    assert stamp_of(copy) != before


def test_what_python_writes_beside_it_does_not(copy: Path) -> None:
    before = stamp_of(copy)
    (copy / "sgmem" / "__pycache__").mkdir()
    (copy / "sgmem" / "__pycache__" / "x.cpython-311.pyc").write_text("")
    (copy / "sgmem" / "__pycache__" / "x.py").write_text("")
    assert stamp_of(copy) == before
