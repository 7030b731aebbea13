"""Which content a file had when it was last hashed, so that an unchanged file need not be read to know its digest."""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from sgmem.cache.store import Store

# Clocks of file systems are coarse (FAT: 2 s) and those of servers may differ a little from ours.
_RACY_NANOSECONDS = 3 * 10**9
_KIND = "stat"
# Above this, files that this run did not ask about are forgotten: most of them are gone.
_MOST_FILES = 20_000


class FileState(msgspec.Struct, frozen=True, array_like=True):
    """What the file system says about a file; times in nanoseconds since the epoch, `seen` by our clock."""

    size: int
    modified: int
    changed: int
    inode: int
    seen: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, time.time_ns())

    def is_of(self, status: os.stat_result) -> bool:
        """Whether the file is as it was."""
        return (
            self.size == status.st_size
            and self.modified == status.st_mtime_ns
            and self.changed == status.st_ctime_ns
            and self.inode == status.st_ino
        )

    @property
    def racy(self) -> bool:
        """Git's rule: the file changed so shortly before it was seen that its times may not tell the next change."""
        return max(self.modified, self.changed) + _RACY_NANOSECONDS > self.seen


class _Known(msgspec.Struct, frozen=True, array_like=True):
    state: FileState
    digest: str


class StatIndex:
    """The digests of the files below one folder. Loaded when first asked, saved when the store is closed."""

    def __init__(self, store: Store, root: str) -> None:
        self._store = store
        self._key = hashlib.blake2b(os.fsencode(root), digest_size=16).hexdigest()
        self._known: dict[str, _Known] | None = None
        self._changed = False
        self._asked: set[str] = set()
        store.before_close(self.save)

    def digest(self, path: str) -> str | None:
        """The digest of the file, if it is in the state in which it was hashed and that state was not racy."""
        name = _text(path)
        self._asked.add(name)
        known = self._load().get(name)
        if known is None or known.state.racy:
            return None
        try:
            status = os.stat(path)  # noqa: PTH116 - thousands of files, and a Path costs as much as the question
        except (OSError, ValueError):
            return None
        return known.digest if known.state.is_of(status) else None

    def learn(self, path: str, state: FileState, digest: str) -> None:
        """The file, while in `state`, had this digest."""
        if state.racy:
            return
        name = _text(path)
        self._asked.add(name)
        self._load()[name] = _Known(state, digest)
        self._changed = True

    def save(self) -> None:
        """Hand what was learnt to the store."""
        if self._changed and self._known is not None:
            if len(self._known) > _MOST_FILES:
                self._known = {name: self._known[name] for name in self._asked if name in self._known}
            self._store.put_many(_KIND, [(self._key, msgspec.msgpack.encode(self._known))])
            self._changed = False

    def _load(self) -> dict[str, _Known]:
        if self._known is None:
            self._known = {}
            saved = self._store.get(_KIND, self._key)
            if saved is not None:
                try:
                    self._known = msgspec.msgpack.decode(saved, type=dict[str, _Known])
                except (msgspec.DecodeError, msgspec.ValidationError):
                    self._changed = True
        return self._known


def _text(path: str) -> str:
    """Names that are no UTF-8 cannot be encoded as they are."""
    return path if path.isprintable() else os.fsencode(path).hex()
