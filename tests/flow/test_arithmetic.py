"""What counts as arithmetic, what leaves a value what it was, and how much of its statement a formula takes up."""

from __future__ import annotations

import pytest
from flow.small import MAIN, program_of

from sgmem.flow.arithmetic import formula_span, is_text
from sgmem.flow.conversions import aligned, is_same_amount, literal, unconverted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span
from sgmem.syntax.lower import lower_expression


def lower(text: str) -> Expr:
    return lower_expression(text, Span(1, 1, 1, len(text) + 1))


def binary(text: str) -> ir.Binary:
    node = lower(text)
    assert isinstance(node, ir.Binary)
    return node


def spelled(text: str, node: Expr | None) -> str | None:
    return None if node is None else text[node.span.column - 1 : node.span.end_column - 1]


@pytest.mark.parametrize(
    ("text", "is_string"),
    [("'a' + x", True), ("'%d' % x", True), ("f'{x}'", True), ("b'x' + y", True), ("x + y", False), ("x + 'a'", False), ("x", False)],
)
def test_which_expressions_build_a_string(text: str, is_string: bool) -> None:
    assert is_text(lower(text)) is is_string


def test_nothing_builds_no_string() -> None:
    assert not is_text(None)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("x * (1 << 30)", "x"),
        ("x / 1024", "x"),
        ("x // (1024 * 1024)", "x"),
        ("x / 1024**3", "x"),
        ("1e9", None),
        ("1000000000 * x", "x"),
        ("x * 8", "x"),
        ("x * 7", None),
        ("x / y", None),
        ("1024 / x", None),
        ("x + 1024", None),
        ("x << 30", None),
    ],
)
def test_a_change_of_unit_keeps_the_amount(text: str, amount: str | None) -> None:
    node = lower(text)
    assert (spelled(text, unconverted(node)) if isinstance(node, ir.Binary) else None) == amount


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x // p * p", "x"),
        ("p * (x // p)", "x"),
        ("(x + p - 1) // p * p", "x"),
        ("x - x % p", "x"),
        ("x // 64 * 64", "x"),
        ("self.n // self.p * self.p", "self.n"),
        ("x // p * q", None),
        ("x / p * p", None),
        ("x - y % p", None),
        ("x * p", None),
    ],
)
def test_rounding_to_a_multiple_keeps_the_count(text: str, count: str | None) -> None:
    assert spelled(text, aligned(binary(text))) == count


@pytest.mark.parametrize(("text", "same"), [("int(x * 1024)", True), ("x // p * p", True), ("int(x)", False), ("x + 1", False)])
def test_the_same_amount(text: str, same: bool) -> None:
    assert is_same_amount(lower(text)) is same


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("2 * 3", 6),
        ("1 << 30", 1 << 30),
        ("1024**3", 1024**3),
        ("1 << x", None),
        ("2**10000", None),
        ("'3'", None),
        ("1 << 1000", None),
    ],
)
def test_literals(text: str, value: int | None) -> None:
    assert literal(lower(text)) == value


@pytest.mark.parametrize(
    ("statement", "span"),
    [
        ("x = a * b", "x = a * b"),
        ("x = int(a * b)", "x = int(a * b)"),
        ("x = (a * b if c else 0)", "x = (a * b if c else 0)"),
        ("return a * b", "return a * b"),
        ("x = f(a * b)", "a * b"),
        ("x = [a * b]", "a * b"),
        ("show(a * b)", "a * b"),
        ("assert a * b", "a * b"),
    ],
)
def test_a_formula_is_its_statement_or_the_expression_itself(statement: str, span: str) -> None:
    source = f"def start(a, b, c):\n    {statement}\n"
    file = program_of(source).files.get(MAIN)
    assert file is not None
    lowered = file.statement(1)
    product = next(node for root in lowered.expressions() for node in ir.walk(root) if isinstance(node, ir.Binary))
    assert file.source.slice(formula_span(lowered, product)) == span


def test_the_formula_of_a_very_long_statement_is_the_expression() -> None:
    source = "def start(a, b):\n    x = (\n" + "\n" * 20 + "        a * b\n    )\n"
    file = program_of(source).files.get(MAIN)
    assert file is not None
    lowered = file.statement(1)
    product = next(node for root in lowered.expressions() for node in ir.walk(root) if isinstance(node, ir.Binary))
    assert file.source.slice(formula_span(lowered, product)) == "a * b"
