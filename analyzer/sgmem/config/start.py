"""The settings file that `sgmem init` writes: every key with its meaning and default, commented out but for what is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.config.settings import MEANING, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXAMPLES: dict[str, str] = {
    "source": '"python"',
    "package": '"sglang"',
    "select": '["negative-budget", "unit-mismatch"]',
    "ignore": '["mixed-measurement-times"]',
    "baseline": '"sgmem-baseline.json"',
    "models": '["sgmem-models.toml"]',
    "roots": '["**:OurRunner.__init__"]',
}
_TABLES: dict[str, str] = {
    "rules": 'mixed-measurement-times = "off"',
    "per-file-ignores": '"**/hardware_backend/**" = ["negative-budget"]',
}
_ROWS = """\
[[{prefix}model.unit]]
names = ["**:our_free_memory"]
kind = "result"
unit = "GiB"
why = "our fork: free memory of the device"
"""


def start(known: Mapping[str, Any], *, in_pyproject: bool) -> str:
    """The text of a settings file; `known` are keys that are set, by what was found in the tree."""
    prefix = "tool.sgmem." if in_pyproject else ""
    defaults = msgspec.to_builtins(Settings())
    lines = ["[tool.sgmem]"] if in_pyproject else []
    lines += ["# Settings of sgmem. `sgmem config` shows what is in force and from where. Lines behind one # show keys to set.", ""]
    for key, default in defaults.items():
        if isinstance(default, dict):
            continue
        value = json.dumps(known[key]) if key in known else _EXAMPLES.get(key) or json.dumps(default)
        lines += [f"# {MEANING[key]}", f"{'' if key in known else '#'}{key} = {value}", ""]
    for key, example in _TABLES.items():
        lines += [f"# {MEANING[key]}", f"#[{prefix}{key}]", f"#{example}", ""]
    lines += [f"# {MEANING['model']}"]
    lines += [f"#{line}" for line in _ROWS.format(prefix=prefix).splitlines()]
    return "\n".join(lines) + "\n"
