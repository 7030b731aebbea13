"""Writes docs/json.md from the JSON Schemas of the results. Run it after a change there; a test compares."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "json.md"
SCHEMAS = PROJECT / "analyzer" / "sgmem" / "report" / "schema"
INTRODUCTIONS = PROJECT / ".ci" / "json_page"
COMMANDS = ("trace", "check", "timeline", "explain", "reconcile", "models", "units")

COMMON = {
    "path": "relative to the folder that holds the package",
    "uri": "the same place, relative to the root of the repository or the working folder",
    "line": "from 1",
    "column": "from 1, in characters",
    "end_line": "last line",
    "end_column": "one past the last character",
    "symbol": "the class or function around the place, `module:Class.function`",
    "code": "the source there, on one line",
    "when": "conditions under which it is reached, outermost first",
    "unit": "as far as it is known",
    "schema": "name and version of this contract",
    "source": "what was analysed",
    "root": "the folder, revision or release that was analysed",
    "version": "the release number that the source states",
    "unreadable": "files that could not be read",
    "why": "the reason, in one line",
    "text": "in words, or as the source spells it",
    "low": "the least value that the rounding of what was given allows",
    "high": "the greatest such value",
    "note": "what a reader should know",
    "notes": "what a reader should know",
    "log_line": "line of the log, from 1",
    "confidence": "how sure it is",
    "flag": "the option that sets it",
}
"""What a field of this name means wherever the schema does not say it itself."""


def page() -> str:
    """The page as it follows from the schemas and the introductions."""
    parts = [(INTRODUCTIONS / "head.md").read_text(encoding="utf-8")]
    for command in COMMANDS:
        schema = json.loads((SCHEMAS / f"{command}-1.json").read_text(encoding="utf-8"))
        parts.append(f"\n## `sgmem {command}`\n\nSchema: [`{command}-1.json`](../analyzer/sgmem/report/schema/{command}-1.json).\n")
        parts.append("\n" + (INTRODUCTIONS / f"{command}.md").read_text(encoding="utf-8"))
        parts += objects(command, schema)
    return "".join(parts)


def objects(command: str, schema: dict[str, Any]) -> Iterator[str]:
    """A table for the result itself and for each object in it."""
    definitions = schema.get("$defs", {})
    top = definitions.get(schema["$ref"].rpartition("/")[2], schema) if "$ref" in schema else schema
    own = meanings().get(command, {})
    yield from table(f"The result of `{command}`", top, definitions, own.get("result", {}))
    for name, definition in definitions.items():
        if definition is not top and "properties" in definition:
            yield from table(f"{command}: {spelled(name)}", definition, definitions, own.get(name, {}))


def meanings() -> dict[str, dict[str, dict[str, str]]]:
    """What fields mean whose schema does not say it: by command, object and field."""
    return tomllib.loads((INTRODUCTIONS / "meanings.toml").read_text(encoding="utf-8"))


def table(title: str, definition: dict[str, Any], definitions: dict[str, Any], own: dict[str, str]) -> Iterator[str]:
    yield f"\n### {title}\n\n"
    if "description" in definition and "$schema" not in definition:
        yield " ".join(definition["description"].split()) + "\n\n"
    yield "| field | type | meaning |\n|---|---|---|\n"
    for name, value in rows(definition, ""):
        meaning = own.get(name) or value.get("description") or COMMON.get(name.rpartition(".")[2], "")
        yield f"| `{name}` | {kind(value, definitions)} | {meaning.rstrip('.')} |\n"


def rows(definition: dict[str, Any], before: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of an object; those of objects that are written inside it follow under their path."""
    for name, value in definition.get("properties", {}).items():
        yield before + name, value
        inner = [value, *value.get("oneOf", ()), *value.get("anyOf", ())]
        for one in inner:
            items = one.get("items", {})
            if "properties" in one:
                yield from rows(one, f"{before}{name}.")
            elif "properties" in items:
                yield from rows(items, f"{before}{name}[].")


def kind(value: dict[str, Any], definitions: dict[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return kind(definitions[name], definitions) if "properties" not in definitions.get(name, {"properties": {}}) else spelled(name)
    if "const" in value:
        return f'`"{value["const"]}"`'
    if "enum" in value:
        return ", ".join(f'`"{one}"`' if isinstance(one, str) else "null" for one in value["enum"])
    for several in ("anyOf", "oneOf"):
        if several in value:
            kinds = list(dict.fromkeys(kind(one, definitions) for one in value[several]))
            if "number" in kinds and "integer" in kinds:
                kinds.remove("integer")
            return " or ".join(kinds)
    if value.get("type") == "array":
        return f"list of {kind(value.get('items', {}), definitions)}"
    named = value.get("type", "any")
    return " or ".join(named) if isinstance(named, list) else str(named)


def spelled(name: str) -> str:
    """`after_construction` and `ExplainStep` as words."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name.replace("_", " "))
    return words.strip()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
