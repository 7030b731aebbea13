"""Finds the settings file of a working folder: the nearest one, up to the root of the repository."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from sgmem.config.errors import UsageError

OWN = "sgmem.toml"
SHARED = "pyproject.toml"


class SettingsFile(msgspec.Struct, frozen=True):
    """A settings file, parsed. `prefix` are the keys of the table that holds the settings."""

    path: Path
    text: str
    table: dict[str, Any]
    prefix: tuple[str, ...]


def nearest(folder: Path) -> SettingsFile | None:
    """The settings nearest to a folder: `sgmem.toml`, or a `pyproject.toml` with `[tool.sgmem]`, in it or above it.

    Looking stops at the root of the repository, and at the folder itself where it is in none. Raises UsageError for a
    file that is not sound.
    """
    for around in up_to_root(folder):
        own = around / OWN
        if own.is_file():
            return read(own)
        shared = around / SHARED
        if shared.is_file() and b"sgmem" in _bytes(shared):
            found = read(shared)
            if found.prefix:
                return found
    return None


def up_to_root(folder: Path) -> list[Path]:
    """The folder and those around it, up to the root of its repository; itself alone where it is in none."""
    folders = [folder, *folder.parents]
    for number, around in enumerate(folders, 1):
        if (around / ".git").exists():
            return folders[:number]
    return folders[:1]


def read(path: Path) -> SettingsFile:
    """A settings file of either kind. In a `pyproject.toml` without `[tool.sgmem]` there are no settings, and no prefix."""
    try:
        text = _bytes(path).decode("utf-8-sig")
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    except RecursionError:
        raise UsageError(f"{path}: its values are nested too deeply to be read") from None
    if path.name != SHARED:
        return SettingsFile(path, text, _unwrapped(path, document), ())
    tool = document.get("tool")
    table = tool.get("sgmem") if isinstance(tool, dict) else None
    if table is None:
        return SettingsFile(path, text, {}, ())
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.sgmem must be a table")
    return SettingsFile(path, text, table, ("tool", "sgmem"))


def _unwrapped(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """The document itself; `[tool.sgmem]` copied from a pyproject.toml is an error that says what to write."""
    if isinstance(document.get("tool"), dict) and "sgmem" in document["tool"]:
        raise UsageError(f"{path}: its keys stand at the top level", hint="leave out the tool.sgmem in front of them")
    return document


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
