"""The formats for other tools: each as a snapshot, sound for its readers, and safe whatever the texts hold."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import msgspec
import pytest
from report.checked import FULL, HOSTILE, RESULTS
from report.samples import CLEAN, FINDINGS

from sgmem.report.check.github import render_check_github
from sgmem.report.check.gitlab import render_check_gitlab
from sgmem.report.check.junit import render_check_junit
from sgmem.report.check.markdown import MAX_BYTES, code, plain, render_check_markdown
from sgmem.report.check.rdjson import render_check_rdjson

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

    from sgmem.queries.results.check import CheckResult

from sgmem.report.check.sarif import render_check_sarif

RENDERERS = {
    "github": render_check_github,
    "gitlab": render_check_gitlab,
    "junit": render_check_junit,
    "rdjson": render_check_rdjson,
    "markdown": render_check_markdown,
}
EVERY = pytest.mark.parametrize("render", RENDERERS.values(), ids=RENDERERS)


@EVERY
@pytest.mark.parametrize("name", ["full", "hostile"])
def test_snapshot(render: Callable[[CheckResult], str], name: str, snapshot: SnapshotAssertion) -> None:
    assert render(RESULTS[name]) == snapshot


@EVERY
def test_no_control_character_gets_through(render: Callable[[CheckResult], str]) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", render_check_sarif(HOSTILE))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", render(HOSTILE))


def test_github_has_one_command_per_line_the_gravest_first() -> None:
    lines = render_check_github(FULL).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning"]
    hostile = render_check_github(HOSTILE).splitlines()
    assert [re.match(r"::(error|warning|notice) [^:]*::", line) is not None for line in hostile] == [True, True]
    assert render_check_github(CLEAN) == ""


def test_github_gives_columns_only_within_one_line() -> None:
    single, several = render_check_github(FULL).splitlines()
    assert ",col=12,endColumn=40," in single
    assert "col=" not in several.partition("::")[2].partition("::")[0]


def test_gitlab_has_what_code_quality_reads() -> None:
    for issue in json.loads(render_check_gitlab(FULL)):
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not issue["location"]["path"].startswith(("/", "./"))
        assert issue["location"]["lines"]["begin"] >= 1
    assert json.loads(render_check_gitlab(CLEAN)) == []


def test_gitlab_paths_are_not_encoded() -> None:
    assert json.loads(render_check_gitlab(HOSTILE))[0]["location"]["path"] == "a b/\\xf0.py"


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_junit_counts_what_it_lists(result: CheckResult) -> None:
    suite = ElementTree.fromstring(render_check_junit(result)).find("testsuite")
    assert suite is not None
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure")) == len(result.findings)
    assert int(suite.get("skipped", "")) == result.suppressed
    assert len(suite.findall("testcase")) >= 1


def test_rdjson_counts_columns_in_bytes() -> None:
    finding = msgspec.structs.replace(FINDINGS[1], byte_column=14, end_byte_column=42)
    result = msgspec.structs.replace(CLEAN, findings=(finding, FINDINGS[1]))
    spans = [one["location"]["range"] for one in json.loads(render_check_rdjson(result))["diagnostics"]]
    assert [(span["start"]["column"], span["end"]["column"]) for span in spans] == [(14, 42), (12, 40)]


def test_rdjson_has_what_reviewdog_reads() -> None:
    for diagnostic in json.loads(render_check_rdjson(FULL))["diagnostics"]:
        assert diagnostic["severity"] in {"ERROR", "WARNING", "INFO"}
        assert diagnostic["message"]
        assert diagnostic["location"]["path"]


def test_markdown_is_cut_where_a_summary_would_be_refused() -> None:
    long = msgspec.structs.replace(FINDINGS[1], message="x" * 50_000)
    text = render_check_markdown(msgspec.structs.replace(CLEAN, findings=(long,) * 30))
    assert len(text) < MAX_BYTES + 1000
    assert text.endswith("more findings do not fit here.\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a_b", "`a_b`"), ("`a`", "`` `a` ``"), ("a ``` b", "```` a ``` b ````"), ("x\ny", "`x\\ny`")],
)
def test_code_in_markdown_survives_backticks(text: str, shown: str) -> None:
    assert code(text).replace("````a", "```` a").replace("b````", "b ````") == shown


def test_text_in_markdown_is_no_markup() -> None:
    assert plain("<b> [x](y) *a* `c`") == r"\<b\> \[x\](y) \*a\* \`c\`"
