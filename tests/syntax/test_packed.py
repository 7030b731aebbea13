from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from syntax.samples import Sample, expression

from sgmem.syntax import ir
from sgmem.syntax.build import Unparsable, build_outline
from sgmem.syntax.packed import Unpackable, packed, unpacked
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").rglob("*.py"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_statement_comes_back_as_it_was(path: Path) -> None:
    source = SourceText(path.name, path.read_text(encoding="utf-8"))
    try:
        outline = build_outline(source)
    except Unparsable:
        pytest.skip("a fixture of broken syntax")
    for index in range(len(outline.statements)):
        statement = lower_statement(source, outline, index)
        assert repr(unpacked(packed(statement))) == repr(statement)


@pytest.mark.parametrize(
    "text",
    [
        "lambda a, *b, c=1, **d: (a, b)",
        "{k: v for k, v in {**x, 'a': 1}.items() if k if v}",
        "f'{a!r:>{width}} b' 'c' f'{d=}'",
        "a[1:2, ::3, ...]",
        "(y := f(*args, k=1, **kw)) if not -x else (await z)",
        "b'\\xff' + 1.5e300 - 10 ** 18",
        "1e999",
        "{1, 2} | [3, *x]",
        "[]",
        "a < b <= c is not d not in e",
        "True and None or ...",
    ],
)
def test_every_kind_of_expression_comes_back(text: str) -> None:
    lowered = expression(text)
    again = unpacked(packed(lowered))
    assert repr(again) == repr(lowered)
    assert [type(node.value) for node in ir.walk(again) if isinstance(node, ir.Const)] == [
        type(node.value) for node in ir.walk(lowered) if isinstance(node, ir.Const)
    ]


def test_one_value_of_two_targets_stays_one_node() -> None:
    again = unpacked(packed(Sample("a = b = f(x)").lowered("a")))
    assert isinstance(again, ir.Statement)
    first, second = again.bindings
    assert first.value is second.value
    assert first.target is not second.target


def test_depth_costs_no_recursion() -> None:
    node: ir.Expr = expression("x")
    for _ in range(50_000):
        node = ir.Unary(node.span, "-", node)
    assert sum(1 for _ in ir.walk(unpacked(packed(node)))) == 50_001


@pytest.mark.parametrize("text", ["2j", "9" * 40, "'\\ud800'"])
def test_what_has_no_spelling_in_bytes_is_refused(text: str) -> None:
    with pytest.raises(Unpackable):
        packed(expression(text))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode([]),
        msgspec.msgpack.encode([[1]]),
        msgspec.msgpack.encode([[99, 1]]),
        msgspec.msgpack.encode([["x", 1]]),
        msgspec.msgpack.encode([[1, [1, 1, 1, 2], "a", "more"]]),
        msgspec.msgpack.encode([[2, [1, 1, 1, 2], 7, "attr", [1, 1, 1, 2]]]),
        msgspec.msgpack.encode([[4, [1, 1, 1, 2], None, None, ""]]),
    ],
)
def test_bytes_that_are_no_node_are_refused(data: bytes) -> None:
    with pytest.raises(Unpackable):
        unpacked(data)
