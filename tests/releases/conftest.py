"""Published releases as source trees. Tests that need one are skipped, and say so, only where no registry answers."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import SgmemError
from sgmem.source.locate import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sgmem.source.tree import SourceTree

SMALLEST = "sglang==0.1.12"


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], SourceTree]:
    """Return the tree of a release, downloaded into the user's cache the first time it is asked for."""
    scratch = tmp_path_factory.mktemp("registry")

    @cache
    def get(version: str) -> SourceTree | SgmemError:
        try:
            return open_source(f"sglang=={version}")
        except SgmemError as error:
            if registry_reachable(scratch):
                raise
            return error

    def tree_or_skip(version: str) -> SourceTree:
        got = get(version)
        if isinstance(got, SgmemError):
            pytest.skip(f"release {version} is not in the cache and no package registry can be reached: {got}")
        return got

    return tree_or_skip


@cache
def registry_reachable(scratch: Path) -> bool:
    """Whether pip can fetch anything at all; then a release that cannot be had is an error of ours."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(scratch),
        SMALLEST,
    ]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
