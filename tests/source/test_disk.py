from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sgmem.cache.stat_index import StatIndex
from sgmem.cache.store import NullStore
from sgmem.source.disk import Disk, check_size, read_file

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_and_its_state(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"x\r\n\xff")
    data, state = read_file(str(file), 100)
    assert data == b"x\r\n\xff"
    assert state is not None and state.is_of(file.stat())


def test_the_limit_is_the_largest_size_allowed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"12345")
    assert read_file(str(file), 5)[0] == b"12345"
    with pytest.raises(OSError, match="limit"):
        read_file(str(file), 4)


def test_a_large_file_is_not_read_to_find_that_out(tmp_path: Path) -> None:
    file = tmp_path / "sparse.py"
    with file.open("wb") as sparse:
        sparse.truncate(2**40)
    with pytest.raises(OSError, match="limit of 16 MiB"):
        read_file(str(file), 16 * 2**20)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        read_file(str(tmp_path), 100)
    with pytest.raises(FileNotFoundError):
        read_file(str(tmp_path / "gone"), 100)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(OSError, match="regular"):
        read_file(str(tmp_path / "pipe.py"), 100)


def test_size_check() -> None:
    check_size(4, 4)
    with pytest.raises(OSError, match="MiB"):
        check_size(5, 4)


def test_what_was_peeked_is_handed_over_once(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"one")
    disk = Disk(StatIndex(NullStore(), str(tmp_path)), 100)
    assert disk.peek(str(file)) == b"one"
    file.write_bytes(b"two")
    assert disk.read(str(file)) == b"one"
    assert disk.read(str(file)) == b"two"


def test_what_was_peeked_in_vain_is_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"one")
    disk = Disk(StatIndex(NullStore(), str(tmp_path)), 100)
    disk.peek(str(file))
    disk.forget_peeked({"b": "b"})
    file.write_bytes(b"two")
    assert disk.read(str(file)) == b"two"


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"12")
    read = os.read

    def grow(descriptor: int, size: int) -> bytes:
        monkeypatch.setattr(os, "read", read)
        with file.open("ab") as more:
            more.write(b"345")
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", grow)
    assert read_file(str(file), 100) == (b"12345", None)
    monkeypatch.setattr(os, "read", grow)
    with pytest.raises(OSError, match="limit"):
        read_file(str(file), 6)


def test_a_system_that_reads_in_small_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"12345")
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 2)))
    data, state = read_file(str(file), 100)
    assert data == b"12345" and state is not None
