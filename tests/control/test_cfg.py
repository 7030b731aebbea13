from __future__ import annotations

import pytest
from control.outlines import Program

from sgmem.control.cfg import ENTRY, EXIT, RAISED, build_cfg
from sgmem.syntax.ir import Span
from sgmem.syntax.outline import Outline, ScopeOutline, StatementOutline

Edges = dict[str, set[tuple[str, str]]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = 2", {"a": {("b = 2", "next")}, "b": {("EXIT", "next")}}),
        (
            "if t:\n  a = 1\nelif u:\n  b = 1\nc = 1",
            {"if t": {("a = 1", "true"), ("elif u", "false")}, "elif": {("b = 1", "true"), ("c = 1", "false")}},
        ),
        (
            "while t:\n  if u: break\n  if v: continue\n  a = 1\nelse:\n  b = 1\nc = 1",
            {
                "while": {("if u: break", "true"), ("b = 1", "false")},
                "break": {("c = 1", "next")},
                "continue": {("while t", "loop")},
                "a = 1": {("while t", "loop")},
                "b = 1": {("c = 1", "next")},
            },
        ),
        (
            "for i in x:\n  a = 1\nb = 1",
            {"for": {("a = 1", "true"), ("b = 1", "false")}, "a": {("for i in x", "loop")}},
        ),
        ("while True:\n  a = 1\nb = 1", {"while": {("a = 1", "true"), ("b = 1", "false")}}),
        ("with a as b:\n  c = 1\nd = 1", {"with": {("c = 1", "next")}, "c": {("d = 1", "next")}}),
        ("assert a\nb = 1", {"assert": {("b = 1", "true"), ("RAISED", "false")}}),
        ("raise A\nb = 1", {"raise": {("RAISED", "exception")}, "b": set()}),
        (
            "match m:\n  case 1:\n    a = 1\n  case _:\n    b = 1\nc = 1",
            {
                "match": {("case 1", "case")},
                "case 1": {("a = 1", "true"), ("case _", "false")},
                "case _": {("b = 1", "true"), ("c = 1", "false")},
                "a": {("c = 1", "next")},
            },
        ),
    ],
)
def test_edges(text: str, expected: Edges) -> None:
    check(text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "try:\n  a = 1\n  b = 1\nexcept E:\n  c = 1\nexcept F:\n  d = 1\nelse:\n  e = 1\nf = 1",
            {
                "try": {("a = 1", "next")},
                "a": {("b = 1", "next"), ("except E", "exception")},
                "b =": {("e = 1", "next"), ("except E", "exception")},
                "except E": {("c = 1", "true"), ("except F", "false")},
                "except F": {("d = 1", "true"), ("RAISED", "exception")},
                "c": {("f = 1", "next")},
                "e =": {("f = 1", "next")},
            },
            id="handlers are tried in order, else is not guarded",
        ),
        pytest.param(
            "try:\n  pass\nexcept:\n  c = 1",
            {"pass": {("EXIT", "next")}, "except": set()},
            id="what cannot raise leads to no handler",
        ),
        pytest.param(
            "try:\n  raise E\nexcept:\n  c = 1\nd = 1",
            {"raise": {("except", "exception")}, "except": {("c = 1", "true")}, "c": {("d = 1", "next")}},
            id="a bare handler catches all",
        ),
        pytest.param(
            "try:\n  a = 1\nfinally:\n  b = 1\nc = 1",
            {
                "a": {("b = 1", "next"), ("b = 1", "exception")},
                "b": {("c = 1", "next"), ("RAISED", "exception")},
            },
            id="finally goes on, or raises again",
        ),
        pytest.param(
            "try:\n  return f()\nfinally:\n  b = 1\nc = 1",
            {"b": {("EXIT", "next"), ("RAISED", "exception")}, "c": set()},
            id="nothing goes on behind a body that returns",
        ),
        pytest.param(
            "for i in x:\n  try:\n    if t: continue\n    break\n  finally:\n    b = 1\nc = 1",
            {
                "continue": {("b = 1", "next")},
                "break": {("b = 1", "next")},
                "b =": {("for i in x", "loop"), ("c = 1", "next"), ("RAISED", "exception")},
            },
            id="jumps leave a loop through finally",
        ),
        pytest.param(
            "try:\n  try:\n    return 1\n  finally:\n    a = 1\nfinally:\n  b = 1\nc = 1",
            {
                "a": {("b = 1", "next"), ("b = 1", "exception")},
                "b": {("EXIT", "next"), ("RAISED", "exception")},
            },
            id="a return runs all finally blocks, innermost first",
        ),
        pytest.param(
            "try:\n  for i in x:\n    break\n  a = 1\nfinally:\n  b = 1",
            {"break": {("a = 1", "next")}},
            id="a break inside does not run the finally around its loop",
        ),
        pytest.param(
            "try:\n  a = 1\nexcept E:\n  b = 1\nfinally:\n  if t:\n    c = 1\nd = 1",
            {
                "except": {("b = 1", "true"), ("if t", "exception")},
                "b": {("if t", "next"), ("if t", "exception")},
                "if t": {("c = 1", "true"), ("d = 1", "false"), ("RAISED", "false")},
                "c": {("d = 1", "next"), ("RAISED", "exception")},
            },
            id="every end of a finally block has all continuations",
        ),
        pytest.param(
            "try:\n  try:\n    a = 1\n  except E:\n    b = 1\nexcept F:\n  c = 1",
            {
                "except E": {("b = 1", "true"), ("except F", "exception")},
                "b": {("EXIT", "next"), ("except F", "exception")},
            },
            id="an exception that no inner handler names goes outwards",
        ),
        pytest.param(
            "try:\n  assert t\nexcept E:\n  a = 1",
            {"assert": {("EXIT", "true"), ("except E", "false"), ("except E", "exception")}},
            id="a failed assertion is caught",
        ),
    ],
)
def test_exceptions(text: str, expected: Edges) -> None:
    check(text, expected)


