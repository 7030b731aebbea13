"""Expressions become the intermediate representation: every kind, each where `ast` says it stands."""

from __future__ import annotations

import ast
import sys
import warnings
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from syntax.expressions import expressions
from syntax.oracle import Expected, actual, differences, roots
from syntax.samples import Sample, expression, library_files, opaque, spelled

from sgmem.syntax import ir
from sgmem.syntax.build import build_outline
from sgmem.syntax.ir import Span
from sgmem.syntax.lower import lower_expression
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText, decode

if TYPE_CHECKING:
    from pathlib import Path

    from sgmem.syntax.outline import Outline

CASES = [
    "name", "é", "a.b.c", "a . b", "(a).b", "a[0]", "a[b][c]", "a[1:2]", "a[:]", "a[::]", "a[ : ]", "a[1:]",
    "a[: 2 ]", "a[::3]", "a[1:2, ::3]", "a[:, None, ...]", "a[1,]", "a[1, 2 , ]", "a[(1), (2)]", "a[(1, 2)]",
    "a[(1)]", "a[b, *c]", "a[ # comment\n 1 : # other\n ]", "f()", "f(a)", "f(a, b=c, *d, **e)", "f(a)(b)",
    "f( (a) )", "f(a for a in b)", "f((a for a in b))", "f(a for a in b)(c)", "(f)(a for a in b)",
    "f(b=(a for a in c))", "a.b(c).d(e)[f].g", "a + b", "a + b * c - d", "(a + b) * c", "a ** -b", "-a ** b", "a @ b",
    "a // b % c", "a << 1 | b >> 2 & c ^ d", "~a", "+a", "not a", "not (a)", "- - a", "a and b", "a and b and c",
    "(a and b) and c", "a and (b and c)", "a or b and c or d", "a and not b or c", "a < b", "a < b <= c != d",
    "a in b", "a not in b", "a is b", "a is not b", "a\nnot\nin b", "(a < b) < c", "a if b else c",
    "a if b else c if d else e", "(a if b else c) if d else e", "()", "(a,)", "(a, b)", "((a, b))", "( (a), (b) )",
    "(\n a, # one\n b, # two\n)", "a, b", "a,", "*a, b", "[a, *b]", "[]", "[a, (b, c)]", "{a, b}", "{*a}", "{}",
    "{a: b}", "{a: b, **c, d: e}", "{'a': {'b': c}}", "lambda: a", "lambda a, *b, c=d, **e: a + c",
    "lambda a, /, b=1: a", "lambda *, a: a", "[a for b in c]", "[a for b, d in c if e if f for g in h]",
    "{a for b in c}", "{a: b for c in d}", "(a for b in c)", "((a for b in c))", "[a async for b in c]",
    "[(a) for (b) in (c) if (d)]", "[a for b, in c]", "(a := b)", "f(a := b)", "[a := 1, b]", "await a",
    "await a.b(c)", "yield", "yield a", "yield a, b", "yield from a", "1", "0", "00", "0xFF", "0o17", "0b1", "1_000",
    "1.5", "1e3", ".5", "5.", "1j", "1.5e-3J", "True", "False", "None", "...", "'a'", '"a"', "'''a\nb'''", '"""a"""',
    "r'\\a'", "'\\n\\x41\\N{EM DASH}\\u00e9'", "u'a'", "b'a\\x00'", "rb'\\a'", "Rb'a'", "''", '""', "''''''",
    "'a' 'b'", '\'a\'\n  "b" r\'\\c\'', "b'a' b'b'", "('a'\n 'b')", "'\\\n'", "'\\d'", "f''", "f'a'", "f'{a}'",
    "f'{a!r}'", "f'{a:>10}'", "f'{a:{b}.{c}}'", "f'{a + b} and {c.d(e)}'", "f'{{a}} {b}'", "'a' f'{b}' 'c'",
    "f'{a}' f'{b}'", "f'''{\na\n}'''", "rf'\\d{a}'", "f'{a=}'", "f'{ a = !s:>3}'", "f'{(a, b)}'",
    "f'{a if b else c}'", 'f\'{a["b"]}\'', "f'{1}'", "f'é{é}é'", "f'{(lambda: 1)()}'", "(a\n + # comment\n b)",
    "a \\\n + b", "((a))", "(((a + b)))", "a\x0c+\x0cb", "a\t+\tb",
]  # fmt: skip


def test_the_fields_of_a_template_string_are_read_by_every_python() -> None:
    lowered = expression('t"{a.b:.3f} and {c!r:>{d}}"')
    assert isinstance(lowered, ir.Format)
    assert [type(part).__name__ for part in lowered.parts] == ["Attribute", "Const", "Name", "Name"]


@pytest.mark.parametrize("text", CASES)
def test_each_kind_stands_where_ast_says(text: str) -> None:
    check_like_ast(text)


