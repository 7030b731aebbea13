"""Walking expressions."""

from __future__ import annotations

from itertools import pairwise

import msgspec
from syntax.samples import expression, spelled

from sgmem.syntax import ir
from sgmem.syntax.ir import Span

TEXT = "f(a.b, *c, d=e[g:h], **i)(lambda j=k: l, [m for n in o if p], {q: r, **s}, t if u else v, w and not x, y < z, (aa := 1))"


def test_walk_goes_outermost_first_in_source_order_within_each_node() -> None:
    root = expression("a + b * c")
    assert [spelled("a + b * c", node) for node in ir.walk(root)] == ["a + b * c", "a", "b * c", "b", "c"]


def test_walk_reaches_every_part() -> None:
    names = {node.id for node in ir.walk(expression(TEXT)) if isinstance(node, ir.Name)}
    assert names == set("fabcdeghijklmnopqrstuvwxyz") - {"b", "d", "j"} | {"aa"}


def test_paths_give_all_ancestors() -> None:
    for node, above in ir.paths(expression(TEXT)):
        for parent, child in pairwise((*above, node)):
            assert any(child is each for each in parent.children())


def test_walk_does_not_recurse() -> None:
    root: ir.Expr = ir.Name(Span(1, 1, 1, 2), "x")
    for _ in range(50_000):
        root = ir.Unary(root.span, "-", root)
    assert sum(1 for _ in ir.walk(root)) == 50_001


def test_nodes_compare_by_identity() -> None:
    one, other = expression("a"), expression("a")
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_spans_contain_one_another() -> None:
    outer = Span(1, 5, 3, 2)
    assert outer.contains(outer)
    assert outer.contains(Span(2, 1, 2, 80))
    assert not outer.contains(Span(1, 4, 2, 1))
    assert not outer.contains(Span(3, 1, 3, 3))


def test_spans_survive_encoding() -> None:
    span = Span(1, 2, 3, 4)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(span), type=Span) == span
