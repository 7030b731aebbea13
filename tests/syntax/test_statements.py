"""Statements become bindings and values."""

from __future__ import annotations

import pytest
from syntax.samples import Sample

from sgmem.syntax import ir
from sgmem.syntax.statements import lower_statement

Bindings = list[tuple[str, str, str | None]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b\n", [("assign", "a", "b")]),
        ("a = b = c\n", [("assign", "a", "c"), ("assign", "b", "c")]),
        ("a, (b, *c) = d\n", [("assign", "a, (b, *c)", "d")]),
        ("a.b = c\n", [("assign", "a.b", "c")]),
        ("a[b] = c\n", [("assign", "a[b]", "c")]),
        ("a: int = b\n", [("annotate", "a", "b")]),
        ("a: int\n", [("annotate", "a", None)]),
        ("a.b: int = c\n", [("annotate", "a.b", "c")]),
        ("a += b\n", [("augment", "a", "b")]),
        (
            "del a, (b, [c]), d.e\n",
            [("delete", "a", None), ("delete", "b", None), ("delete", "c", None), ("delete", "d.e", None)],
        ),
        ("for a, b in c: pass\n", [("iterate", "a, b", "c")]),
        ("with a as b, c, d() as (e, f): pass\n", [("enter", "b", "a"), ("enter", "(e, f)", "d()")]),
        ("with a as a: pass\n", [("enter", "a", "a")]),
        ("return_\n", []),
        ("global a\n", []),
        ("import a\n", []),
        ("pass\n", []),
    ],
)
def test_bindings(text: str, expected: Bindings) -> None:
    sample = Sample(text)
    assert sample.shown(sample.text(0)) == expected


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"])
def test_augmented_assignments_carry_their_operator(operator: str) -> None:
    (binding,) = Sample(f"a {operator}= b\n").lowered("a").bindings
    assert binding.operator == operator


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("f(a)\n", "f", ["f(a)"]),
        ("def f():\n    return a, b\n", "return", ["a, b"]),
        ("def f():\n    return\n", "return", []),
        ("raise A(b) from c\n", "raise", ["A(b)", "c"]),
        ("raise\n", "raise", []),
        ("assert a, b\n", "assert", ["a", "b"]),
        ("if a: pass\n", "if", ["a"]),
        ("while a: pass\n", "while", ["a"]),
        ("with a, b as c, d: pass\n", "with", ["a", "d"]),
        ("try: pass\nexcept A: pass\n", "except", ["A"]),
        ("try: pass\nexcept: pass\n", "except", []),
        ("match a, b:\n    case _: pass\n", "match", ["a, b"]),
        ("match a:\n    case b if c: pass\n", "case", ["c"]),
        ("@a(b)\ndef f(c, d=e, *, g=h): pass\n", "@a", ["a(b)", "e", "h"]),
        ("@a\nclass B(C, *d, e=f): pass\n", "@a", ["a", "C", "*d", "f"]),
        ("def f(): pass\nclass A: pass\ndef g(a=b): pass\n", "def g", ["b"]),
        ("class A:\n    def f(a=b): pass\n    def g(c=d): pass\n", "def g", ["d"]),
    ],
)
def test_values(text: str, start: str, expected: list[str]) -> None:
    sample = Sample(text)
    assert [sample.show(value) for value in sample.lowered(start).values] == expected


def test_one_value_assigned_twice_is_one_expression() -> None:
    first, second = Sample("a = b = f()\n").lowered("a").bindings
    assert first.value is second.value


def test_annotations() -> None:
    sample = Sample("a: list[int] = b\n")
    annotation = sample.lowered("a").annotation
    assert annotation is not None
    assert sample.show(annotation) == "list[int]"
    assert Sample("a = b\n").lowered("a").annotation is None


@pytest.mark.parametrize(
    "clause",
    ["except A as e:", "except (A, B) as e:", "except (A) as e:", "except A \\\n as \\\n e:", "except* A as e:"],
)
def test_an_except_clause_binds_its_name_where_it_stands(clause: str) -> None:
    sample = Sample(f"try: pass\n{clause} pass\n")
    (binding,) = sample.lowered("except").bindings
    assert binding.how == "catch"
    assert sample.show(binding.target) == "e"
    assert binding.value is not None
    assert sample.show(binding.value).strip("()").startswith("A")


@pytest.mark.parametrize(
    ("text", "start", "header"),
    [
        ("if a and b:\n    c\n", "if", "if a and b"),
        ("if a: pass\nelif b: pass\n", "elif", "elif b"),
        ("for a in b:\n    c\n", "for", "for a in b"),
        ("async def f():\n    async with a as b: pass\n", "async with", "async with a as b"),
        ("match a:\n    case [b] if c: pass\n", "case", "case [b] if c"),
        ("a = (1,\n  2)\n", "a", "a = (1,\n  2)"),
    ],
)
def test_a_statement_spans_its_header_only(text: str, start: str, header: str) -> None:
    sample = Sample(text)
    assert sample.source.slice(sample.lowered(start).span) == header


def test_statements_on_one_line_are_lowered_apart() -> None:
    sample = Sample("é = 1; a = é; b = 'x;y'; c\n")
    assert sample.shown("a") == [("assign", "a", "é")]
    assert sample.shown("b") == [("assign", "b", "'x;y'")]
    assert [sample.show(value) for value in sample.lowered("c").values] == ["c"]


@pytest.mark.parametrize(
    "statement",
    [
        "x = (\n    'a'\n'b'\n    )",
        "x = '''\nunindented\n'''",
        "x = f(a,\n# comment at the margin\n        b)",
        "x = a \\\n+ b",
    ],
)
def test_statements_over_several_lines_in_an_indented_block(statement: str) -> None:
    sample = Sample(f"def f():\n    if y:\n        {statement}\n        z = 1\n")
    (binding,) = sample.lowered("x").bindings
    assert binding.value is not None
    assert not isinstance(binding.value, ir.Opaque)
    assert sample.source.slice(sample.lowered("x").span) == statement
    assert sample.show(binding.value) == statement.removeprefix("x = ").removeprefix("(\n    ").removesuffix("\n    )")


@pytest.mark.parametrize("text", ["x = " + " + ".join(["a"] * 1000) + "\n", "x = '" + "a" * 100_000 + "'\n"])
def test_what_is_too_much_for_the_parser_is_opaque(text: str) -> None:
    sample = Sample(text)
    statement = sample.lowered("x")
    (value,) = statement.values
    assert statement.kind == "assign"
    assert isinstance(value, ir.Opaque)
    assert value.span == sample.outline.statements[0].span
    assert text.startswith(value.text)


def test_what_libcst_cannot_read_is_opaque() -> None:
    (value,) = Sample("(x): int = 1\n").lowered("(x)").values
    assert isinstance(value, ir.Opaque)


def test_a_statement_of_every_definition_is_found_quickly() -> None:
    """The definition's own row is looked up, not searched among all."""
    sample = Sample("".join(f"def f{n}(a=x{n}): pass\n" for n in range(300)))
    for index, row in enumerate(sample.outline.statements):
        if row.kind == "function":
            (default,) = lower_statement(sample.source, sample.outline, index).values
            assert isinstance(default, ir.Name)
            assert f"f{default.id.removeprefix('x')}" == row.names[0]
