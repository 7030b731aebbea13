"""`sgmem models`: what rows match in a source, and which rows it seems to need."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from sgmem.config.errors import UsageError
from sgmem.config.settings import NO_OWN_MODELS, OwnModels
from sgmem.models.load import FILES, read_rows
from sgmem.queries.models.query import TABLES, models
from sgmem.report.json import render_models_json, schema_text
from sgmem.report.models.terminal import render_models_text
from sgmem.report.view import View
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.queries.results.models import ModelRow, ModelsResult

RECORD = """
from dataclasses import dataclass

@dataclass
class RunArgs:
    share: float = 0.5
    pages: int = 1
    limit: int = 2

def flags(parser):
    parser.add_argument("--share")
"""

VIEW = """
import torch
from pkg.run_args import RunArgs

class Plain:
    def __init__(self, run_args):
        self.run_args = run_args

class View:
    def __init__(self, run_args):
        object.__setattr__(self, "_run_args", run_args)
    def __getattr__(self, name):
        return look_up(self._run_args, name)

class Proxy:
    def __init__(self, run_args: RunArgs):
        self.run_args = run_args
    def __getattr__(self, name):
        return getattr(self.run_args, name)

def declare(run_args, source, **fields):
    run_args.stash.append((source, fields))

def apply(run_args, **fields):
    for name, value in fields.items():
        setattr(run_args, name, value)

def log(source, **fields):
    LOG.append(fields)

def decides(function):
    return function

@decides
def by_size(run_args: RunArgs):
    return {"share": 0.3}

def free_share():
    return torch.cuda.mem_get_info()[0] / (1 << 30)

TABLE = {"small": {"share": 0.1}}
"""


def tree(**more: str) -> SourceTree:
    return SourceTree.from_texts({"pkg/__init__.py": "", "pkg/run_args.py": RECORD, "pkg/hooks.py": VIEW, **more}, package="pkg")


def config(kind: str, name: str, of: str = "**.run_args:RunArgs", **more: str) -> dict[str, Any]:
    return {"kind": kind, "names": [name], "of": [of], "why": "for a test", **more}


def own(*rows: dict[str, Any]) -> OwnModels:
    return OwnModels(rows={"config": rows})


def first(result: ModelsResult, name: str) -> ModelRow:
    return next(row for row in result.rows if name in row.names)


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (config("view", "**.hooks:View"), "matched"),
        (config("view", "**.hooks:Plain"), "unfit"),
        (config("view", "**.hooks:View", of="**.run_args:Gone"), "unfit"),
        (config("writer", "**.hooks:declare", fields="fields"), "matched"),
        (config("writer", "**.hooks:declare", fields="values"), "unfit"),
        (config("provider", "**.hooks:decides"), "matched"),
        (config("table", "**.hooks:TABLE"), "matched"),
        (config("view", "**.hooks:Vanished"), "missing"),
        (config("view", "**.elsewhere:Vanished"), "absent"),
    ],
)
def test_the_state_of_a_row(row: dict[str, Any], state: str) -> None:
    found = first(models(tree(), own(row)), row["names"][0])
    assert (found.state, found.own) == (state, True)
    assert bool(found.note) == (state in ("unfit", "missing"))
    assert bool(found.definitions) == (state in ("matched", "unfit"))


def test_definitions_come_with_their_places() -> None:
    found = first(models(tree(), own(config("view", "**.hooks:View"))), "**.hooks:View")
    assert [(one.name, one.path, one.line) for one in found.definitions] == [("pkg.hooks:View", "pkg/hooks.py", 9)]


def test_built_in_rows_are_told_from_own_ones_and_name_what_is_mentioned() -> None:
    result = models(tree(), NO_OWN_MODELS)
    assert not any(row.own for row in result.rows)
    gauge = next(row for row in result.rows if any(name.endswith(":mem_get_info") for name in row.names))
    assert (gauge.table, gauge.state, gauge.definitions, gauge.mentions) == ("measurement", "mentioned", (), 1)
    assert {one.table for one in result.rows} == set(TABLES)


def test_a_row_that_is_not_sound_is_an_error_of_use() -> None:
    with pytest.raises(UsageError):
        models(tree(), own({"kind": "view", "names": ["no pattern"], "why": "for a test"}))


def suggested(result: ModelsResult) -> dict[str, str]:
    return {one.definition.name: tomllib.loads(one.toml)[one.table][0].get("kind", one.table) for one in result.suggestions}


def test_suggestions_are_what_has_no_row_and_is_not_visible_in_the_code() -> None:
    found = suggested(models(tree(), NO_OWN_MODELS, suggest=True))
    assert found == {
        "pkg.hooks:View": "view",
        "pkg.hooks:declare": "writer",
        "pkg.hooks:decides": "provider",
        "pkg.hooks:free_share": "measurement",
    }


def test_what_has_a_row_is_not_suggested_again() -> None:
    rows = own(config("view", "**.hooks:View"), config("writer", "**.hooks:declare", fields="fields"))
    assert set(suggested(models(tree(), rows, suggest=True))) == {"pkg.hooks:decides", "pkg.hooks:free_share"}


def test_every_suggestion_is_a_sound_row_that_matches() -> None:
    result = models(tree(), NO_OWN_MODELS, suggest=True)
    for one in result.suggestions:
        ((table, rows),) = read_rows(one.toml.encode(), "suggested").items()
        assert table == one.table
        row = tomllib.loads(one.toml)[table][0]
        again = models(tree(), OwnModels(rows={table: (row,)}))
        assert first(again, rows[0].names[0]).state == "matched"


def test_without_being_asked_nothing_is_suggested() -> None:
    assert models(tree(), NO_OWN_MODELS).suggestions == ()


def test_the_json_satisfies_its_schema() -> None:
    schema = json.loads(schema_text("models-1"))
    jsonschema.Draft202012Validator.check_schema(schema)
    result = models(tree(), own(config("view", "**.hooks:Plain")), suggest=True)
    jsonschema.Draft202012Validator(schema).validate(json.loads(render_models_json(result)))


def test_the_text_shows_first_what_does_not_count() -> None:
    text = render_models_text(models(tree(), own(config("view", "**.hooks:Plain")), suggest=True), View())
    assert "1 of them of your own" in text
    assert text.index("it defines no __getattr__") < text.index("Name what the source mentions")
    assert "# it keeps its keywords for RunArgs: pkg/hooks.py:21" in text


def test_a_source_that_cannot_be_parsed_is_no_crash() -> None:
    result = models(tree(**{"pkg/broken.py": "def get_available_gpu_memory(:\n"}), NO_OWN_MODELS, suggest=True)
    assert any(row.path == "pkg/broken.py" for row in result.source.unreadable)


def test_every_table_of_a_model_file_is_listed_and_documented() -> None:
    schema = json.loads(schema_text("models-1"))
    assert list(TABLES) == list(schema["$defs"]["row"]["properties"]["table"]["enum"])
    assert set(TABLES) == set(FILES)
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
    assert [table for table in TABLES if f"| `{table}` |" not in page] == []
