"""What a run looks for, as data: a fork that calls things by other names changes a value here, not code."""

from __future__ import annotations

import msgspec


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a source is recognised and bounded.

    `anchors` are identifiers that only the package worth analysing mentions; the top-level package with the most files
    that mention one is the one analysed. `installed` are the import names to look for in environments. A file above
    `max_file_bytes` is reported as unreadable.
    """

    anchors: tuple[str, ...] = ("mem_fraction_static",)
    installed: tuple[str, ...] = ("sglang",)
    max_file_bytes: int = 16 * 2**20


DEFAULT_SOURCE_SETTINGS = SourceSettings()
