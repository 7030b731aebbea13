from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from report.samples import CHECKED, CLEAN, FINDINGS, NASTY

from sgmem.findings.finding import Step
from sgmem.queries.results.trace import SourceInfo, Unreadable
from sgmem.report.check.concise import render_check_concise
from sgmem.report.check.full import render_check_full
from sgmem.report.view import View

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from sgmem.queries.results.check import CheckResult

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def hostile_check() -> CheckResult:
    finding = msgspec.structs.replace(
        FINDINGS[0], message=NASTY, rule=NASTY, code=NASTY,
        path=f"{NASTY}.py", uri=f"{NASTY}.py", symbol=NASTY, fix=NASTY,
        steps=(Step(f"{NASTY}.py", 3, NASTY, 1, NASTY), Step("b.py", 12345, "", 1, "")),
    )  # fmt: skip
    return msgspec.structs.replace(CHECKED, findings=(finding,))


@pytest.mark.parametrize(
    "view", [View(80), View(200), View(80, unicode=False), View(60, color=True)], ids=["80", "200", "ascii", "color"]
)
def test_full_snapshot(view: View, snapshot: SnapshotAssertion) -> None:
    assert render_check_full(CHECKED, view) == snapshot


def test_hostile_full_snapshot(snapshot: SnapshotAssertion) -> None:
    assert render_check_full(hostile_check(), View(80)) == snapshot


def test_concise_snapshot(snapshot: SnapshotAssertion) -> None:
    assert render_check_concise(CHECKED, View()) + render_check_concise(hostile_check(), View()) == snapshot


def test_concise_is_one_line_per_finding() -> None:
    lines = render_check_concise(msgspec.structs.replace(CHECKED, findings=(*FINDINGS, *hostile_check().findings)), View())
    assert lines.count("\n") == 3
    assert re.match(r"python/serving/\S+\.py:143:9: SGM201 .* \[negative-budget\]\n", lines)
    assert render_check_concise(CLEAN, View()) == ""


def test_steps_stand_in_their_order_across_files() -> None:
    text = render_check_full(CHECKED, View(120))
    places = [text.index(f"{line} │") for line in (828, 590, 117, 143)]
    assert places == sorted(places)
    assert [text.index(f"│ {number}.") for number in (1, 2, 3, 4)] == sorted(text.index(f"│ {n}.") for n in (1, 2, 3, 4))
    assert text.count("runner.py:828:9") == 1


def test_only_the_sink_is_underlined_as_such() -> None:
    marks = [line.strip(" │") for line in render_check_full(CHECKED, View(120)).splitlines() if re.search(r"│ [-^]+$", line)]
    assert [mark[0] for mark in marks] == ["-", "-", "-", "^"]
    assert len(marks[1]) == len("min_per_gpu_memory")


def test_nothing_depends_on_color() -> None:
    assert ANSI.sub("", render_check_full(CHECKED, View(80, color=True))) == render_check_full(CHECKED, View(80))


def test_no_control_character_reaches_the_terminal() -> None:
    for text in (render_check_full(hostile_check(), View(80)), render_check_concise(hostile_check(), View())):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text)


def test_ascii_is_ascii() -> None:
    assert render_check_full(CHECKED, View(80, unicode=False)).isascii()


def test_a_clean_run_says_so_and_names_what_was_not_read() -> None:
    assert render_check_full(CLEAN, View(80)).startswith("No findings.")
    source = SourceInfo("/x", None, 2, 1, (Unreadable("a.py", "nested too deep"),))
    text = render_check_full(msgspec.structs.replace(CLEAN, source=source), View(80))
    assert "not read: a.py: nested too deep" in text


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("python/a.py", "at python/a.py:143"),
        ("a.py", "at a.py:143"),
        ("/far/away/a.py", "at a.py:143"),
        ("b%20.py", "at a.py:143"),
    ],
)
def test_paths_are_shown_from_the_working_folder_where_it_holds_them(uri: str, shown: str) -> None:
    finding = msgspec.structs.replace(FINDINGS[0], path="a.py", uri=uri, steps=())
    assert shown in render_check_full(msgspec.structs.replace(CHECKED, findings=(finding,)), View(80))