def check_like_ast(text: str) -> None:
    """The lowered text has the shape of what `ast` reads, spans included."""
    # A newline after the parenthesis keeps the columns of all lines.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = ast.parse(f"async def _(): (\n{text}\n)").body[0]
    assert isinstance(parsed, ast.AsyncFunctionDef)
    statement = parsed.body[0]
    assert isinstance(statement, ast.Expr)
    source = SourceText("x.py", f"async def _(): (\n{text}\n)")
    oracle = Expected(source)
    expected = oracle.shape(statement.value)
    place = oracle.span(statement.value)
    assert place is not None
    span = Span(*place)
    found = actual(lower_expression(source.slice(span), span))
    assert not list(differences(expected, found))


def is_expression(text: str) -> bool:
    if "\\\n" in text and "#" in text:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = ast.parse(f"async def _(): (\n{text}\n)").body
        except (SyntaxError, ValueError):
            return False
    return isinstance(body[0], ast.AsyncFunctionDef) and isinstance(body[0].body[0], ast.Expr)


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(expressions(is_expression))
def test_any_expression_stands_where_ast_says(text: str) -> None:
    check_like_ast(text)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(expressions(is_expression))
def test_every_part_lowers_again_to_the_same_text(text: str) -> None:
    """The text at the span of any part is that part: lowered alone it is the same."""
    whole = expression(text)
    for node in ir.walk(whole):
        if isinstance(node, ir.Slice | ir.Starred | ir.Const):
            continue
        alone = expression(spelled(text, node))
        assert type(alone) is type(node) or isinstance(alone, ir.Opaque), spelled(text, node)


@pytest.mark.parametrize("path", library_files(60), ids=str)
def test_the_standard_library_stands_where_ast_says(path: Path) -> None:
    source = SourceText(str(path), decode(path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source.text)
    outline, oracle = build_outline(source), Expected(source)
    ends = _by_end(outline)
    wrong: list[str] = []
    for node, expected in roots(tree):
        span = oracle.span(node)
        assert span is not None
        index = next(i for i in ends[span[2:]] if outline.statements[i].span.column <= span[1] and _is_kind(outline, i, node))
        statement = lower_statement(source, outline, index)
        found = [*statement.expressions(), *((statement.annotation,) if statement.annotation is not None else ())]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):  # defaults in the order of the source
            found = sorted(found, key=lambda expr: expr.span)
            expected = sorted(expected, key=lambda expr: (expr.lineno, expr.col_offset))
        for one, other in zip(expected, found, strict=True):
            wrong += differences(oracle.shape(one), actual(other))
    assert not wrong


def _by_end(outline: Outline) -> dict[tuple[int, int], list[int]]:
    found: dict[tuple[int, int], list[int]] = {}
    for index, row in enumerate(outline.statements):
        found.setdefault((row.span.end_line, row.span.end_column), []).append(index)
    return found


_KINDS = {"If": "if", "While": "while", "For": "for", "AsyncFor": "for", "Match": "match", "FunctionDef": "function"}


def _is_kind(outline: Outline, index: int, node: ast.AST) -> bool:
    row = outline.statements[index]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return row.names == (node.name,)
    begins = (row.span.line, row.kind) == (node.lineno, _KINDS.get(type(node).__name__, row.kind))  # type: ignore[attr-defined]
    return begins and (row.kind in _KINDS.values()) == (type(node).__name__ in _KINDS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0xFF", 255), ("1_000", 1000), ("00", 0), ("1.5e-3", 0.0015), ("2j", 2j), ("True", True), ("None", None),
        ("'a\\n'", "a\n"), ("r'a\\n'", "a\\n"), ("b'\\x00'", b"\0"), ("'''a\nb'''", "a\nb"), ("u'é'", "é"), ("''", ""),
        ("'\\N{LATIN SMALL LETTER E WITH ACUTE}'", "é"), ("'a' 'b'", "ab"), ("b'a' b'b'", b"ab"), ("'\\\n'", ""),
        ("'\"'", '"'), ("''''''", ""), ("'\\d'", "\\d"), ('"""a"b"""', 'a"b'),
    ],
)  # fmt: skip
def test_values_of_literals(text: str, value: object) -> None:
    lowered = expression(text)
    assert isinstance(lowered, ir.Const)
    assert (lowered.value, type(lowered.value)) == (value, type(value))
    assert lowered.text == text


def test_an_ellipsis_is_no_string() -> None:
    lowered = expression("(..., '...')")
    assert isinstance(lowered, ir.Collection)
    assert [(item.value, item.text) for item in lowered.items if isinstance(item, ir.Const)] == [
        ("...", "..."),
        ("...", "'...'"),
    ]


