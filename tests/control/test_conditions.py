from __future__ import annotations

import pytest
from control.outlines import Program

from sgmem.control.cfg import build_cfg
from sgmem.control.conditions import ScopeConditions, conditions_of, conjunction
from sgmem.control.predicates import FALSE, Predicate
from sgmem.syntax.ir import Const, Expr, Name, Span
from sgmem.syntax.outline import Outline, ScopeOutline, StatementOutline


def function(text: str) -> Program:
    return Program("def f():\n" + "\n".join(f"  {line}" for line in text.split("\n")), "f")


def conditions(text: str, heads: bool = True) -> list[str]:
    return function(text).conditions("here", heads)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("here()", [], id="none"),
        pytest.param("if x: here()", ["x"], id="if"),
        pytest.param("if x: pass\nelse: here()", ["not x"], id="else"),
        pytest.param("if x: pass\nelif y: here()", ["not x", "y"], id="elif"),
        pytest.param("if x: pass\nelif y: pass\nelse: here()", ["not x", "not y"], id="last else"),
        pytest.param("while x > 1: here()", ["x > 1"], id="while"),
        pytest.param("while True: here()", [], id="while True"),
        pytest.param("while x: pass\nelse: here()", ["not x"], id="while else"),
        pytest.param("for i in y: here()", ["for i in y"], id="for"),
        pytest.param("with a: here()", [], id="with"),
        pytest.param("try: a()\nexcept (E, F): here()", ["except (E, F)"], id="except"),
        pytest.param("try: a()\nexcept: here()", ["except"], id="bare except"),
        pytest.param("match m:\n  case 1: pass\n  case 2: here()", ["m != 1", "m == 2"], id="case"),
        pytest.param("match m:\n  case 1: pass\n  case _: here()", ["m != 1"], id="wildcard"),
        pytest.param("if x:\n  if y == 1:\n    here()", ["x", "y == 1"], id="outermost first"),
    ],
)
def test_headers(text: str, expected: list[str]) -> None:
    assert conditions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("if not x: return\nhere()", ["x"], id="return"),
        pytest.param("if x is None: raise E\nhere()", ["x is not None"], id="raise"),
        pytest.param("assert x\nhere()", ["x"], id="assert"),
        pytest.param("for i in y:\n  if i < 3: continue\n  here()", ["for i in y", "i >= 3"], id="continue"),
        pytest.param("while x:\n  if y: break\n  here()", ["x", "not y"], id="break"),
        pytest.param("if x: a()\nelse: return\nhere()", ["x"], id="else returns"),
        pytest.param("if x: return\nelif y: raise E\nhere()", ["not x", "not y"], id="elif chain"),
        pytest.param("if x: return\nelif y: a()\nelse: return\nhere()", ["not x", "y"], id="some branches leave"),
        pytest.param("if x:\n  if y: return\nhere()", ["not x or not y"], id="nested exit"),
        pytest.param("if x:\n  if y: return\nelse:\n  if z: return\nhere()", ["not x or not y", "x or not z"], id="two nested"),
        pytest.param("if x:\n  if y: return\n  return\nhere()", ["not x"], id="the branch leaves in any case"),
        pytest.param("with a:\n  if x: return\nhere()", ["not x"], id="inside with"),
        pytest.param("match m:\n  case 1: return\n  case 2: a()\nhere()", ["m != 1"], id="a case leaves"),
        pytest.param("match m:\n  case 1: a()\n  case _: return\nhere()", ["m == 1"], id="the wildcard leaves"),
        pytest.param("if x: return\nif y:\n  if z: return\n  here()", ["not x", "y", "not z"], id="at each level"),
        pytest.param("try:\n  if x: return\n  here()\nexcept E: pass", ["not x"], id="within a try body"),
        pytest.param("try:\n  if x: return\nexcept E: pass\nelse: here()", ["not x"], id="try else"),
        pytest.param("try:\n  if x: return\nfinally: a()\nhere()", ["not x"], id="no handler"),
        pytest.param("try:\n  if x: raise E\nexcept E: return\nhere()", ["not x"], id="all handlers leave"),
        pytest.param("try: a()\nfinally:\n  if x: return\nhere()", ["not x"], id="finally leaves"),
        pytest.param("for i in y: a()\nelse:\n  if x: return\nhere()", ["not x"], id="loop else without break"),
        pytest.param("return\nhere()", ["never"], id="dead"),
    ],
)
def test_early_exits(text: str, expected: list[str]) -> None:
    assert conditions(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("for i in y:\n  if x: return\nhere()", id="exit in a loop"),
        pytest.param("while x: a()\nhere()", id="behind a loop"),
        pytest.param("while x:\n  if y: break\nhere()", id="behind a break"),
        pytest.param("try:\n  if x: return\nexcept E: pass\nhere()", id="a handler goes on"),
        pytest.param("try:\n  if x: raise E\nexcept E: a()\nhere()", id="the raise is caught"),
        pytest.param("try: a()\nexcept E: return\nhere()", id="exit in a handler"),
        pytest.param("try: a()\nexcept E:\n  if x: return\nhere()", id="conditional exit in a handler"),
        pytest.param("try:\n  if x: return\nfinally: here()", id="finally runs anyway"),
        pytest.param("if x: a()\nhere()", id="no exit"),
        pytest.param("def g(): return\nhere()", id="another scope's exit"),
        pytest.param("for i in y:\n  if x: break\nelse:\n  return\nhere()", id="loop else with break"),
    ],
)
def test_what_is_not_guessed(text: str) -> None:
    assert conditions(text) == []


