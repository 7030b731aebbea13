"""`sgmem models` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sgmem.cli.app import invoke

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FOLDER = "fixtures/classic"


def test_rows_are_listed_for_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["models", "--source", FOLDER, "-q"]) == 0
    text = capsys.readouterr().out
    assert "rows in force, 0 of them of your own" in text
    assert "get_available_gpu_memory" in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["models", "--source", FOLDER, "--format", "json", "-q", "--suggest"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "sgmem/models/1"
    assert any(row["state"] == "matched" for row in result["rows"])


def test_a_row_of_ones_own_that_matches_nothing_sets_the_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = tmp_path / "sgmem.toml"
    row = '[[model.config]]\nkind = "view"\nnames = ["**.gone:View"]\nof = ["**:ServerArgs"]\nwhy = "for a test"\n'
    settings.write_text(row)
    assert invoke(["models", "--source", FOLDER, "--config", str(settings), "-q"]) == 1
    assert "own config view  **.gone:View" in capsys.readouterr().out
