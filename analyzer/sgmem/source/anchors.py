"""How much some files look like the package worth analysing."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sgmem.source.identifiers import mentions_any
from sgmem.source.tree import content_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.cache.store import Store
    from sgmem.source.disk import Disk

_KIND = "anchored"


class AnchorCounter:
    """Counts the files on disk that mention an anchor; for unchanged files it remembers that and reads none of them."""

    def __init__(self, disk: Disk, store: Store, anchors: Sequence[str]) -> None:
        self._disk = disk
        self._store = store
        self._anchors = anchors

    def __call__(self, files: Sequence[str]) -> int:
        if not files:
            return 0
        key = self._key([self._disk.known_digest(file) for file in files])
        saved = self._store.get(_KIND, key) if key else None
        if saved is not None and saved.isdigit():
            return int(saved)
        counted = [self._look_into(file) for file in files]
        count = sum(anchored for anchored, _ in counted)
        if key := self._key([digest for _, digest in counted]):
            self._store.put_many(_KIND, [(key, b"%d" % count)])
        return count

    def _look_into(self, file: str) -> tuple[bool, str | None]:
        """Whether a file mentions an anchor, and its digest."""
        try:
            data = self._disk.peek(file)
        except OSError:
            return False, None
        digest = None
        if self._store.keeps:
            digest = content_digest(data)
            self._disk.learn_digest(file, digest)
        return mentions_any(data, self._anchors), digest

    def _key(self, digests: Sequence[str | None]) -> str | None:
        """One key for the contents of all files; None if one of them is not known."""
        known = [digest for digest in digests if digest is not None]
        if len(known) < len(digests):
            return None
        return hashlib.blake2b("\n".join([*known, *self._anchors]).encode(), digest_size=16).hexdigest()
