from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli.stubs import CommandLine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sgmem(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capfd, tmp_path)
