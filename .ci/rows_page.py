"""Writes docs/model-rows.md from the types of the model rows. Run it after a change there; a test compares."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import msgspec

from sgmem.models import rows
from sgmem.models.load import FILES
from sgmem.models.rows import Row

PAGE = Path(__file__).parents[1] / "docs" / "model-rows.md"
HEAD = """\
# Fields of the model rows

What a row is for, and how a project adds its own, stands in [models.md](models.md). Every row has the fields of the first table.
A row is checked when it is read: an unknown field, a wrong type or a malformed pattern is an error that names the row. The rows
that come with sgmem, in `analyzer/sgmem/models/*.toml`, are examples of every kind.
"""
_WORDS = {"string": "text", "integer": "number", "boolean": "true or false", "null": ""}


def page() -> str:
    """The page as it follows from the types."""
    parts = [HEAD, _part("Every row", Row, ())]
    common = Row.__struct_fields__
    parts += [_part(f"`[[{name}]]`", kind, common) for name, kind in FILES.items()]
    return "\n".join(parts)


def _part(title: str, kind: type[msgspec.Struct], common: tuple[str, ...], level: str = "##") -> str:
    """The fields of a row, without the common ones, and below them the tables that its fields hold."""
    schemas = msgspec.json.schema(kind)["$defs"]
    schema = schemas[kind.__name__]
    required = schema.get("required", [])
    lines = [
        f"| `{name}` | {_type(one)} | {'required' if name in required else _default(one)} | {one['description']} |\n"
        for name, one in schema["properties"].items()
        if name not in common
    ]
    text = f"{level} {title}\n\n{inspect.getdoc(kind)}\n\n| field | value | default | meaning |\n|---|---|---|---|\n{''.join(lines)}"
    inner = [one for one in _structs(kind) if not issubclass(one, Row)]
    return "\n".join([text, *(_part(f"{one.__name__.lower()}", one, (), "###") for one in inner)])


def _structs(kind: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    """The structs that the fields of a struct hold."""
    names = msgspec.json.schema(kind)["$defs"]
    return [getattr(rows, name) for name in names if name != kind.__name__]


def _type(schema: dict[str, Any]) -> str:
    """A JSON Schema as a reader of TOML says it."""
    if "anyOf" in schema:
        return " or ".join(word for one in schema["anyOf"] if (word := _type(one)))
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"] if one is not None)
    if "$ref" in schema:
        return f"table, see {schema['$ref'].rpartition('/')[2].lower()}"
    if schema["type"] == "array":
        return f"list of: {_type(schema['items'])}"
    return _WORDS[schema["type"]]


def _default(schema: dict[str, Any]) -> str:
    value = schema.get("default")
    return f"`{msgspec.json.encode(value).decode()}`" if value else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
