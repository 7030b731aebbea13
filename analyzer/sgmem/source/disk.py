"""Reading files of a folder on disk."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from sgmem.cache.stat_index import FileState, StatIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

# Not blocking, so that a pipe put where a file was a moment ago cannot hang the run.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Disk:
    """Files by the path the system knows, read at most once, with the index that remembers their digests."""

    def __init__(self, index: StatIndex, max_file_bytes: int) -> None:
        self._index = index
        self._max_file_bytes = max_file_bytes
        self._peeked: dict[str, bytes] = {}
        self._states: dict[str, FileState] = {}

    def read(self, path: str) -> bytes:
        """The bytes of a file, kept by the caller from here on. OSError says why it cannot be read."""
        if path in self._peeked:
            return self._peeked.pop(path)
        data, state = read_file(path, self._max_file_bytes)
        if state is not None:
            self._states[path] = state
        return data

    def peek(self, path: str) -> bytes:
        """The bytes of a file that will be read again."""
        data = self._peeked[path] = self.read(path)
        return data

    def forget_peeked(self, but: Mapping[str, str]) -> None:
        """Free the memory of files that will not be read after all: those not among the values of `but`."""
        wanted = set(but.values())
        self._peeked = {path: data for path, data in self._peeked.items() if path in wanted}

    def known_digest(self, path: str) -> str | None:
        """The digest of a file that is as it was when it was hashed."""
        return self._index.digest(path)

    def learn_digest(self, path: str, digest: str) -> None:
        """The bytes read from the file have this digest."""
        state = self._states.get(path)
        if state is not None:
            self._index.learn(path, state, digest)


class FolderContents:
    """The bytes of a tree on disk: `files` maps the path in the tree to the path the system knows."""

    def __init__(self, disk: Disk, files: Mapping[str, str]) -> None:
        self._disk = disk
        self._files = files
        disk.forget_peeked(files)

    def read(self, path: str) -> bytes:
        return self._disk.read(self._files[path])

    def known_digest(self, path: str) -> str | None:
        return self._disk.known_digest(self._files[path])

    def learn_digest(self, path: str, digest: str) -> None:
        self._disk.learn_digest(self._files[path], digest)

    def identity(self, path: str) -> str | None:
        return None

    def place(self, path: str) -> str | None:
        return self._files[path]


def read_file(path: str, max_bytes: int) -> tuple[bytes, FileState | None]:
    """The bytes of a regular file, and its state if that held still meanwhile. OSError says why it cannot be read."""
    # Bare descriptors: for thousands of small files, file objects take longer than the reading.
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise OSError("not a regular file")
        check_size(before.st_size, max_bytes)
        state = FileState.of(before)
        data = _read_to_end(descriptor, before.st_size, max_bytes)
        held_still = state.is_of(os.fstat(descriptor)) and len(data) == before.st_size
    finally:
        os.close(descriptor)
    return data, state if held_still else None


def _read_to_end(descriptor: int, expected: int, max_bytes: int) -> bytes:
    """Everything, usually `expected` bytes in one piece; OSError if it turns out to be more than `max_bytes`."""
    data = os.read(descriptor, expected + 1)
    if len(data) == expected:
        return data
    while more := os.read(descriptor, 2**20):
        data += more
        check_size(len(data), max_bytes)
    return data


def check_size(size: int, max_bytes: int) -> None:
    """OSError if a file of `size` bytes is too large to be anybody's source."""
    if size > max_bytes:
        raise OSError(f"larger than the limit of {max_bytes / 2**20:.3g} MiB for one file")
