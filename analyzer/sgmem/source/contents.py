"""Where the bytes of a source tree come from. Each kind of source has one implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Contents(Protocol):
    """The bytes behind the paths of a tree."""

    def read(self, path: str) -> bytes:
        """The bytes of the file; OSError, with the reason as its text, if it cannot be read."""

    def known_digest(self, path: str) -> str | None:
        """The digest of the bytes if it is known without reading them."""

    def learn_digest(self, path: str, digest: str) -> None:
        """The bytes that `read` returned have this digest."""

    def identity(self, path: str) -> str | None:
        """A name that changes whenever the bytes do, if there is a cheaper one than the digest."""

    def place(self, path: str) -> str | None:
        """Where the file is on disk, if it is."""


class TextContents:
    """Bytes held in memory."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = dict(texts)

    def read(self, path: str) -> bytes:
        return self._texts[path]

    def known_digest(self, path: str) -> str | None:
        return None

    def learn_digest(self, path: str, digest: str) -> None:
        return None

    def identity(self, path: str) -> str | None:
        return None

    def place(self, path: str) -> str | None:
        return None
