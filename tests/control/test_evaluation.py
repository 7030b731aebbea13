from __future__ import annotations

import pytest
from control.outlines import expression

from sgmem.control.evaluation import expression_conditions
from sgmem.control.rendering import render
from sgmem.syntax.ir import Name, paths


def conditions(text: str) -> list[str]:
    """The conditions of the name `here`."""
    for node, ancestors in paths(expression(text)):
        if isinstance(node, Name) and node.id == "here":
            return [render(condition.predicate) for condition in expression_conditions(node, ancestors, 7)]
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("here", []),
        ("here if t else b", ["t"]),
        ("a if t is None else here", ["t is not None"]),
        ("a if here else b", []),
        ("x and y and here", ["x", "y"]),
        ("x or here", ["not x"]),
        ("here or x", []),
        ("x and (y or f(here))", ["x", "not y"]),
        ("a if s else (here if t else b)", ["not s", "t"]),
        ("[here for i in y if i > 3 if z]", ["i > 3", "z"]),
        ("{k: here for k in y if k}", ["k"]),
        ("[i for i in here if i]", []),
        ("[i for i in y if i for j in here if j]", ["i"]),
        ("[i for i in y if i if here]", ["i"]),
        ("[here]", []),
        ("0 < x < here", ["x > 0"]),
        ("0 < here < x", []),
        ("f(a if True else b, here)", []),
        ("lambda: here if t else b", ["t"]),
        ("x and (lambda: here)", ["x"]),
    ],
)
def test_sub_expressions(text: str, expected: list[str]) -> None:
    assert conditions(text) == expected


def test_conditions_tell_where_the_test_is() -> None:
    for node, ancestors in paths(expression("here if t else b")):
        if isinstance(node, Name) and node.id == "here":
            (condition,) = expression_conditions(node, ancestors, 7)
            assert (condition.statement, condition.how, condition.span.column) == (7, "expression", 10)
