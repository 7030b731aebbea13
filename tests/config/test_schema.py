from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest

from sgmem.config.schema import committed, generated
from sgmem.config.settings import MEANING
from sgmem.config.start import start
from sgmem.config.validate import BadSetting, settings_of, types

SCHEMA = json.loads(committed())


def test_the_committed_schema_is_the_one_that_the_types_give() -> None:
    assert committed() == generated(), "write sgmem.config.schema.generated() to the file again"


def test_every_key_has_its_meaning() -> None:
    assert list(MEANING) == list(types())


@pytest.mark.parametrize(
    ("values", "good"),
    [
        ({"persona": "auditor", "rules": {"a": "off"}, "per-file-ignores": {"x": ["a"]}}, True),
        ({"model": {"unit": [{"names": ["**:f"]}]}}, True),
        ({"personna": "auditor"}, False),
        ({"rules": {"a": "loud"}}, False),
        ({"select": "a"}, False),
        ({"strict": 1}, False),
    ],
)
def test_the_schema_and_the_types_agree(values: dict[str, Any], good: bool) -> None:
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(values) == good
    if good:
        settings_of(values)
    else:
        with pytest.raises(BadSetting):
            settings_of(values)


@pytest.mark.parametrize("in_pyproject", [False, True])
def test_the_start_is_sound_as_written_and_with_every_example_switched_on(in_pyproject: bool) -> None:
    text = start({"source": "python"}, in_pyproject=in_pyproject)
    switched_on = "\n".join(line.removeprefix("#") if not line.startswith("# ") else line for line in text.split("\n"))
    for written in (text, switched_on):
        table = tomllib.loads(written)
        table = table["tool"]["sgmem"] if in_pyproject else table
        settings = settings_of(table)
        assert settings.source == "python"
    assert set(table) == set(types())