def parts(text: str) -> list[object]:
    """The parts of an f-string: values of the literal ones, texts of the others."""
    lowered = expression(text)
    assert isinstance(lowered, ir.Format)
    return [part.value if isinstance(part, ir.Const) else (spelled(text, part),) for part in lowered.parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{a}'", [("a",)]),
        ("f'x {a} y'", ["x ", ("a",), " y"]),
        ("f'{{x}} {a:.2f} GB\\n'", ["{x} ", ("a",), " GB\n"]),
        ("rf'\\n{a}'", ["\\n", ("a",)]),
        ("f'{a!r:>{b + 1}}'", [("a",), ("b + 1",)]),
        ("f'{a=}'", ["a=", ("a",)]),
        ("f'{ (a.b) = !r}'", [" (a.b) = ", ("a.b",)]),
        ("'x' f'{a}' 'y'", ["x", ("a",), "y"]),
        ("f'''a\n{b}'''", ["a\n", ("b",)]),
        ("f'é{a}'", ["é", ("a",)]),
    ],
)
def test_parts_of_format_strings(text: str, expected: list[object]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("f'ab{c}de{f:>{g}}'", ["ab", "c", "de", "f", "g"]), ("(f'a'\n  f'{b}é' 'c')", ["a", "b", "é", "'c'"])],
)
def test_places_of_the_parts_of_format_strings(text: str, expected: list[str]) -> None:
    lowered = expression(text)
    assert isinstance(lowered, ir.Format)
    assert [spelled(text, part) for part in lowered.parts] == expected


@pytest.mark.parametrize(
    "text",
    ['f"{a["b"]}"', 'f"{f"{a}"}"', "f'{\na # why\n}'", 'f"{a:{"b"}}"', "f'{'\\n'.join(a)}'"],
)
def test_format_strings_of_newer_python(text: str) -> None:
    assert not opaque(expression(text))


def test_conditions_may_run_over_lines_without_parentheses_of_their_own() -> None:
    sample = Sample("if (a\n    and b  # why\n    # more\n    or c): pass\n")
    (test,) = sample.lowered("if").values
    assert isinstance(test, ir.Boolean)
    assert [sample.show(value) for value in test.values] == ["a\n    and b", "c"]


def test_arguments_carry_keywords_stars_and_places() -> None:
    text = "f(a, *b, c=d, **e)"
    lowered = expression(text)
    assert isinstance(lowered, ir.Call)
    assert [(a.keyword, a.star, spelled(text, a.value), text[a.span.column - 1 : a.span.end_column - 1]) for a in lowered.args] == [
        (None, "", "a", "a"),
        (None, "*", "b", "*b"),
        ("c", "", "d", "c=d"),
        (None, "**", "e", "**e"),
    ]


def test_the_name_of_an_attribute_has_a_place_of_its_own() -> None:
    text = "a\n.b . c"
    lowered = expression(text)
    assert isinstance(lowered, ir.Attribute)
    assert (lowered.attr_span, lowered.attr) == (Span(2, 6, 2, 7), "c")


def test_a_lambda_evaluates_its_defaults() -> None:
    lowered = expression("lambda a, *b, c=d.e, f=g: a")
    assert isinstance(lowered, ir.Lambda)
    assert set(lowered.parameters) == {"a", "b", "c", "f"}
    assert [node.id for node in ir.walk(lowered) if isinstance(node, ir.Name)] == ["d", "g", "a"]


def test_identifiers_are_normalised_as_python_does() -> None:
    lowered = expression("µ.ﬁeld(ﬁeld=1)")
    assert isinstance(lowered, ir.Call)
    assert isinstance(lowered.func, ir.Attribute)
    assert isinstance(lowered.func.base, ir.Name)
    assert (lowered.func.base.id, lowered.func.attr, lowered.args[0].keyword) == ("μ", "field", "field")


@pytest.mark.parametrize("text", ["a +", "a b", "1 = 2", "print 'x'", "for", "(", ")", "a\x00b", "\ud800", "'\ud800'", "0777"])
def test_what_is_no_expression_is_opaque(text: str) -> None:
    lowered = expression(text)
    assert isinstance(lowered, ir.Opaque)
    assert lowered.text == text


def test_a_number_with_too_many_digits_is_opaque() -> None:
    assert isinstance(expression("9" * 5000), ir.Opaque)


@pytest.mark.parametrize("text", ["'\\d'", "f'\\d{a}'", "b'\\d'", "'a' '\\d'", "1 is 1"])
def test_nothing_is_printed_about_the_analysed_code(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not opaque(expression(text))


def test_depth_does_not_depend_on_the_caller() -> None:
    """A caller deep in a recursion gets the same answer, and its recursion limit back."""
    text = "a" + ".b(c)" * 90
    limit = sys.getrecursionlimit()

    def deep(levels: int) -> ir.Expr:
        return deep(levels - 1) if levels else expression(text)

    lowered = deep(700)
    assert not opaque(lowered)
    assert spelled(text, lowered) == text
    assert sys.getrecursionlimit() == limit
