from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.cache.place import cache_folder

if TYPE_CHECKING:
    import pytest


def test_the_override(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGMEM_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SGMEM_CACHE_DIR", "relative")
    assert cache_folder() == tmp_path / "relative"


def test_the_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGMEM_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    folder = cache_folder()
    assert folder is not None
    assert folder.is_relative_to(tmp_path) and folder.name == "sgmem"
    assert not folder.exists()


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGMEM_CACHE_DIR", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/sgmem"))
    assert cache_folder() is None

    def fail(*_: object, **__: object) -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr("platformdirs.user_cache_path", fail)
    assert cache_folder() is None
