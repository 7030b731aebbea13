"""Definitions in place of names."""

from __future__ import annotations

import pytest
from domains.expressions import expression

from sgmem.domains.algebra.inline import MAX_NODES, inlined
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

DEFINITIONS = {
    text: expression(value)
    for text, value in {
        "slack": "total * (1 - self.fraction)",
        "total": "pre_load",
        "self.fraction": "server_args.fraction",
        "loop": "loop + 1",
        "double": "double_half + double_half",
        "double_half": "double",
        "limit": "a if c else slack",
    }.items()
}


def definition_of(node: ir.Expr) -> ir.Expr | None:
    return DEFINITIONS.get(text_of(node))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("available - slack", "available - pre_load * (1 - server_args.fraction)"),
        ("max(slack, reserve)", "max(pre_load * (1 - server_args.fraction), reserve)"),
        ("available - limit", "available - (a if c else pre_load * (1 - server_args.fraction))"),
        ("-int(total)", "-int(pre_load)"),
        ("sum([total, x])", "sum((pre_load, x))"),
        ("total or 1", "pre_load or 1"),
        ("(y := total) + 1", "pre_load + 1"),
        ("loop * 2", "(loop + 1) * 2"),
        ("f(total)", "f(total)"),
    ],
)
def test_definitions_replace_names(text: str, expected: str):
    assert text_of(inlined(expression(text), definition_of)) == expected


def test_nothing_to_replace_gives_the_same_node():
    whole = expression("a - int(b * 2) // max(c, d)")
    assert inlined(whole, definition_of) is whole


def test_definitions_that_double_end():
    grown = inlined(expression("double"), definition_of)
    assert sum(1 for _ in ir.walk(grown)) <= 2 * MAX_NODES
