"""What a long trace shows first: the ways to memory, the variables that the value reaches, tests and benchmarks last."""

from __future__ import annotations

import msgspec
import pytest
from report.samples import GOLDEN, flows, site

from sgmem.queries.results.trace import Formula, Negative, Trace
from sgmem.report.trace.relevance import LARGE, Relevance, is_aside
from sgmem.report.trace.terminal import render_trace_text
from sgmem.report.view import View

HOME = "serving.args:Args.page"
POOL, REPORT, APART = "serving.memory:Pool.page", "serving.report:Report.page", "serving.test.kit:Case.page"


def long_trace() -> Trace:
    """A parameter that a pool and a report keep, with a variable of its name in a test, and many reads of all of them."""
    sites = [
        site("home", "declaration", "serving/args.py", 3, "page: int = 1", slot=HOME),
        site("home2", "write", "serving/args.py", 8, "self.page = 16", slot=HOME),
        site("home3", "write", "serving/args.py", 9, "self.page = 32", slot=HOME),
        site("pool", "store", "serving/memory.py", 5, "self.page = args.page", slot=POOL),
        site("sum", "formula", "serving/memory.py", 9, "size + self.page", slot="torch.zeros()", derived=True),
        site("sum2", "formula", "serving/memory.py", 12, "size + self.page", slot="torch.zeros()", derived=True),
        site("made", "sink", "serving/memory.py", 9, "(size + self.page, 8)", slot="torch.zeros.size", column=8, end_column=40, kind="pool"),
        site("made2", "sink", "serving/memory.py", 12, "(size + self.page, 8)", slot="torch.zeros.size", column=8, end_column=40, kind="pool"),
        site("report", "store", "serving/report.py", 4, "self.page = args.page", slot=REPORT),
        site("shown", "formula", "serving/report.py", 7, "used // self.page", slot="a message", derived=True),
        site("apart", "store", "serving/test/kit.py", 4, "self.page = 4", slot=APART),
    ]  # fmt: skip
    stores = [
        site(f"k{n}", "store", f"serving/models/m{n}.py", 4, "self.page = page", slot=f"serving.models.m{n}:M{n}.page")
        for n in range(40)
    ]
    reads = [site(f"r{n}", "read", "serving/report.py", 100 + n, "self.page", slot=REPORT) for n in range(LARGE)]
    links = ["home-pool", "home2-pool", "home3-pool", "pool-sum", "sum-made", "pool-sum2", "sum2-made2", "home-report", "report-shown"]
    formulas = tuple(
        Formula(key, target, text, None, (), Negative("unknown"))
        for key, target, text in [
            ("shown", "a message", "used // self.page"),
            ("sum", "torch.zeros()", "size + self.page"),
            ("sum2", "torch.zeros()", "size + self.page"),
        ]
    )
    joined = [link.replace("-", " ") + " store" for link in links]
    joined += [f"report {one.id} load" for one in reads] + [f"home {one.id} store" for one in stores]
    return msgspec.structs.replace(
        GOLDEN, parameter="page", sites=(*sites, *stores, *reads), flows=flows(", ".join(joined)), formulas=formulas,
        after_construction=(), unresolved=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("serving/test/kit.py", True), ("serving/tests/a.py", True), ("serving/bench_one.py", True), ("serving/benchmark/x.py", True),
        ("serving/memory/test_pool.py", True), ("serving/latest/pool.py", False), ("serving/testing_pool/a.py", False),
        ("serving/contest.py", False),
    ],
)  # fmt: skip
def test_tests_and_benchmarks_are_told_by_their_place(path: str, expected: bool) -> None:
    assert is_aside(path) is expected


def test_formulas_that_size_a_pool_are_told_from_others() -> None:
    relevance = Relevance(long_trace())
    assert {one.site for one in relevance.trace.formulas if relevance.sizes(one)} == {"sum", "sum2"}
    by_site = {one.id: one for one in relevance.trace.sites}
    assert [relevance.weight(one, by_site[one.site]) for one in relevance.trace.formulas] == [0, 3, 3]


def test_variables_that_the_value_reaches_come_before_others_and_tests_last() -> None:
    variables = list(Relevance(long_trace()).variables())
    assert variables[:2] == [REPORT, HOME]  # by how many places use them
    assert variables[-1] == APART


def test_a_long_trace_begins_with_an_overview_and_shows_the_ways_to_memory() -> None:
    text = render_trace_text(long_trace(), View(120))
    overview = text[text.index("In short") : text.index("Declared and set")]
    assert "lives in  Args.page (serving.args), set at 3 places" in overview
    assert "3 formulas, 2 of them for the size of memory; 2 allocations" in overview
    assert "1 variable of this name that it was not seen to reach, 1 of them in tests and benchmarks" in overview
    handed = text[text.index("Handed on") : text.index("Formulas")]
    assert "serving/memory.py:5" in handed
    assert "serving/report.py:4" not in handed
    assert "and on to 41 places in 41 files, --hops all" in handed


def test_other_variables_are_one_line_each_and_alike_formulas_one_entry() -> None:
    text = render_trace_text(long_trace(), View(120))
    declared = text[text.index("Declared and set") : text.index("Handed on")]
    row = next(line for line in declared.splitlines() if line.startswith("    Report.page"))
    assert row.split() == ["Report.page", "1", str(LARGE + 1), "serving.report"]
    formulas = text[text.index("Formulas") : text.index("Reads")]
    assert formulas.count("size + self.page") == 1
    assert "the same at line 12" in formulas


def test_everything_is_there_on_demand() -> None:
    text = render_trace_text(long_trace(), View(120, hops="all"))
    assert "In short" not in text
    assert "serving/report.py:4" in text
    assert "the same at" not in text
