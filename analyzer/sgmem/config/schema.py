"""The JSON Schema of the settings, for editors: generated from the types, committed, and compared in a test."""

from __future__ import annotations

from importlib import resources
from typing import Any

import msgspec

from sgmem.config.settings import MEANING, Settings

FILE = "settings-1.json"


def generated() -> str:
    """The schema as it follows from the types."""
    (schema,), definitions = msgspec.json.schema_components([Settings], ref_template="#/$defs/{name}")
    body: dict[str, Any] = definitions[schema["$ref"].rpartition("/")[2]]
    for key, meaning in MEANING.items():
        body["properties"][key]["description"] = meaning
    body.pop("description", None)
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "sgmem/settings/1",
        **body,
        "title": "The settings of sgmem: sgmem.toml, or [tool.sgmem] in pyproject.toml",
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def committed() -> str:
    return resources.files("sgmem.config").joinpath(FILE).read_text(encoding="utf-8")
