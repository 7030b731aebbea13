from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from report.samples import CONFIG, EMPTY, GOLDEN, flows, hostile, site, wide
from rich.cells import cell_len

from sgmem.report.trace.terminal import render_trace_text
from sgmem.report.view import View

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from sgmem.queries.results.trace import Trace

ANSI = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\")
TRACES = {"golden": GOLDEN, "hostile": hostile(), "wide": wide(), "empty": EMPTY}


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("name", TRACES)
def test_snapshot(name: str, width: int, snapshot: SnapshotAssertion) -> None:
    assert render_trace_text(TRACES[name], View(width)) == snapshot


@pytest.mark.parametrize(
    "view",
    [View(80, unicode=False), View(80, color=True), View(80, hops="all"), View(80, depth=2), View(80, writes=True)],
    ids=["ascii", "color", "all-hops", "depth", "writes"],
)
def test_golden_snapshot(view: View, snapshot: SnapshotAssertion) -> None:
    assert render_trace_text(GOLDEN, view) == snapshot


@pytest.mark.parametrize("width", [72, 80, 100, 132, 160, 200, 240])
@pytest.mark.parametrize("name", ["golden", "wide"])
def test_no_line_is_wider_than_the_view_and_no_place_is_split(name: str, width: int) -> None:
    trace = TRACES[name]
    text = render_trace_text(trace, View(width))
    whole = {f"{one.path}:{one.line}" for one in trace.sites} | {f"{one.path}:{one.line}" for one in trace.unresolved}
    for line in text.splitlines():
        places = re.findall(r"serving/\S*", line)
        assert set(places) <= whole | {trace.source.root}, line
        longest = max(map(cell_len, line.split()), default=0)
        assert cell_len(line) <= width or longest > 24, line


@pytest.mark.parametrize("name", TRACES)
def test_nothing_depends_on_color(name: str) -> None:
    colored = render_trace_text(TRACES[name], View(100, color=True))
    assert "\x1b[" in colored
    assert ANSI.sub("", colored) == render_trace_text(TRACES[name], View(100))


@pytest.mark.parametrize("hops", ["default", "all"])
@pytest.mark.parametrize("name", TRACES)
def test_no_control_character_reaches_the_terminal(name: str, hops: str) -> None:
    text = render_trace_text(TRACES[name], View(80, hops=hops))  # type: ignore[arg-type]
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\ud800-\udfff]", text)


def test_ascii_is_ascii() -> None:
    assert render_trace_text(GOLDEN, View(80, unicode=False)).isascii()


def test_markup_of_the_source_is_text() -> None:
    assert "[red]x[/red]" in render_trace_text(hostile(), View(200))


def test_every_write_is_listed_with_its_conditions() -> None:
    text = render_trace_text(GOLDEN, View(200))
    listed = text[text.index("Declared and set") : text.index("Handed on")]
    for line in (324, 1059, 1926, 3138, 5078, 5517):
        assert f"{CONFIG}:{line} " in listed
    assert "when self.attention_backend" in listed
    assert "and model_config.context_len > 8192" in listed
    assert "medium confidence" in listed
    assert "0.88" in listed


def test_the_tree_leads_from_the_record_to_the_pool() -> None:
    text = render_trace_text(GOLDEN, View(200))
    tree = text[text.index("Handed on") : text.index("Formulas")]
    lines = (
        "worker.py:332",
        "runner.py:303",
        "mixin.py:143",
        "mixin.py:149",
        "mixin.py:342",
        "mixin.py:512",
        "pool.py:88",
    )
    steps = [tree.index(line) for line in lines]
    assert steps == sorted(steps)


def test_a_join_names_the_number_of_a_node_that_is_there() -> None:
    for trace in TRACES.values():
        text = render_trace_text(trace, View(120, hops="all"))
        for number in re.findall(r"\(joins #(\d+)\)", text):
            assert re.search(rf"(^|[ →])#{number} \w", text, re.MULTILINE), number


def test_long_fan_outs_are_capped_and_counted_and_all_hops_shows_them() -> None:
    short, full = (render_trace_text(wide(), View(100, hops=hops)) for hops in ("default", "all"))  # type: ignore[arg-type]
    assert "and on to 10 places in 10 files, --hops all" in short
    assert re.search(r"handed on \d+ more times, chain.py:1 … chain.py:\d+", short)
    assert "and 28 places in 3 files more, --hops all" in short
    assert "--hops all" not in full
    for one in wide().sites:
        assert f"{one.path}:{one.line}" in full


def test_only_writes() -> None:
    text = render_trace_text(GOLDEN, View(100, writes=True))
    assert "Declared and set, 8 places" in text
    assert not re.search("^(Handed on|Formulas|Reads|Reaches)", text, re.MULTILINE)


def test_a_formula_shows_its_inputs_its_sign_and_its_guard() -> None:
    text = render_trace_text(GOLDEN, View(200))
    formula = text[text.index("=  rest_memory = ") : text.index("=  mem_fraction_static = (gpu_mem")]
    assert "runner.py:828" in formula
    assert "min_per_gpu_memory" in formula
    assert "can be negative when mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory" in formula
    assert "for example 21.7 - 94 * (1 - 0.55) = -20.6 GiB" in formula
    assert re.search(r"first check  self.max_total_num_tokens <= 0 .*:414", formula)
    assert "no check stops it" in text
    assert "reserved_mem origin not found" in text


def test_a_parameter_in_the_middle_shows_where_it_comes_from() -> None:
    sites = (
        site("m", "measurement", "a.py", 1, "free = measure()", slot="m:f.free"),
        site("p", "pass", "a.py", 2, "g(free)", slot="m:g.total"),
        site("r", "formula", "a.py", 8, "rest = total - 1", slot="m:g.rest", derived=True),
    )
    trace = msgspec.structs.replace(EMPTY, parameter="m:g.total", sites=sites, flows=flows("m p argument, p r operand"))
    text = render_trace_text(trace, View(80))
    assert re.search(r"Comes from.*passed.*a\.py:2.*← measured.*a\.py:1", text, re.DOTALL)
    assert re.search(r"Handed on.*passed.*a\.py:2.*→ computed.*a\.py:8", text, re.DOTALL)


def test_links_lead_to_files_that_exist(tmp_path: Path) -> None:
    (tmp_path / "a b.py").write_text("x = 1\n")
    sites = (
        site("d", "declaration", "a b.py", 1, "x = 1", slot="m:x"),
        site("e", "write", "../gone.py", 2, "x = 2", slot="m:x"),
    )
    source = msgspec.structs.replace(EMPTY.source, root=str(tmp_path))
    trace: Trace = msgspec.structs.replace(EMPTY, parameter="x", sites=sites, source=source)
    linked = render_trace_text(trace, View(80, color=True, links=True))
    assert "a%20b.py" in linked
    assert linked.count("\x1b]8;") == 2
    assert "\x1b]8;" not in render_trace_text(trace, View(80, color=True))


def test_files_that_were_not_read_are_named() -> None:
    assert "Not read: 1 file" in render_trace_text(hostile(), View(80))


def test_a_very_deep_trace_is_drawn() -> None:
    sites = tuple(site(f"k{n}", "pass", "a.py", n + 1, f"f{n}(x)", slot=f"m:f{n}.x") for n in range(3000))
    links = ", ".join(f"k{n} k{n + 1} argument" for n in range(2999))
    trace = msgspec.structs.replace(EMPTY, parameter="m:f0.x", sites=sites, flows=flows(links))
    assert "a.py:3000" in render_trace_text(trace, View(80, hops="all"))
