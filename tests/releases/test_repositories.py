"""Repositories as CI has them: a package in a sub-folder, a detached head, a shallow clone, a submodule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from releases.fork import PROJECT, Done, Fork

EXAMPLE = PROJECT / "fixtures" / "classic"
DEFECT = "def fits(weights_mb, budget_gb):\n    return weights_mb <= budget_gb\n"


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    """The bundled example, and a second commit that adds a defect."""
    fork = Fork(tmp_path / "fork", "python")
    fork.write({file.relative_to(EXAMPLE).as_posix(): file.read_bytes() for file in sorted(EXAMPLE.rglob("*.py"))})
    fork.git("init", "--quiet", "--initial-branch=main")
    assert fork.commit("first").code == 0
    fork.write({"minisgl/srt/ours.py": DEFECT})
    assert fork.commit("second").code == 0
    return fork


def places(done: Done) -> list[tuple[str, int]]:
    assert done.code in (0, 1), done.said
    found: list[dict[str, Any]] = json.loads(done.out)["findings"]
    return [(one["uri"], one["line"]) for one in found]


def new_against(fork: Fork, reference: str, folder: Path | None = None) -> list[tuple[str, int]]:
    return places(fork.sgmem("check", "--against", reference, "-f", "json", "-q", folder=folder))


NEW = [("python/minisgl/srt/ours.py", 2)]


def test_a_package_in_a_sub_folder_is_found_from_anywhere(fork: Fork) -> None:
    everything = places(fork.sgmem("check", "-f", "json", "-q"))
    assert NEW[0] in everything and len(everything) > 1
    for inner in ("python", "python/minisgl", "python/minisgl/srt/managers"):
        assert places(fork.sgmem("check", "-f", "json", "-q", folder=fork.folder / inner)) == everything
    assert new_against(fork, "HEAD~1") == NEW
    assert new_against(fork, "HEAD~1", fork.below / "minisgl" / "srt") == NEW


def test_a_package_that_moved_since_is_found_where_it_was(fork: Fork) -> None:
    fork.git("mv", "python", "source")
    assert fork.commit("moved").code == 0
    assert new_against(fork, "HEAD~2") == [("source/minisgl/srt/ours.py", 2)]
    assert new_against(fork, "HEAD~1") == []


def test_a_detached_head_is_like_any_other(fork: Fork) -> None:
    fork.git("checkout", "--quiet", "--detach")
    assert new_against(fork, "HEAD~1") == NEW
    assert new_against(fork, "main~1") == NEW


def test_a_shallow_clone_says_what_to_fetch_and_then_works(fork: Fork, tmp_path: Path) -> None:
    first = fork.git("rev-parse", "HEAD~1").strip()
    fork.git("clone", "--quiet", "--depth=1", f"file://{fork.folder}", str(tmp_path / "shallow"))
    shallow = Fork(tmp_path / "shallow", "python")
    assert places(shallow.sgmem("check", "-f", "json", "-q")) == places(fork.sgmem("check", "-f", "json", "-q"))
    done = shallow.sgmem("check", "--against", "HEAD~1")
    assert (done.code, done.out) == (2, "")
    assert "hint: this clone is shallow: git fetch --depth=1 origin" in done.err
    shallow.git("fetch", "--quiet", "--depth=1", "origin", first)
    assert new_against(shallow, "FETCH_HEAD") == NEW


def test_a_submodule_is_its_own_repository(fork: Fork, tmp_path: Path) -> None:
    outer = Fork(tmp_path / "outer", "")
    outer.write({"README.md": "a product\n", "sgmem.toml": '[per-file-ignores]\n"**/ours.py" = ["unit-mismatch"]\n'})
    outer.git("init", "--quiet", "--initial-branch=main")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(fork.folder), "third_party/server")
    assert outer.commit("with the server").code == 0
    uris = {uri for uri, _ in places(outer.sgmem("check", "-f", "json", "-q"))}
    below = "third_party/server/python/minisgl/srt"
    assert f"{below}/model_executor/kv_cache_mixin.py" in uris
    assert all(uri.startswith(below) for uri in uris) and f"{below}/ours.py" not in uris
    assert new_against(outer, "HEAD~1") == []
    inside = outer.folder / "third_party" / "server"
    assert new_against(outer, "HEAD~1", inside) == NEW


def test_a_revision_of_what_is_in_no_repository_is_refused(fork: Fork, tmp_path: Path) -> None:
    plain = Fork(tmp_path / "plain", "")
    plain.write({"minisgl/a.py": "mem_fraction_static = 1\n", "minisgl/__init__.py": ""})
    done = plain.sgmem("check", "--against", "HEAD")
    assert done.code == 2
    assert "is in no git repository" in done.err