def check(text: str, expected: Edges) -> None:
    program = Program("def f():\n" + "\n".join(f"  {line}" for line in text.split("\n")), "f")
    assert {start: program.edges(start) for start in expected} == expected


def test_dead_code_has_no_edges_and_precedes_nothing() -> None:
    program = Program("def f():\n  return 1\n  a = 1\n  b = 1\n", "f")
    assert not program.cfg.reachable(program.at("a"))
    assert program.cfg.out(program.at("a")) == ()
    assert program.cfg.into(EXIT) == ((program.at("return"), "next"),)
    assert not program.cfg.reachable(RAISED)


def test_incoming_edges_mirror_outgoing_ones() -> None:
    cfg = Program("def f():\n  while a:\n    try:\n      b = 1\n    finally:\n      c = 1\n  return\n", "f").cfg
    outgoing = {(source, target, label) for source in cfg.successors for target, label in cfg.out(source)}
    incoming = {(source, target, label) for target in cfg.predecessors for source, label in cfg.into(target)}
    assert outgoing == incoming != set()


def test_an_empty_module_goes_straight_to_its_exit() -> None:
    assert Program("").cfg.out(ENTRY) == ((EXIT, "next"),)


def test_a_stray_break_ends_the_path() -> None:
    """`ast.parse` reads it, so it must not crash; Python would not compile it."""
    assert Program("break\na = 1\n").edges("break") == {("RAISED", "exception")}


def test_a_deep_elif_chain_needs_no_recursion() -> None:
    """No parser hands over 20,000 levels; the tables could."""
    depth, here = 20_000, Span(1, 1, 1, 2)
    rows = [StatementOutline("if", here, index - 1, "orelse" if index else "body", 0, (here,)) for index in range(depth)]
    outline = Outline(tuple(rows), (ScopeOutline("module", "", "", -1, -1, here, 0, depth),), ())
    cfg = build_cfg(outline, 0)
    assert cfg.out(0) == ((EXIT, "true"), (1, "false"))
    assert cfg.out(depth - 1) == ((EXIT, "true"), (EXIT, "false"))
