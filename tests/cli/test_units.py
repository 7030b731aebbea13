"""`sgmem units` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sgmem.cli.app import invoke

if TYPE_CHECKING:
    import pytest

FOLDER = "fixtures/classic"


def test_amounts_are_counted_for_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["units", "--source", FOLDER, "-q"]) == 0
    text = capsys.readouterr().out
    assert "amounts of memory in" in text
    assert "GiB" in text


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["units", "--source", FOLDER, "--format", "json", "-q", "--suggest", "--top", "2"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "sgmem/units/1"
    assert result["amounts"] == sum(result["known"].values()) + len(result["unknown"])
    assert len(result["suggestions"]) <= 2