@pytest.mark.parametrize(
    ("nested", "before"),
    [
        ("if x:\n  here()", "if not x: return\nhere()"),
        ("if x is None:\n  here()", "if x is not None: raise E\nhere()"),
        ("if a and b:\n  here()", "if not a: return\nif not b: return\nhere()"),
        ("if a:\n  if b:\n    here()", "if not a or not b: return\nhere()"),
        ("if n > 5:\n  here()", "assert n > 5\nhere()"),
        ("if f(x) == y:\n  here()", "if f(x) != y: return\nhere()"),
        ("for i in y:\n  if x: here()", "for i in y:\n  if not x: continue\n  here()"),
        ("if a: pass\nelif b: here()", "if a: return\nif not b: return\nhere()"),
        ("if m == 1: here()", "match m:\n  case 1: here()"),
    ],
)
def test_nested_and_early_exit_mean_the_same(nested: str, before: str) -> None:
    def predicate(text: str) -> Predicate:
        program = function(text)
        return conjunction(conditions_of(program.cfg, program.at("here"), program.lower_test, program.lower_head))

    if not nested.startswith("for"):
        assert predicate(nested) == predicate(before)
    else:  # the two loops are two events, each at its own place
        assert conditions(nested) == conditions(before)


def test_conditions_tell_where_and_how() -> None:
    program = function("if not a: return\nassert b\nif c:\n  if d:\n    raise E\n  here()")
    found = conditions_of(program.cfg, program.at("here"), program.lower_test)
    assert [(c.how, c.span.line, c.span.column) for c in found] == [
        ("exit", 2, 6), ("check", 3, 10), ("header", 4, 6), ("check", 5, 8),
    ]  # fmt: skip
    assert [c.statement for c in found] == [program.at(s) for s in ("if not a", "assert", "if c", "if d")]


def test_only_the_tests_that_matter_are_lowered() -> None:
    program = function("if a: x = 1\nif b: return\nif c:\n  y = 1\n  here()\nif d: return\nwhile e:\n  if g: return")
    conditions_of(program.cfg, program.at("here"), program.lower_test)
    assert sorted(program.lowered) == [program.at("if b"), program.at("if c")]


def test_without_heads_loops_say_nothing() -> None:
    assert conditions("for i in y:\n  here()", heads=False) == []
    assert conditions("try: a()\nexcept E: here()", heads=False) == ["except at line 3"]
    assert conditions("match m:\n  case 1: return\n  case 2: a()\nhere()", heads=False) == []


def test_conditions_of_headers_themselves() -> None:
    program = function("if x: return\nwhile y:\n  a()\ntry: b()\nexcept E: c()\nmatch m:\n  case 1: d()\n  case 2: e()")
    assert program.conditions("while") == ["not x"]
    assert program.conditions("except") == ["not x"]
    assert program.conditions("case 2") == ["not x", "m != 1"]


def test_long_chains_end_and_keep_what_they_say() -> None:
    """5,000 nested `elif`s that leave, then one statement."""
    depth, here = 5_000, Span(1, 1, 1, 2)
    rows = []
    for number in range(depth):
        rows.append(StatementOutline("if", here, 2 * number - 2 if number else -1, "orelse" if number else "body", 0, (here,)))
        rows.append(StatementOutline("return", here, 2 * number, "body", 0))
    rows.append(StatementOutline("pass", here, -1, "body", 0))
    outline = Outline(tuple(rows), (ScopeOutline("module", "", "", -1, -1, here, 0, len(rows)),), ())
    scope = ScopeConditions(build_cfg(outline, 0), lambda statement: Name(here, f"t{statement}"))
    behind = scope.of(2 * depth)
    assert 64 <= len(behind) < depth
    assert behind[0].statement == 0
    assert len(scope.of(2 * depth - 1)) == depth


def test_constant_tests() -> None:
    def lower(statement: int) -> Expr:
        return Const(Span(1, 1, 1, 2), False, "False")

    program = function("if False: here()")
    (condition,) = conditions_of(program.cfg, program.at("here"), lower)
    assert condition.predicate == FALSE
