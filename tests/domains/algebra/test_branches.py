"""Alternatives: exactly one applies at any numbers, and it computes what the whole expression does."""

from __future__ import annotations

import pytest
from domains.expressions import expression
from domains.formulas import Formula, Values, anything, assignments
from hypothesis import assume, given, settings

from sgmem.domains.algebra.branches import branches
from sgmem.domains.algebra.evaluate import truth_of, value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of


def shown(text: str) -> list[tuple[str, list[str]]]:
    return [(text_of(branch.expr), [choice.text for choice in branch.choices]) for branch in branches(expression(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - b", [("a - b", [])]),
        ("a if c else b", [("a", ["c"]), ("b", ["not c"])]),
        ("x - (a if m > n else b)", [("x - a", ["m > n"]), ("x - b", ["m <= n"])]),
        ("a if g is not None else 0.88", [("a", ["g is not None"]), ("0.88", ["g is None"])]),
        ("max(a, b)", [("a", ["a >= b"]), ("b", ["b > a"])]),
        ("min(a, b)", [("a", ["a <= b"]), ("b", ["b < a"])]),
        ("a / (b or 1)", [("a / b", ["b"]), ("a / 1", ["not b"])]),
        ("abs(a)", [("a", ["a >= 0"]), ("-a", ["a < 0"])]),
        ("int(a if c else b)", [("int(a)", ["c"]), ("int(b)", ["not c"])]),
        ("max(0.8, min(1.05, f))", [("1.05", ["1.05 <= f"]), ("0.8", ["f < 1.05", "0.8 >= f"]), ("f", ["f < 1.05", "f > 0.8"])]),
        ("a if 24 * 1024 > 0 else b", [("a", [])]),
        ("a or 0 or 1", [("a", ["a"]), ("1", ["not a"])]),
    ],
)
def test_alternatives(text: str, expected: list[tuple[str, list[str]]]):
    assert shown(text) == expected


@pytest.mark.parametrize("text", ["max(*values)", "max(values)", "min(a, b, key=f)", "f(max(a, b))", "[a if c else b]"])
def test_what_is_not_split(text: str):
    assert shown(text) == [(text_of(expression(text)), [])]


def test_contradictory_alternatives_are_left_out():
    assert shown("(a if c else b) - (d if c else e)") == [("a - d", ["c"]), ("b - e", ["not c"])]


def test_leaves_keep_their_identity():
    whole = expression("a - max(b, c)")
    leaves = {node for node in ir.walk(whole) if isinstance(node, ir.Name)}
    for branch in branches(whole):
        assert {node for node in ir.walk(branch.expr) if isinstance(node, ir.Name)} <= leaves


def test_an_expression_without_alternatives_is_returned_as_it_is():
    whole = expression("a - int(b * 2) // c")
    assert branches(whole)[0].expr is whole


def test_too_many_alternatives_are_refused():
    text = " + ".join(f"max(a{i}, b{i})" for i in range(10))
    with pytest.raises(Unsupported, match="too many"):
        branches(expression(text))


@settings(max_examples=300, deadline=None)
@given(anything, assignments)
def test_the_applicable_alternative_computes_the_whole(formula: Formula, values: Values):
    def leaf(node: ir.Expr):
        return values.get(node.id) if isinstance(node, ir.Name) else None

    try:
        expected = formula.compute(values)
        split = branches(expression(formula.text))
    except (ZeroDivisionError, Unsupported):
        assume(False)
    applicable = []
    for branch in split:
        try:
            if all(truth_of(choice.test, leaf) == choice.holds for choice in branch.choices):
                applicable.append(value_of(branch.expr, leaf))
        except Unsupported:
            continue
    assert expected in applicable
    assert len(set(applicable)) == 1
