from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgmem.cache.stat_index import StatIndex
from sgmem.cache.store import NullStore, Store
from sgmem.source.anchors import AnchorCounter
from sgmem.source.disk import Disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def counter(folder: Path, store: Store, *anchors: str) -> AnchorCounter:
    return AnchorCounter(Disk(StatIndex(store, str(folder)), 1000), store, anchors or ("anchor",))


def test_counts_files_that_mention_any_anchor(tmp_path: Path, write: Callable[..., Path]) -> None:
    write(tmp_path, {"a.py": "anchor anchor", "b.py": "no", "c.py": "mooring", "d.py": "anchors"})
    files = [str(tmp_path / f"{name}.py") for name in ("a", "b", "c", "d", "gone")]
    assert counter(tmp_path, NullStore(), "anchor", "mooring")(files) == 2
    assert counter(tmp_path, NullStore())(files) == 1
    assert counter(tmp_path, NullStore())([]) == 0


def test_a_count_is_remembered_for_the_same_contents_and_anchors(
    tmp_path: Path, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sgmem.cache.stat_index._RACY_NANOSECONDS", -(10**12))
    write(tmp_path / "source", {"a.py": "anchor", "b.py": "no"})
    files = [str(tmp_path / "source" / name) for name in ("a.py", "b.py")]
    with Store.open(tmp_path / "cache") as store:
        assert counter(tmp_path, store)(files) == 1
    with Store.open(tmp_path / "cache") as store:
        monkeypatch.setattr("sgmem.source.anchors.mentions_any", lambda *_: pytest.fail("looked again"))
        assert counter(tmp_path, store)(files) == 1
    monkeypatch.undo()
    with Store.open(tmp_path / "cache") as store:
        assert counter(tmp_path, store, "no")(files) == 1
        (tmp_path / "source" / "b.py").write_text("anchor now")
        assert counter(tmp_path, store)(files) == 2
