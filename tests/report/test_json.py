from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import msgspec
import pytest
from report.samples import CHECKED, CLEAN, EMPTY, GOLDEN, NASTY, hostile, wide

from sgmem.queries.results.check import CheckResult
from sgmem.queries.results.explain import Explain
from sgmem.queries.results.reconcile import Reconciliation
from sgmem.queries.results.timeline import Timeline
from sgmem.queries.results.trace import SourceInfo, Trace, Unreadable
from sgmem.report.json import render_check_json, render_trace_json, schema_text

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE_SCHEMA = json.loads(schema_text("trace-1"))
CHECK_SCHEMA = json.loads(schema_text("check-1"))


@pytest.mark.parametrize("schema", [TRACE_SCHEMA, CHECK_SCHEMA])
def test_the_schemas_are_schemas(schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("trace", [GOLDEN, EMPTY, hostile(), wide()], ids=["golden", "empty", "hostile", "wide"])
def test_a_trace_satisfies_its_schema(trace: Trace) -> None:
    jsonschema.Draft202012Validator(TRACE_SCHEMA).validate(json.loads(render_trace_json(trace)))


@pytest.mark.parametrize("result", [CHECKED, CLEAN], ids=["findings", "clean"])
def test_a_check_satisfies_its_schema(result: CheckResult) -> None:
    jsonschema.Draft202012Validator(CHECK_SCHEMA).validate(json.loads(render_check_json(result)))


def objects(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of one object of each kind in a document, by the names on the way."""
    found: dict[tuple[str, ...], tuple[str | int, ...]] = {}
    pending = [(value, path)]
    while pending:
        node, here = pending.pop()
        if isinstance(node, dict):
            found.setdefault(tuple(part for part in here if isinstance(part, str)), here)
            pending += [(item, (*here, key)) for key, item in node.items()]
        elif isinstance(node, list):
            pending += [(item, (*here, number)) for number, item in enumerate(node)]
    return list(found.values())


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        document = document[part]
    return document


OPTIONAL: dict[str | int, set[str]] = {
    "": {"held", "stale", "against"},
    "sites": {"kind"},
    "inputs": {"via"},
    "findings": {"likenesses", "edits", "byte_column", "end_byte_column"},
    "steps": {"column", "code", "uri", "end_line", "end_column"},
}
"""Fields beyond the contract, by the list that holds their object."""

DOCUMENTS = [
    (TRACE_SCHEMA, json.loads(render_trace_json(GOLDEN))),
    (CHECK_SCHEMA, json.loads(render_check_json(CHECKED))),
]


@pytest.mark.parametrize(("schema", "document"), DOCUMENTS, ids=["trace", "check"])
def test_every_field_is_required_and_typed(schema: dict[str, Any], document: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    for path in objects(document):
        for key in at(document, path):
            spoilt = copy.deepcopy(document)
            at(spoilt, path)[key] = {"not": ["what", "is", "expected"]}
            assert not validator.is_valid(spoilt), (path, key)
            missing = copy.deepcopy(document)
            del at(missing, path)[key]
            optional = OPTIONAL.get(path[0] if path else "", set()) | OPTIONAL.get(path[-2] if len(path) > 1 else "", set())
            assert validator.is_valid(missing) is (key in optional), (path, key)


@pytest.mark.parametrize(("schema", "document"), DOCUMENTS, ids=["trace", "check"])
def test_fields_may_be_added(schema: dict[str, Any], document: dict[str, Any]) -> None:
    added = copy.deepcopy(document)
    for path in objects(document):
        at(added, path)["later"] = [1]
    jsonschema.Draft202012Validator(schema).validate(added)


@pytest.mark.parametrize(
    ("render", "result", "first"),
    [
        (render_trace_json, GOLDEN, ["schema", "parameter", "source"]),
        (render_check_json, CHECKED, ["schema", "source"]),
    ],
)
def test_the_order_is_stable_and_the_text_ends_with_a_newline(render: Callable[[Any], str], result: object, first: list[str]) -> None:
    text = render(result)
    assert text.endswith("}\n")
    assert list(json.loads(text))[: len(first)] == first
    assert render(result) == text


def test_flows_use_the_names_of_the_contract() -> None:
    assert json.loads(render_trace_json(GOLDEN))["flows"][0] == {
        "from": "s1",
        "to": "s8",
        "kind": "load",
        "confidence": "high",
    }


def test_source_text_survives_but_lone_surrogates_are_spelled_out() -> None:
    text = render_trace_json(hostile())
    text.encode("utf-8")
    assert json.loads(text)["parameter"] == NASTY.replace("\udc80", "\\udc80")
    assert "\x1b" not in text


def test_text_without_surrogates_is_decoded_to_the_same_result() -> None:
    assert msgspec.json.decode(render_trace_json(GOLDEN), type=Trace) == GOLDEN
    assert msgspec.json.decode(render_check_json(CHECKED), type=CheckResult) == CHECKED


def test_unreadable_files_stand_beside_the_findings() -> None:
    source = SourceInfo("/x", None, 2, 1, (Unreadable("a.py", "nested too deep"),))
    document = json.loads(render_check_json(msgspec.structs.replace(CLEAN, source=source)))
    assert document["unreadable"] == [{"path": "a.py", "why": "nested too deep"}]


@pytest.mark.parametrize(
    ("name", "result"),
    [("explain", Explain), ("timeline", Timeline), ("reconcile", Reconciliation)],
)
def test_the_schema_names_every_field_of_the_result(name: str, result: type[msgspec.Struct]) -> None:
    schema = json.loads(schema_text(f"{name}-1"))
    _, components = msgspec.json.schema_components([result])
    written = {**schema["$defs"], result.__name__: schema["$defs"].get(result.__name__, schema)}
    missing = [
        f"{one}.{field}"
        for one, made in components.items()
        for field in made.get("properties", {})
        if field not in written[one]["properties"]
    ]
    assert missing == []
