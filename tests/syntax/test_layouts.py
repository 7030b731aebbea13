"""Counting the characters of a node gives the places that generating its code gives."""

from __future__ import annotations

import libcst as cst
import pytest

from sgmem.syntax.ir import Span
from sgmem.syntax.layouts import spans_of
from sgmem.syntax.positions import PositionState

STATEMENTS = [
    "total = ( free - self.pool . size (x, *rest, key = 1, **more) ) // (1 << 30)",
    "a, (b, *c) = ((1 , 2), [3, ], {4, 5}, {'k' : v, **d}, ())",
    "x = y if not (a is not b and c not in d or e != f) else -g ** 2",
    "sizes[1:, ::2, *rest] += [f(n) for n in names if n if n > 1 for m in n]",
    "limit = max((each for each in sizes), default=lambda k=1, *a: (yield))",
    "log(f'{free:.2f} GB of {total!r:>{width}}' 'more', b'x', 1.5, 2j, ...)",
    "pool = Pool(\n    size=1,  # rows\n\n    names={\n        'a': 1,\n    },\n)",
    "path = \\\n    a \\\n    . b",
    "text = '''one\ntwo''' + x",
    "return (await job) @ other, {k: v async for k, v in pairs}",
    "f(x for x in y)(\t( z ))",
    "size: int = (1)",
    "self.size : Dict[str, (int)]= {}",
    "size:int",
    "return",
    "return(a) . b",
    "assert  a == b , f'{a} is not {b}'",
    "assert(a)",
    "(x := 1) <= x < (3) >= ~4 ^ 5",
]


def generated(node: cst.CSTNode) -> dict[cst.CSTNode, Span]:
    state = PositionState(3, 7)
    node._codegen(state)
    return state.spans


@pytest.mark.parametrize("text", STATEMENTS)
def test_places_are_those_of_the_generated_code(text: str) -> None:
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    known, found = generated(line.body[0]), spans_of(line.body[0], 3, 7)
    assert {node: known[node] for node in found} == found
    left_out = {type(node) for node in known.keys() - found.keys()}
    assert not any(issubclass(kind, cst.BaseExpression | cst.Arg | cst.BaseElement | cst.SubscriptElement) for kind in left_out)
