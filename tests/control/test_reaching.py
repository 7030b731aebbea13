from __future__ import annotations

import pytest
from control.outlines import Program

from sgmem.control.cfg import ENTRY, EXIT
from sgmem.control.reaching import reached_uses, reaching_definitions


def reaching(text: str, at: str, *definitions: str, maybe: tuple[str, ...] = ()) -> set[str]:
    program = Program("def f():\n" + "\n".join(f"  {line}" for line in text.split("\n")), "f")
    given = {program.at(start): True for start in definitions} | {program.at(start): False for start in maybe}
    return {program.name(node) for node in reaching_definitions(program.cfg, program.at(at), given)}


@pytest.mark.parametrize(
    ("text", "definitions", "expected"),
    [
        pytest.param("x = 1\nuse(x)", ["x = 1"], {"x = 1"}, id="straight"),
        pytest.param("x = 1\nx = 2\nuse(x)", ["x = 1", "x = 2"], {"x = 2"}, id="overwritten"),
        pytest.param("if t:\n  x = 1\nuse(x)", ["x = 1"], {"x = 1", "ENTRY"}, id="one branch"),
        pytest.param("if t:\n  x = 1\nelse:\n  x = 2\nuse(x)", ["x = 1", "x = 2"], {"x = 1", "x = 2"}, id="both branches"),
        pytest.param("if t:\n  x = 1\n  return\nuse(x)", ["x = 1"], {"ENTRY"}, id="the branch leaves"),
        pytest.param("while t:\n  use(x)\n  x = 1", ["x = 1"], {"x = 1", "ENTRY"}, id="around the loop"),
        pytest.param("while t:\n  x = 1\n  break\nuse(x)", ["x = 1"], {"x = 1", "ENTRY"}, id="out of the loop"),
        pytest.param("for x in y:\n  use(x)", ["for x"], {"for x in y"}, id="for defines in its body"),
        pytest.param("for x in y:\n  pass\nuse(x)", ["for x"], {"for x in y", "ENTRY"}, id="for may take no item"),
        pytest.param("try:\n  x = f()\nexcept E:\n  use(x)", ["x = f"], {"x = f()", "ENTRY"}, id="an exception may come first"),
        pytest.param("try:\n  x = f()\nexcept E:\n  return\nuse(x)", ["x = f"], {"x = f()"}, id="the handler leaves"),
        pytest.param("try:\n  g()\nexcept E as x:\n  use(x)", ["except"], {"except E as x"}, id="except defines in its body"),
        pytest.param("x = 1\nwith y as x:\n  use(x)", ["x = 1", "with"], {"with y as x"}, id="with defines"),
        pytest.param("if (x := f()):\n  pass\nuse(x)", ["if"], {"if (x := f())"}, id="a walrus defines either way"),
        pytest.param("return\nx = 1\nuse(x)", ["x = 1"], set(), id="dead code"),
    ],
)
def test_reaching_definitions(text: str, definitions: list[str], expected: set[str]) -> None:
    assert reaching(text, "use", *definitions) == expected


def test_a_definition_that_may_not_happen_lets_others_pass() -> None:
    assert reaching("x = 1\nmaybe(x)\nuse(x)", "use", "x = 1", maybe=("maybe",)) == {"x = 1", "maybe(x)"}


def test_a_statement_uses_before_it_defines() -> None:
    assert reaching("x = 1\nx += 2", "x += 2", "x = 1", "x += 2") == {"x = 1"}
    assert reaching("while t:\n  x += 2", "x += 2", "x += 2") == {"x += 2", "ENTRY"}


def test_definitions_reach_the_exit() -> None:
    program = Program("def f():\n  x = 1\n  if t:\n    x = 2\n", "f")
    given = {program.at("x = 1"): True, program.at("x = 2"): True}
    assert reaching_definitions(program.cfg, EXIT, given) == set(given)


def test_reached_uses() -> None:
    program = Program("def f():\n  x = 1\n  use1(x)\n  if t:\n    x = 2\n  use2(x)\n  x = 3\n  use3(x)\n", "f")
    kills = {program.at(f"x = {n}") for n in (1, 2, 3)}
    uses = {program.at(f"use{n}") for n in (1, 2, 3)}
    found = reached_uses(program.cfg, program.at("x = 1"), kills, uses)
    assert {program.name(node) for node in found} == {"use1(x)", "use2(x)"}
    assert reached_uses(program.cfg, program.at("x = 2"), kills, uses) == {program.at("use2")}
    assert reached_uses(program.cfg, ENTRY, kills, uses) == set()


def test_a_definition_reaches_its_own_statement_around_a_loop() -> None:
    program = Program("def f():\n  while t:\n    x += 1\n", "f")
    it = program.at("x")
    assert reached_uses(program.cfg, it, {it}, {it}) == {it}
    assert reached_uses(program.cfg, ENTRY, {it}, {it}) == {it}
