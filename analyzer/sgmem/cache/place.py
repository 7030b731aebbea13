"""Where things are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

OVERRIDE = "SGMEM_CACHE_DIR"


def cache_folder() -> Path | None:
    """The user's cache folder for sgmem, which need not exist yet, or `SGMEM_CACHE_DIR`. None if there is no home."""
    chosen = os.environ.get(OVERRIDE)
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    try:
        folder = platformdirs.user_cache_path("sgmem", appauthor=False)
    except (OSError, RuntimeError, KeyError):
        return None
    # Without a home, `~` stays in the path as it is.
    return folder if folder.is_absolute() else None
