"""Writes docs/settings.md from the types of the settings. Run it after a change there; a test compares."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sgmem.config.environment import variable_of
from sgmem.config.settings import MEANING, Settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
HEAD = """\
# Settings

In `sgmem.toml`, or under `[tool.sgmem]` in a `pyproject.toml`: the nearest to the working folder, up to the root of its
repository. `--config FILE` or `SGMEM_CONFIG` names another file; `--isolated` or `SGMEM_ISOLATED` looks at none. What the command
line says goes before variables, those before the file. Paths are relative to the file. An unknown key or a wrong type is an error
with its line. `sgmem config` shows what is in force and from where, `sgmem config --schema` prints the JSON Schema.

| key | default | variable | meaning |
|---|---|---|---|
"""


def page() -> str:
    """The page as it follows from the types."""
    defaults = msgspec.json.decode(msgspec.json.encode(Settings()))
    rows = []
    for key, meaning in MEANING.items():
        default = defaults[key]
        shown = "none" if default is None else f"`{msgspec.json.encode(default).decode()}`"
        variable = "" if isinstance(default, dict) else f"`{variable_of(key)}`"
        rows.append(f"| `{key}` | {shown} | {variable} | {meaning} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
