from __future__ import annotations

import msgspec
import pytest
from report.samples import GOLDEN, site

from sgmem.queries.results.trace import Formula, FormulaInput, Negative
from sgmem.report.layout import Page
from sgmem.report.trace.formulas import draw_formulas, ranked, text_of
from sgmem.report.trace.relevance import Relevance
from sgmem.report.view import View


def formula(target: str, text: str, *inputs: FormulaInput, verdict: str = "unknown") -> Formula:
    return Formula("s14", target, text, None, inputs, Negative(verdict))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "text", "shown"),
    [
        ("x", "a + 1", "x = a + 1"),
        ("x", "x *= 0.85", "x *= 0.85"),
        ("x", "x // 2", "x = x // 2"),
        ("x", "x == y", "x = x == y"),
        ("x", "x ", "x = x "),
        ("expression", "a - b", "a - b"),
        ("", "a - b", "a - b"),
    ],
)
def test_the_text_of_a_formula_says_its_target_once(target: str, text: str, shown: str) -> None:
    assert text_of(formula(target, text)) == shown


def test_formulas_of_the_parameter_with_measured_inputs_come_first() -> None:
    sites = {one.id: one for one in GOLDEN.sites}
    measured = FormulaInput("free", "s26")
    plain = formula("plain", "a + b", FormulaInput("a", None))
    far = formula("far", "free - 1", measured, verdict="yes")
    near = formula("near", "free * x", measured, FormulaInput("self.x", "s1"))
    trace = msgspec.structs.replace(GOLDEN, formulas=(plain, far, near))
    telling, others = ranked(sites, Relevance(msgspec.structs.replace(trace, parameter="x")))
    assert [one.target for one in telling] == ["near", "far"]
    assert [one.target for one in others] == ["plain"]


def drawn(*formulas: Formula, **view: object) -> str:
    page = Page(View(**({"width": 100} | view)))  # type: ignore[arg-type]
    draw_formulas(page, Relevance(msgspec.structs.replace(GOLDEN, formulas=formulas)))
    return "\n".join(line.plain for line in page.lines)


def test_a_long_way_back_loses_its_middle_unless_all_hops_are_asked_for() -> None:
    via = ("s24", "s25", "s10", "s11", "s12", "s13")
    one = formula("y", "total - 1", FormulaInput("total", "s23", via=via))
    short, full = drawn(one), drawn(one, hops="all")
    assert "3 more hops" in short
    assert short.count("via") == 3
    assert full.count("via") == 6


def test_a_hop_that_is_the_line_of_the_birth_is_not_repeated() -> None:
    birth = site("b", "measurement", "a.py", 3, "measure()", slot=None, column=9, end_column=18)
    around = site("v", "read", "a.py", 3, "x = measure()", column=5, end_column=18)
    one = formula("y", "x - 1", FormulaInput("x", "b", via=("v",)))
    page = Page(View(100))
    draw_formulas(page, Relevance(msgspec.structs.replace(GOLDEN, sites=(birth, around), formulas=(one,))))
    assert sum("a.py:3" in line.plain for line in page.lines) == 1


def test_the_sign_is_told_in_words() -> None:
    measured = FormulaInput("free", "s26")
    assert "cannot be negative" in drawn(formula("y", "free + 1", measured, verdict="no"))
    assert "be negative" not in drawn(formula("y", "free + 1", measured))
    assert "no check stops it" in drawn(formula("y", "a - b", verdict="yes"))
